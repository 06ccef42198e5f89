#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "suite.h"
#include "util/alloc.h"

static json_t *list_devices(void)
{
    struct output output;
    program_run(&output, "devices", "--json", NULL);
    munit_assert_int(output.status, ==, 0);
    munit_assert_string_equal(output.err, "");
    json_error_t error;
    json_t *root = json_loads(output.out, 0, &error);
    if (!root)
        munit_errorf("line %d: %s", error.line, error.text);
    output_finish(&output);
    return root;
}

static void expect_keys(json_t *object, const char *const *keys, int type)
{
    for (; *keys; keys++) {
        json_t *value = json_object_get(object, *keys);
        if (!value || (json_typeof(value) != (json_type)type && !(type == JSON_TRUE && json_is_false(value))))
            munit_errorf("%s is missing, or of another type", *keys);
    }
}

static MunitResult test_json(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const texts[] = { "name", "type", "driver", "driver_version", "api_version", "target",
        "disabled", NULL };
    static const char *const numbers[] = { "index", "memory", "lanes", NULL };
    static const char *const flags[] = { "buffer_addresses", "int64", "usable", NULL };
    static const char *const limits[] = { "workgroup_invocations", "shared_bytes", "push_constant_bytes",
        "storage_buffer_bytes", "allocation_bytes", NULL };
    json_t *root = list_devices(), *devices = json_object_get(root, "devices"), *device;
    size_t i, k;
    munit_assert_size(json_array_size(devices), >, 0);
    json_array_foreach(devices, i, device)
    {
        expect_keys(device, texts, JSON_STRING);
        expect_keys(device, numbers, JSON_INTEGER);
        expect_keys(device, flags, JSON_TRUE);
        expect_keys(json_object_get(device, "limits"), limits, JSON_INTEGER);
        munit_assert_int((int)json_integer_value(json_object_get(device, "index")), ==, (int)i);
        bool usable = json_is_true(json_object_get(device, "usable"));
        munit_assert_true(json_is_null(json_object_get(device, "why_not")) == usable);
        // The size that is used is one of those offered.
        json_t *size;
        bool offered = false;
        json_array_foreach(json_object_get(device, "subgroup_sizes"), k, size) offered =
            offered || json_equal(size, json_object_get(device, "lanes"));
        munit_assert_true(offered || !usable);
    }
    json_decref(root);
    return MUNIT_OK;
}

// The table names the same devices.
static MunitResult test_table(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    json_t *root = list_devices(), *device;
    struct output output;
    program_run(&output, "devices", NULL);
    munit_assert_int(output.status, ==, 0);
    size_t i;
    json_array_foreach(json_object_get(root, "devices"), i, device)
        munit_assert_not_null(strstr(output.out, json_string_value(json_object_get(device, "name"))));
    output_finish(&output);
    json_decref(root);
    return MUNIT_OK;
}

// Without a usable device the exit status is that of a device fault, and --quiet does not hide the reason.
static MunitResult test_none(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *name, *value, *sentence;
    } cases[] = {
        { "MDAM_VK_VISIBLE_DEVICES", "", "mdam-vk: no Vulkan device found among MDAM_VK_VISIBLE_DEVICES\n" },
        { "MDAM_VK_INJECT", "unusable", "mdam-vk: devices: none is usable\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *value = getenv(cases[i].name);
        char *before = value ? xstrdup(value) : NULL;
        setenv(cases[i].name, cases[i].value, 1);
        struct output output;
        program_run(&output, "devices", "--quiet", NULL);
        munit_assert_int(output.status, ==, 3);
        munit_assert_string_equal(output.err, cases[i].sentence);
        output_finish(&output);
        before ? setenv(cases[i].name, before, 1) : unsetenv(cases[i].name);
        free(before);
    }
    return MUNIT_OK;
}

// Features that MDAM_VK_DISABLE turns off are printed, and an unknown name is refused.
static MunitResult test_disabled(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    setenv("MDAM_VK_DISABLE", "int64,addresses", 1);
    program_run(&output, "devices", "--verbose", NULL);
    munit_assert_int(output.status, ==, 0);
    munit_assert_not_null(strstr(output.out, "disabled  int64, addresses\n"));
    munit_assert_not_null(strstr(output.out, "target    safe"));
    output_finish(&output);
    json_t *root = list_devices(), *device = json_array_get(json_object_get(root, "devices"), 0);
    munit_assert_string_equal(json_string_value(json_object_get(device, "disabled")), "int64, addresses");
    json_decref(root);
    setenv("MDAM_VK_DISABLE", "int63", 1);
    program_run(&output, "devices", NULL);
    munit_assert_int(output.status, ==, 2);
    munit_assert_not_null(strstr(output.err, "MDAM_VK_DISABLE must list some of"));
    output_finish(&output);
    unsetenv("MDAM_VK_DISABLE");
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/disabled", test_disabled, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/json", test_json, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/none", test_none, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/table", test_table, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/cli/devices", tests)
