// A folder of its own for a test: MunitTest.setup and .tear_down.
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#include <munit.h>

void *test_folder_make(const MunitParameter params[], void *data); // the path
void test_folder_remove(void *folder);

#endif
