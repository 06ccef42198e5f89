#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/common.h"
#include "util/file.h"

static volatile sig_atomic_t watched, seen;

static void end(int signal_number)
{
    (void)signal_number;
    file_remove_temporaries();
    _exit(STATUS_INTERRUPTED);
}

// Finishing may take a while, and nobody should think that the key did nothing.
static void note(int signal_number)
{
    static const char said[] = "mdam-vk: interrupted; what is under way is finished, another Ctrl-C ends at once\n";
    if (!watched || (seen && signal_number == SIGINT))
        end(signal_number);
    if (seen) // SIGTERM comes twice from timeout(1), and is no wish for more haste
        return;
    seen = 1;
    if (!common.quiet && write(STDERR_FILENO, said, sizeof said - 1) < 0)
        return; // nobody listens
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
