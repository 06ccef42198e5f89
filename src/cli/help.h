// What the program says about itself, all from the table of commands and their flags.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

// What help and the manual say beside the commands: rows of a word and its meaning, ended by one without a word.
struct help_row {
    const char *word, *meaning;
};
extern const struct help_row help_statuses[], help_variables[];
extern const char help_purpose[];

// Longer texts: titles, paragraphs and lines to be shown as they are, ended by one without a text. Lines are broken for
// a terminal.
struct help_block {
    enum { HELP_TITLE, HELP_TEXT, HELP_CODE } kind;
    const char *text;
};
extern const struct help_block help_files[], help_examples[];
void help_prepare(void); // fills in what the files say about the problems; before the blocks are used
const char *help_next_line(const char *line); // NULL behind the last
#define HELP_FORMATS "formats"                // what help calls the first of them

void help_show(const struct command *command); // on standard output

void manual_write(struct text *text);          // mdam-vk(1) as roff
void completion_write_bash(struct text *text); // a script for bash

#endif
