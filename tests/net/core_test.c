/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core of fast sockets, without a preload: two processes and a TCP connection.
 *
 *   core_test            all cases
 *   core_test CASE       one of them
 *
 * Random streams in both directions at once, by pieces of random sizes, checked byte by byte; a side that dies at a
 * random moment; a plain peer; half-close; forks; the way back to TCP; segments that are not what they should be.
 */
#include "core.h"

#include "unit/unit_random.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct core_case {
    const char *name;
    void (*run)(void);
} core_cases[] = {
    {"prefix", core_prefix},
    {"switches", core_switches},
    {"streams", core_streams},
    {"kills", core_kills},
    {"ends", core_ends},
    {"gap", core_gap},
    {"half_close", core_half_close},
    {"full", core_full},
    {"ahead", core_ahead},
    {"turns", core_turns},
    {"futex", core_futex},
    {"futex_ends", core_futex_ends},
    {"forks", core_forks},
    {"zombies", core_zombies},
    {"sleepers", core_sleepers},
    {"time_out", core_time_out},
    {"places", core_places},
    {"withdraws", core_withdraws},
    {"withdraws_offer", core_withdraws_offer},
    {"withdraws_alone", core_withdraws_alone},
    {"withdraws_in_one_read", core_withdraws_in_one_read},
    {"withdraws_beside", core_withdraws_beside},
    {"withdraws_both", core_withdraws_both},
    {"withdraws_far", core_withdraws_far},
    {"withdraws_each", core_withdraws_each},
    {"names", core_names},
    {"stale", core_stale},
    {"lock_of_others", core_lock_of_others},
    {"lock_of_dead", core_lock_of_dead},
    {"lock_spaces", core_lock_spaces},
    {"offers", core_offers},
    {"cancel_later", core_cancel_later},
    {"withdraws_before_sleep", core_withdraws_before_sleep},
    {"young", core_young},
    {"young_unseen", core_young_unseen},
    {"young_forked", core_young_forked},
    {"young_untaken", core_young_untaken},
    {"young_streams", core_young_streams},
    {"strangers", core_strangers},
    {"owners", core_owners},
    {"in_the_way", core_in_the_way},
    {"nonsense", core_nonsense},
    {"beyond", core_beyond},
    {"no_memory", core_no_memory},
    {"maps", core_maps},
    {"strict", core_strict},
    {"limits", core_limits},
};

int main(int argc, char **argv)
{
    core_seed = unit_seed();
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof core_cases / sizeof *core_cases; i++)
        if (argc < 2 || strcmp(argv[1], core_cases[i].name) == 0) {
            printf("%s\n", core_cases[i].name);
            fflush(stdout);
            core_cases[i].run();
        }
    return 0;
}
