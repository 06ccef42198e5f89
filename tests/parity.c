// Checks parity packs (tests/support/pack.h):
//
//   parity [PACK ...]               the engine against each pack, on the device that the environment selects
//   parity --reference [PACK ...]   the double-precision reference against each pack
//   parity --write FOLDER           writes our own packs, a folder for each
//
// Without a pack, our own are written to a temporary folder, read back and checked.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "parity.h"
#include "util/alloc.h"
#include "util/error.h"

static bool check_folder(const char *folder, const struct parity_subject *subject)
{
    struct pack pack;
    printf("%s: %s\n", folder, subject->name);
    bool ok = pack_read(&pack, folder);
    if (ok)
        ok = parity_check(&pack, subject, stdout);
    else
        printf("  %s\n", error_text());
    pack_finish(&pack);
    const char *slash = strrchr(folder, '/');
    printf("/parity/%s [ %s ]\n", slash && slash[1] ? slash + 1 : folder, ok ? "OK" : "FAIL"); // as munit's tests end
    fflush(stdout);
    return ok;
}

// Writes our packs into FOLDER, and checks each if there is a subject.
static bool own_packs(const char *folder, const struct parity_subject *subject)
{
    bool ok = true;
    struct pack_recipe recipe;
    const char *name;
    for (uint32_t i = 0; (name = pack_own(i, &recipe)); i++) {
        char *path = xformat("%s/%s", folder, name);
        struct pack pack;
        pack_make(&pack, &recipe);
        bool written = pack_write(&pack, path);
        if (!written)
            printf("%s: %s\n", path, error_text());
        pack_finish(&pack);
        ok = written && (!subject || check_folder(path, subject)) && ok;
        free(path);
    }
    return ok;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--write"))
        return own_packs(argv[2], NULL) ? EXIT_SUCCESS : EXIT_FAILURE;
    bool reference = argc > 1 && !strcmp(argv[1], "--reference"), ok = true;
    const struct parity_subject *subject = reference ? &parity_reference : &parity_engine;
    int first = reference ? 2 : 1;
    for (int i = first; i < argc; i++)
        ok = check_folder(argv[i], subject) && ok;
    if (argc == first) {
        char *folder = folder_make(NULL, NULL);
        ok = own_packs(folder, subject);
        folder_remove(folder);
    }
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
