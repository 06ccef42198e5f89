// What tests of several layers say alike.
#ifndef TESTS_SUPPORT_EXPECT_H
#define TESTS_SUPPORT_EXPECT_H

#include <stdbool.h>

#include <munit.h>

#define TEST(name, function)                                                                                           \
    {                                                                                                                  \
        name, function, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL                                                       \
    }
#define TEST_END                                                                                                       \
    {                                                                                                                  \
        NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL                                                           \
    }

// A refusal of the user's input whose sentence must be SENTENCE.
void expect_refused(bool ok, const char *sentence);

// Wherever DATA ends too early, READ (which frees what it reads) refuses it.
void expect_cuts_refused(const char *data, size_t size, bool (*read)(const char *data, size_t size));

// A test's fixture: a folder of its own, which goes with it.
void *folder_make(const MunitParameter params[], void *data);
void folder_remove(void *folder);

#endif
