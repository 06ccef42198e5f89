#include "program.h"

#include <fcntl.h>
#include <munit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/alloc.h"

enum { ARGUMENTS = 64 };

static int temporary(void)
{
    FILE *file = tmpfile();
    int copy = file ? dup(fileno(file)) : -1;
    if (copy < 0)
        munit_error("no temporary file");
    fclose(file);
    return copy;
}

static char *read_back(int file)
{
    size_t size = (size_t)lseek(file, 0, SEEK_END);
    char *text = xcalloc(size + 1, 1);
    if (pread(file, text, size, 0) != (ssize_t)size)
        munit_error("the program's output cannot be read back");
    close(file);
    return text;
}

static void start(struct program *program, const char *input, const char *first, va_list args)
{
    char *argv[ARGUMENTS] = { MDAM_VK_PROGRAM, (char *)first };
    for (int i = 2; first && i < ARGUMENTS - 1 && (argv[i] = va_arg(args, char *)); i++)
        ;
    *program = (struct program){ .out = temporary(), .err = temporary() };
    fflush(NULL);
    program->child = fork();
    if (program->child < 0)
        munit_error("the program cannot be started");
    if (program->child == 0) {
        dup2(open(input ? input : "/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(program->out, STDOUT_FILENO);
        dup2(program->err, STDERR_FILENO);
        execv(argv[0], argv);
        _exit(127);
    }
}

void program_wait(struct program *program, struct output *output)
{
    int status = 0;
    if (waitpid(program->child, &status, 0) != program->child)
        munit_error("the program cannot be waited for");
    *output = (struct output){ .out = read_back(program->out), .err = read_back(program->err) };
    if (!WIFEXITED(status))
        munit_errorf("ended by signal %d: %s", WTERMSIG(status), output->err);
    output->status = WEXITSTATUS(status);
}

bool program_kill(struct program *program)
{
    int status = 0;
    kill(program->child, SIGKILL);
    if (waitpid(program->child, &status, 0) != program->child)
        munit_error("the program cannot be waited for");
    char *printed = read_back(program->err);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        munit_errorf("exit code %d: %s", WEXITSTATUS(status), printed);
    free(printed);
    close(program->out);
    return WIFSIGNALED(status);
}

void program_start(struct program *program, ...)
{
    va_list args;
    va_start(args, program);
    const char *first = va_arg(args, const char *);
    start(program, NULL, first, args);
    va_end(args);
}

void program_run_list(struct output *output, const char *first, va_list args)
{
    struct program program;
    start(&program, NULL, first, args);
    program_wait(&program, output);
}

void program_run(struct output *output, ...)
{
    va_list args;
    va_start(args, output);
    const char *first = va_arg(args, const char *);
    program_run_list(output, first, args);
    va_end(args);
}

void program_run_input(struct output *output, const char *input, ...)
{
    struct program program;
    va_list args;
    va_start(args, input);
    const char *first = va_arg(args, const char *);
    start(&program, input, first, args);
    va_end(args);
    program_wait(&program, output);
}

void output_finish(struct output *output)
{
    free(output->out);
    free(output->err);
    *output = (struct output){ 0 };
}
