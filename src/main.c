// The command table to an exit code.
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/common.h"
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

static bool run(int argc, char **argv, int *status)
{
    if (argc < 2)
        return fail(FAULT_INPUT, "a command is needed; `mdam-vk help` lists them");
    bool wants_list = !strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
    if (wants_list && argc == 2) {
        list_commands();
        return true;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("mdam-vk " MDAM_VERSION);
        return true;
    }
    const struct command *command = find(argv[wants_list ? 2 : 1]);
    if (!command)
        return false;
    if (wants_list || asks_for_help(argc - 2, argv + 2)) {
        help(command);
        return true;
    }
    struct arguments arguments;
    bool ok = flags_parse(command, argc - 2, argv + 2, &arguments) && command->run(&arguments, status);
    arguments_finish(&arguments);
    return ok;
}

int main(int argc, char **argv)
{
    int status = 0;
    bool ok = run(argc, argv, &status);
    if (ok && (fflush(stdout) || ferror(stdout)))
        ok = fail(FAULT_INTERNAL, "standard output cannot be written");
    if (ok)
        return status;
    fputs("mdam-vk: ", stderr);
    print_line(stderr, error_text());
    return (int)error_fault();
}
