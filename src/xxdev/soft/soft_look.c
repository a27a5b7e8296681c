/*
 * Looking whether peers still live, for wires that are not told when one dies.
 *
 * Whoever waits looks; nobody else does, so a rank that computes costs and notices nothing. A look is made from
 * progress() when nothing has come for a while: after SOFT_PATIENCE fruitless polls, where a rank spins or the program
 * itself asks again and again (MPI_Test), and after every turn of yielding or sleeping. It then costs a look at the
 * clock, and what the wires do at most every SOFT_LOOK_NS.
 */
#include "base/clock.h"
#include "xxdev/soft/soft_state.h"

enum {
    SOFT_PATIENCE = 1024,
    SOFT_LOOK_NS = 200 * 1000 * 1000,
    SOFT_LOOK_SHARE = 100, /* of the time may be spent on looks one part, where there are very many peers */
};

void soft_look_later(cor_soft *soft)
{
    soft->patience = SOFT_PATIENCE;
    soft->next_look_ns = cor_clock_ns() + SOFT_LOOK_NS;
}

int soft_look(cor_soft *soft)
{
    uint64_t now = cor_clock_ns();
    int events = 0;
    soft->patience = SOFT_PATIENCE;
    if (now < soft->next_look_ns)
        return 0;
    for (int i = 0; i < soft->wire_count; i++)
        if (soft->wires[i]->ops->look)
            events += soft->wires[i]->ops->look(soft->wires[i]);
    uint64_t end = cor_clock_ns(), pause = (end - now) * SOFT_LOOK_SHARE;
    soft->next_look_ns = end + (pause > SOFT_LOOK_NS ? pause : SOFT_LOOK_NS);
    return events;
}

const cor_fault *soft_lost_why(cor_device *device, int rank, uint32_t *order_p)
{
    const soft_peer *peer = &soft_of(device)->peers[rank];
    *order_p = peer->loss;
    return peer->lost;
}
