#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/common.h"

static volatile sig_atomic_t seen;

// Finishing may take a while, and nobody should think that the key did nothing.
static void note(int signal_number)
{
    static const char said[] = "mdam-vk: interrupted; what is under way is finished, another Ctrl-C ends at once\n";
    (void)signal_number;
    seen = 1;
    if (!common.quiet && write(STDERR_FILENO, said, sizeof said - 1) < 0)
        return; // nobody listens
}

void interrupt_watch(void)
{
    sigaction(SIGINT, &(struct sigaction){ .sa_handler = note, .sa_flags = (int)SA_RESETHAND }, NULL);
}

bool interrupt_seen(void)
{
    return seen;
}
