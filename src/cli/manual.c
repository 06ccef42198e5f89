// Writes the manual page mdam-vk(1) from the tables of --help.
#include <string.h>

#include "cli/common.h"
#include "cli/help.h"

// Adds text as roff: copyable minus signs, escaped backslashes, and no line that begins a request.
static void add_text(struct text *roff, const char *plain)
{
    if (*plain == '.' || *plain == '\'')
        text_add(roff, "\\&");
    for (; *plain; plain++) {
        if (*plain == '-')
            text_add(roff, "\\-");
        else if (*plain == '\\')
            text_add(roff, "\\e");
        else
            text_add(roff, "%c", *plain);
    }
}

// Adds a macro line from plain text.
static void add_line(struct text *roff, const char *macro, struct text *plain)
{
    text_add(roff, "%s", macro);
    add_text(roff, plain->data);
    text_add(roff, "\n");
    text_finish(plain);
}

static void add_flags(struct text *roff, const struct flag *flags)
{
    for (struct flag_cursor c = flags_of((const struct flag *const[]){ flags, NULL }); flags_next(&c);) {
        struct text left = { 0 }, right = { 0 };
        flags_signature(&c.flag, &left);
        flags_meaning(&c.flag, &right);
        add_line(roff, ".TP\n", &left);
        add_line(roff, "", &right);
    }
}

static void add_command(struct text *roff, const struct command *command)
{
    struct text usage = { 0 };
    flags_usage(command, &usage);
    text_add(roff, ".SS %s\n", command->name);
    add_line(roff, ".B ", &usage);
    text_add(roff, ".PP\n");
    add_text(roff, command->summary);
    text_add(roff, "\n");
    for (const struct flag *const *table = command->flags; *table; table++) {
        if (*table != common_flags && *table != host_flags)
            add_flags(roff, *table);
    }
}

static void add_rows(struct text *roff, const char *title, const struct help_row *rows)
{
    text_add(roff, ".SH %s\n", title);
    for (const struct help_row *row = rows; row->word; row++) {
        text_add(roff, ".TP\n.B %s\n", row->word);
        add_text(roff, row->meaning);
        text_add(roff, "\n");
    }
}

static void add_blocks(struct text *roff, const char *title, const struct help_block *blocks)
{
    static const char *const begin[] = { ".SS ", ".PP\n", ".PP\n.RS 4\n.nf\n" };
    static const char *const end[] = { "", "", ".fi\n.RE\n" };
    text_add(roff, ".SH %s\n.ad l\n.nh\n", title); // no hyphenation of keys
    for (const struct help_block *block = blocks; block->text; block++) {
        text_add(roff, "%s", begin[block->kind]);
        for (const char *line = block->text; line; line = help_next_line(line)) {
            struct text plain = { 0 };
            text_add(&plain, "%.*s", (int)strcspn(line, "\n"), line);
            add_line(roff, "", &plain);
        }
        text_add(roff, "%s", end[block->kind]);
    }
}

void manual_write(struct text *roff)
{
    text_add(roff, ".TH MDAM\\-VK 1 \"\" \"mdam-vk " MDAM_VERSION "\" \"User Commands\"\n"
                   ".SH NAME\nmdam\\-vk \\- learned routing through Vulkan\n"
                   ".SH SYNOPSIS\n.B mdam\\-vk\nCOMMAND [flags] ...\n.br\n.B mdam\\-vk \\-\\-version\n"
                   ".SH DESCRIPTION\n");
    add_text(roff, help_purpose);
    text_add(roff, "\nStandard output has only the result. "
                   "Brackets after a flag's meaning show its default.\n.SH COMMANDS\n");
    for (const struct command *const *command = commands; *command; command++)
        add_command(roff, *command);
    text_add(roff, ".SH COMMON FLAGS\nAll commands but help accept these flags; commands that use no device accept "
                   "only the last two.\n");
    add_flags(roff, common_flags);
    add_rows(roff, "EXIT STATUS", help_statuses);
    add_rows(roff, "ENVIRONMENT", help_variables);
    help_prepare();
    add_blocks(roff, "FILES", help_files);
    add_blocks(roff, "EXAMPLES", help_examples);
}
