// The command table to an exit code.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common.h"
#include "util/clock.h"
#include "util/error.h"

#define COMMAND_ADDRESS(name) &command_##name,
static const struct command *const commands[] = { COMMANDS(COMMAND_ADDRESS) NULL };

static const struct command *find(const char *name)
{
    for (const struct command *const *command = commands; *command; command++) {
        if (!strcmp((*command)->name, name))
            return *command;
    }
    fail(FAULT_INPUT, "there is no command \"%s\"; `mdam-vk help` lists them", name);
    return NULL;
}

static void list_commands(void)
{
    puts("usage: mdam-vk COMMAND ...\n"
         "Learned routing on any Vulkan GPU: the Multi-Decoder Attention Model for six routing problems.\n");
    for (const struct command *const *command = commands; *command; command++)
        printf("  %-10s %s\n", (*command)->name, (*command)->summary);
    puts("\n  help [COMMAND], --help, --version");
}

static void help(const struct command *command)
{
    struct text text = { 0 };
    flags_help(command, &text);
    fputs(text.data, stdout);
    text_finish(&text);
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    }
    return false;
}

static bool is_help(const char *word)
{
    return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

static bool run(int argc, char **argv, int *status)
{
    if (argc < 2)
        return fail(FAULT_INPUT, "a command is needed; `mdam-vk help` lists them");
    bool wants_help = is_help(argv[1]), wants_version = !strcmp(argv[1], "--version");
    int most = wants_help ? 3 : 2; // words, the program's name among them
    if ((wants_help || wants_version) && argc > most)
        return fail(FAULT_INPUT, "%s: unexpected \"%s\"", argv[1], argv[most]);
    if (wants_help && (argc == 2 || is_help(argv[2]))) {
        list_commands();
        return true;
    }
    if (wants_version) {
        puts("mdam-vk " MDAM_VERSION);
        return true;
    }
    const struct command *command = find(argv[wants_help ? 2 : 1]);
    if (!command)
        return false;
    if (wants_help || asks_for_help(argc - 2, argv + 2)) {
        help(command);
        return true;
    }
    struct arguments arguments;
    bool ok = flags_parse(command, argc - 2, argv + 2, &arguments) && command->run(&arguments, status);
    arguments_finish(&arguments);
    return ok;
}

// A closed standard stream would give its number to the next file that is opened, and what is meant for the one would
// end in the other. Opened the wrong way round, it goes on failing.
static void hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return; // there is no /dev/null: nothing more can be done
    }
}

int main(int argc, char **argv)
{
    hold_streams();
    int status = 0;
    common.started = clock_seconds();
    bool ok = run(argc, argv, &status);
    if (ok && (fflush(stdout) || ferror(stdout)))
        ok = fail(FAULT_INTERNAL, "standard output cannot be written");
    if (ok)
        return status;
    fputs("mdam-vk: ", stderr);
    print_line(stderr, error_text());
    return (int)error_fault();
}
