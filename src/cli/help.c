#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/error.h"
#include "util/spelling.h"

#define COMMAND_ADDRESS(name) &command_##name,
const struct command *const commands[] = { COMMANDS(COMMAND_ADDRESS) NULL };

const char help_purpose[] =
    "Learned routing through Vulkan: the Multi-Decoder Attention Model for six routing problems.";

const struct help_row help_statuses[] = {
    { "0", "done" },
    { "1", "no plan found for the number of vehicles; or an internal error" },
    { "2", "invalid usage or input, or an output that cannot be written" },
    { "3", "no usable device, or the device was lost" },
    { "4", "validate found the solution infeasible" },
    { "130", "interrupted by Ctrl-C or SIGTERM: solve, eval and train write their results so far" },
    { NULL, NULL },
};

const struct help_row help_variables[] = {
    { "MDAM_VK_MODELS", "folder with <problem>.safetensors, used without -m" },
    { "MDAM_VK_VISIBLE_DEVICES", "use only these devices; numbers or parts of names: 0,nvidia" },
    { "MDAM_VK_DISABLE",
        "features of a device not to use, to find what its driver gets wrong: subgroup-size, int64, shared-product, "
        "addresses" },
    { "MDAM_VK_VALIDATE", "1: enable the Khronos validation layer and abort on its messages" },
    { "LP_NATIVE_VECTOR_WIDTH", "vector bits of Mesa's CPU driver (default: chosen by mdam-vk)" },
    { "XDG_CACHE_HOME", "folder whose mdam-vk/ has the pipeline cache (default: ~/.cache)" },
    { NULL, NULL },
};

static struct {
    bool manual;
    int completion;
} options;

static const struct flag flags[] = {
    { "--man", NULL, FLAG_SWITCH, &options.manual, NULL, "write the manual page mdam-vk(1) as roff" },
    { "--completion", NULL, FLAG_CHOICE, &options.completion, "none|bash", "write a completion script for the shell" },
    { NULL },
};

const struct command *command_find(const char *name)
{
    for (const struct command *const *command = commands; *command; command++) {
        if (!strcmp((*command)->name, name))
            return *command;
    }
    struct spelling spelling = { .word = name, .length = strlen(name) };
    for (const struct command *const *command = commands; *command; command++)
        spelling_consider(&spelling, (*command)->name);
    if (spelling.nearest)
        fail(FAULT_INPUT, "unknown command \"%s\"; did you mean %s?", name, spelling.nearest);
    else
        fail(FAULT_INPUT, "unknown command \"%s\"; `mdam-vk help` lists the commands", name);
    return NULL;
}

static void add_rows(struct text *text, const char *title, const struct help_row *rows)
{
    text_add(text, "\n%s:\n", title);
    for (const struct help_row *row = rows; row->word; row++)
        text_add(text, "  %-24s %s\n", row->word, row->meaning);
}

static void add_overview(struct text *text)
{
    text_add(text, "usage: mdam-vk COMMAND ...\n%s\n\n", help_purpose);
    for (const struct command *const *command = commands; *command; command++)
        text_add(text, "  %-10s %s\n", (*command)->name, (*command)->summary);
    text_add(text, "\n`mdam-vk help COMMAND` or `mdam-vk COMMAND --help` lists the command's flags,\n"
                   "`mdam-vk help " HELP_FORMATS "` describes the formats of instances and solutions.\n");
    add_rows(text, "Exit codes", help_statuses);
    add_rows(text, "Environment", help_variables);
}

const char *help_next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

static void add_blocks(struct text *text, const struct help_block *blocks)
{
    for (const struct help_block *block = blocks; block->text; block++) {
        text_add(text, "%s", text->size ? "\n" : "");
        for (const char *line = block->text; line; line = help_next_line(line))
            text_add(text, "%s%.*s%s\n", block->kind == HELP_CODE ? "    " : "", (int)strcspn(line, "\n"), line,
                block->kind == HELP_TITLE ? ":" : "");
    }
}

static void print(struct text *text)
{
    fputs(text->data, stdout);
    text_finish(text);
}

void help_show(const struct command *command)
{
    struct text text = { 0 };
    flags_help(command, &text);
    print(&text);
}

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    const struct command *command = NULL;
    if (arrlen(arguments->operands)) {
        if (options.manual || options.completion)
            return fail(FAULT_INPUT, "help: --man and --completion accept no command");
        if (!strcmp(arguments->operands[0], HELP_FORMATS)) {
            struct text text = { 0 };
            help_prepare();
            add_blocks(&text, help_files);
            text_add(&text, "\nExamples:\n");
            add_blocks(&text, help_examples);
            print(&text);
            return true;
        }
        if (!(command = command_find(arguments->operands[0])))
            return false;
        help_show(command);
        return true;
    }
    struct text text = { 0 };
    if (options.manual)
        manual_write(&text);
    else if (options.completion)
        completion_write_bash(&text);
    else
        add_overview(&text);
    print(&text);
    return true;
}

const struct command command_help = {
    .name = "help",
    .summary = "list the commands or a command's flags, or describe file formats",
    .operands = "[COMMAND|" HELP_FORMATS "]",
    .max_operands = 1,
    .flags = { flags },
    .run = run,
};
