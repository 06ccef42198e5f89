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

void help_show(const struct command *command); // on standard output

void manual_write(struct text *text);          // mdam-vk(1) as roff
void completion_write_bash(struct text *text); // a script for bash

#endif
