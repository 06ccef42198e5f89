// Help, manual and completion, all made from the table of commands and their flags.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

// Tables beside the commands in help and manual: rows of a word and its meaning, ended by one without a word.
struct help_row {
    const char *word, *meaning;
};
extern const struct help_row help_statuses[], help_variables[];
extern const char help_purpose[];

// Longer texts: titles, paragraphs and literal lines, broken for a terminal; ended by one without a text.
struct help_block {
    enum { HELP_TITLE, HELP_TEXT, HELP_CODE } kind;
    const char *text;
};
extern const struct help_block help_files[], help_examples[];
void help_prepare(void);                      // inserts the problems' keys; call it before using the blocks
const char *help_next_line(const char *line); // NULL after the last one
#define HELP_FORMATS "formats"                // name of the first one in help

void help_show(const struct command *command); // on standard output

void manual_write(struct text *text);          // mdam-vk(1) as roff
void completion_write_bash(struct text *text); // a script for bash

#endif
