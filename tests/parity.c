// Checks parity packs (selftest/pack.h):
//
//   parity [--reference] [PACK ...]        the engine against each pack, on the device that the environment selects, or
//                                          the double-precision reference
//   parity [--reference] --own [NAME ...]  against our own packs, which are written to a temporary folder and read back
//   parity --write FOLDER                  writes our own packs, a folder for each
//
// Without a pack or a name, all of our own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "selftest/parity.h"
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
    return ok;
}

static bool is_named(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++) {
        if (!strcmp(name, names[i]))
            return true;
    }
    return count == 0;
}

// Writes our packs into FOLDER, and checks each if there is a subject. NAMES are COUNT names; none: all.
static bool own_packs(const char *folder, const struct parity_subject *subject, char **names, int count)
{
    bool ok = true;
    struct pack_recipe recipe;
    const char *name;
    int found = 0;
    for (uint32_t i = 0; (name = pack_own(i, &recipe)); i++) {
        if (!is_named(name, names, count))
            continue;
        found++;
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
    if (count && found != count) {
        printf("%d of %d packs are among our own\n", found, count);
        ok = false;
    }
    return ok;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // so that a run that is cut short shows where it was
    if (argc == 3 && !strcmp(argv[1], "--write"))
        return own_packs(argv[2], NULL, NULL, 0) ? EXIT_SUCCESS : EXIT_FAILURE;
    int next = 1;
    bool reference = next < argc && !strcmp(argv[next], "--reference") && next++, ok = true;
    bool own = (next < argc && !strcmp(argv[next], "--own") && next++) || next == argc;
    const struct parity_subject *subject = reference ? &parity_reference : &parity_engine;
    for (int i = next; i < argc && !own; i++)
        ok = check_folder(argv[i], subject) && ok;
    if (own) {
        char *folder = folder_make(NULL, NULL);
        ok = own_packs(folder, subject, argv + next, argc - next);
        folder_remove(folder);
    }
    if (subject->finish)
        subject->finish();
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
