#include "program.h"

#include <munit.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/alloc.h"

enum { ARGUMENTS = 32 };

static char *read_back(FILE *file)
{
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    char *text = xcalloc(size + 1, 1);
    rewind(file);
    if (fread(text, 1, size, file) != size)
        munit_error("the program's output cannot be read back");
    fclose(file);
    return text;
}

void program_run(struct output *output, ...)
{
    char *argv[ARGUMENTS] = { MDAM_VK_PROGRAM };
    va_list args;
    va_start(args, output);
    for (int i = 1; i < ARGUMENTS - 1 && (argv[i] = va_arg(args, char *)); i++)
        ;
    va_end(args);
    FILE *out = tmpfile(), *err = tmpfile();
    if (!out || !err)
        munit_error("no temporary file");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        execv(argv[0], argv);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        munit_error("the program cannot be started");
    *output = (struct output){ .out = read_back(out), .err = read_back(err) };
    if (!WIFEXITED(status))
        munit_errorf("ended by signal %d: %s", WTERMSIG(status), output->err);
    output->status = WEXITSTATUS(status);
}

void output_finish(struct output *output)
{
    free(output->out);
    free(output->err);
    *output = (struct output){ 0 };
}
