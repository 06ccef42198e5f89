#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen;

static void note(int signal_number)
{
    (void)signal_number;
    seen = 1;
}

void interrupt_watch(void)
{
    sigaction(SIGINT, &(struct sigaction){ .sa_handler = note, .sa_flags = (int)SA_RESETHAND }, NULL);
}

bool interrupt_seen(void)
{
    return seen;
}
