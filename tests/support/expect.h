// Assertions and fixtures that tests of several layers share.
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

// The message must be EXPECTED, or begin with it up to its '*': tests pin the location, and only a few whole messages.
void expect_message(const char *actual, const char *expected);

// OK must be false, and the failure one of the user's input with such a message.
void expect_refused(bool ok, const char *message);

// READ (which frees what it reads) must refuse every truncation of DATA.
void expect_cuts_refused(const char *data, size_t size, bool (*read)(const char *data, size_t size));

// Fixture: a temporary folder.
void *folder_make(const MunitParameter params[], void *data);
#define FOLDER_TEST(name, test, parameters)                                                                            \
    {                                                                                                                  \
        name, test, folder_make, folder_remove, MUNIT_TEST_OPTION_NONE, parameters                                     \
    }
void folder_remove(void *folder);

#endif
