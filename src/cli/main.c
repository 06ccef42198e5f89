// Runs a command and returns its exit code.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/ranks.h"

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    }
    return false;
}

// Replaces the library's field names in the message by the flags.
static void show_flag(const struct command *command)
{
    const char *flag = flags_name_of_field(command, error_field()), *other = error_other_field();
    other = other ? flags_name_of_field(command, other) : "";
    if (flag && other)
        error_show_fields(flag, other);
    fail_within("%s", command->name);
}

static bool run(int argc, char **argv, int *status)
{
    if (argc < 2)
        return fail(FAULT_INPUT, "a command is required; `mdam-vk help` lists them");
    if (!strcmp(argv[1], "--version")) {
        if (argc > 2)
            return fail(FAULT_INPUT, "--version: unexpected \"%s\"", argv[2]);
        puts("mdam-vk " MDAM_VERSION);
        return true;
    }
    bool wants_help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
    const struct command *command = wants_help ? &command_help : command_find(argv[1]);
    if (!command)
        return false;
    if (asks_for_help(argc - 2, argv + 2)) {
        help_show(command);
        return true;
    }
    struct arguments arguments;
    bool ok = flags_parse(command, argc - 2, argv + 2, &arguments) && command->run(&arguments, status);
    arguments_finish(&arguments);
    if (!ok && error_field())
        show_flag(command);
    return ok;
}

// If a standard stream is closed, the next opened file would get its descriptor, and output for the stream would end up
// in the file. The stream is opened with the wrong mode instead, so that using it still fails.
static void hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return; // no /dev/null: nothing more can be done
    }
}

// A failure that the other ranks do not know of ends them, too. Of one that all have, the first speaks.
static void tell_failure(void)
{
    const bool alone = ranks_count() > 1 && !ranks_agreed();
    if (alone)
        fail_within("rank %u on %s", ranks_rank(), ranks_host());
    if (alone || ranks_rank() == 0) {
        fputs("mdam-vk: ", stderr);
        print_line(stderr, error_text());
    }
    if (alone)
        ranks_abort(FAULT_DEVICE);
}

int main(int argc, char **argv)
{
    hold_streams();
    bug_exits();
    interrupt_begin();
    int status = 0;
    common.started = clock_seconds();
    bool ok = run(argc, argv, &status);
    if (ok && fflush(stdout))
        ok = fail(FAULT_INPUT, "standard output: cannot be written: %s", strerror(errno));
    else if (ok && ferror(stdout)) // an earlier failure, whose errno is lost
        ok = fail(FAULT_INPUT, "standard output: cannot be written");
    if (!ok)
        tell_failure();
    ranks_end();
    return ok ? status : (int)error_fault();
}
