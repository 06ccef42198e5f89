#include "folder.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/alloc.h"

void *test_folder_make(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *base = getenv("TMPDIR");
    char *folder = xformat("%s/mdam-vk-test-XXXXXX", base ? base : "/tmp");
    munit_assert_not_null(mkdtemp(folder));
    return folder;
}

void test_folder_remove(void *folder)
{
    char *command = xformat("rm -rf '%s'", (char *)folder);
    if (system(command))
        fprintf(stderr, "cannot remove %s\n", (char *)folder);
    free(command), free(folder);
}
