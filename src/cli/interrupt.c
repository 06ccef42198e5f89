#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "cli/common.h"
#include "util/file.h"
#include "util/ranks.h"

static volatile sig_atomic_t watched, seen;
static struct timespec when; // time of the first signal

static void end(int signal_number)
{
    (void)signal_number;
    file_remove_temporaries();
    _exit(STATUS_INTERRUPTED);
}

// timeout(1) and others send SIGTERM to a program and also to its group; both count as one.
static bool is_echo(int signal_number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since = (double)(now.tv_sec - when.tv_sec) + 1e-9 * (double)(now.tv_nsec - when.tv_nsec);
    return signal_number == SIGTERM && since < 0.3;
}

// Finishing may take a while, so the user gets an answer at once.
static void note(int signal_number)
{
    static const char message[] = "mdam-vk: interrupted; writing the results so far, another Ctrl-C ends at once\n";
    if (!watched || (seen && !is_echo(signal_number)))
        end(signal_number);
    if (seen)
        return;
    clock_gettime(CLOCK_MONOTONIC, &when);
    seen = 1;
    if (ranks_count() == 1 && !common.quiet && write(STDERR_FILENO, message, sizeof message - 1) < 0)
        return; // there is no reader
}

static void handle(int signal_number, bool ignored_too)
{
    struct sigaction before, action = { .sa_handler = note, .sa_flags = SA_RESTART };
    sigaction(signal_number, NULL, &before);
    if (before.sa_handler != SIG_IGN || ignored_too)
        sigaction(signal_number, &action, NULL);
}

void interrupt_begin(void)
{
    handle(SIGINT, false);
    handle(SIGTERM, false);
}

void interrupt_watch(void)
{
    watched = 1;
    handle(SIGINT, true);
}

bool interrupt_seen(void)
{
    return seen;
}
