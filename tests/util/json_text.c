#include "util/json_text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

// One value is bounded, not all that the process has: two of more than half the bound each, and one made elsewhere.
static MunitResult test_bound(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text text = { 0 };
    text_add(&text, "[0");
    for (int i = 0; i < 1600000; i++)
        text_add(&text, ",{}");
    text_add(&text, "]");
    json_t *values[3];
    for (int i = 0; i < 2; i++) {
        struct json_text reader;
        json_text_init(&reader, text.data, text.size);
        if (!json_text_next(&reader, &values[i]))
            munit_errorf("%s", error_text());
    }
    values[2] = json_loads(text.data, 0, NULL);
    for (int i = 0; i < 3; i++) {
        munit_assert_size(json_array_size(values[i]), ==, 1600001);
        json_decref(values[i]);
    }
    text_finish(&text);
    return MUNIT_OK;
}

enum { THREADS = 4, ROUNDS = 2000 };

// Returns NULL if every round gave the expected value, or the message about its own error.
static void *read_often(void *arg)
{
    static const char *const texts[] = { "[1,2,3]", "[1,2,", "{\"a\":[{}]}", "[1,\n}" };
    static const char *const sentences[] = { NULL, "line 1 column 5: ']' expected near end of file", NULL,
        "line 2 column 1: unexpected token near '}'" };
    int number = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct json_text reader;
        json_text_init(&reader, texts[number], strlen(texts[number]));
        json_t *value;
        bool ok = json_text_next(&reader, &value);
        json_decref(value);
        if (ok == (sentences[number] != NULL) || (!ok && strcmp(error_text(), sentences[number])))
            return xstrdup(ok ? texts[number] : error_text());
    }
    return NULL;
}

static MunitResult test_threads(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        munit_assert_int(pthread_create(&threads[i], NULL, read_often, &numbers[i]), ==, 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        munit_assert_int(pthread_join(threads[i], &wrong), ==, 0);
        if (wrong)
            munit_errorf("%s", (char *)wrong);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/bound", test_bound),
    TEST("/threads", test_threads),
    TEST_END,
};
SUITE("/util/json_text", tests)
