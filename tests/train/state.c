#include "train/state.h"

#include <jansson.h>

#include "expect.h"
#include "suite.h"
#include "tests/train/support.h"

// A checkpoint without a newer field can be read; one without another number is refused.
static MunitResult test_older(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct train_state state = { .step = 7, .best = 0.1 + 0.2, .log_lines = 3 }, back = { 0 };
    json_t *json = state_to_json(&state);
    munit_assert_true(state_from_json(&back, json));
    munit_assert_memory_equal(sizeof state, &state, &back);
    back = (struct train_state){ 0 };
    json_object_del(json, "log_lines");
    json_object_set_new(json, "log_bytes", json_integer(99));
    json_object_set_new(json, "seconds", json_real(2.5));
    munit_assert_true(state_from_json(&back, json));
    munit_assert_true(back.step == 7 && back.log_lines == 0 && back.log_bytes == 99);
    struct train_clock clock = { .validation_seconds = 1 };
    munit_assert_true(clock_from_json(&clock, json) && clock.seconds == 2.5 && clock.validation_seconds == 1);
    json_object_del(json, "best");
    expect_refused(state_from_json(&back, json), "\"best\" *");
    json_decref(json);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/older", test_older),
    TEST_END,
};
SUITE("/train/state", tests)
