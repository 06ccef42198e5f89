// Writes a script for the shell's completion of command lines, from the table of commands and their flags.
#include <string.h>

#include "cli/help.h"

// Adds the words that may follow a flag or a command.
static void add_words(struct text *script, const char *separated)
{
    text_add(script, "words=\"");
    for (const char *c = separated; *c; c++)
        text_add(script, "%c", *c == '|' ? ' ' : *c);
    text_add(script, "\"");
}

static void add_problems(struct text *script)
{
    text_add(script, "words=\"");
    for (size_t i = 0; mdam_problem_name(i); i++)
        text_add(script, "%s%s", i ? " " : "", mdam_problem_name(i));
    text_add(script, "\"");
}

static void add_commands(struct text *script)
{
    text_add(script, "words=\"");
    for (const struct command *const *command = commands; *command; command++)
        text_add(script, "%s%s", command == commands ? "" : " ", (*command)->name);
    text_add(script, "\"");
}

// Adds the line of a `case` for the value of a flag.
static void add_value(struct text *script, const struct command *command, const struct flag *flag)
{
    if (flag->kind == FLAG_SWITCH)
        return;
    text_add(script, "    '%s %s'", command->name, flag->name);
    if (flag->alias)
        text_add(script, " | '%s %s'", command->name, flag->alias);
    bool file = (flag->kind == FLAG_TEXT || flag->kind == FLAG_OPTIONAL);
    text_add(script, ") %sfiles=%d ", flag->kind == FLAG_OPTIONAL ? "" : "flags= ", file);
    if (flag->kind == FLAG_CHOICE || flag->kind == FLAG_WORD)
        add_words(script, flag->value);
    else if (flag->kind == FLAG_PROBLEM)
        add_problems(script);
    text_add(script, ";;\n");
}

static void add_flags(struct text *script, const struct command *command)
{
    text_add(script, "    %s) flags=\"", command->name);
    for (struct flag_cursor c = flags_of(command->flags); flags_next(&c);)
        text_add(script, "%s%s%s ", c.flag.name, c.flag.alias ? " " : "", c.flag.alias ? c.flag.alias : "");
    text_add(script, "--help\" ");
    if (command == &command_help) {
        add_commands(script);
        text_add(script, " words+=\" " HELP_FORMATS "\"");
    } else {
        text_add(script, "files=%d", command->operands && !strstr(command->operands, "NAME"));
    }
    text_add(script, " ;;\n");
}

void completion_write_bash(struct text *script)
{
    text_add(script, "# bash completion for mdam-vk\n"
                     "_mdam_vk() {\n"
                     "    local word=${COMP_WORDS[COMP_CWORD]} flags= words= files=0\n"
                     "    COMPREPLY=()\n"
                     "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                     "        ");
    add_commands(script);
    text_add(script, " flags=\"--help --version\"\n"
                     "    else\n"
                     "    case ${COMP_WORDS[1]} in\n");
    for (const struct command *const *command = commands; *command; command++)
        add_flags(script, *command);
    text_add(script, "    esac\n"
                     "    case \"${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}\" in\n");
    for (const struct command *const *command = commands; *command; command++) {
        for (struct flag_cursor c = flags_of((*command)->flags); flags_next(&c);)
            add_value(script, *command, &c.flag);
    }
    text_add(script, "    esac\n"
                     "    fi\n"
                     "    case $word in\n"
                     "    -*) words=$flags files=0 ;;\n"
                     "    esac\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                     "    [ \"$files\" = 0 ] || compopt -o default 2>/dev/null\n"
                     "}\n"
                     "complete -F _mdam_vk mdam-vk\n");
}
