/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user may write behind --sim, and what a rank may find in sim.net: any text. A network that is understood can
 * be written and is read again; its links give times that are numbers.
 *
 * FUZZ_SOURCES: src/xxdev/sim/sim_net.c src/xxdev/sim/sim_net_text.c src/sim/sim_spec.c
 * FUZZ_SOURCES: src/base/knob.c src/base/knob_map.c src/base/knob_name.c src/base/log.c
 * FUZZ_SOURCES: src/base/error.c
 */
#include "sim/sim_link.h"
#include "sim/sim_spec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Files are not read here. */
int cor_sim_link_load(const char *name, cor_sim_link *link_p, cor_fault *fault)
{
    if (strlen(name) % 7 == 4)
        return cor_fault_set(fault, COR_ERR_ARG, "no such file");
    *link_p = (cor_sim_link){.piece_count = 1, .pieces = {{0, 1, 0.5, 1e-4}}, .eager_max = 1000};
    return COR_OK;
}

static void fuzz_net(const cor_sim_net *net)
{
    char text[COR_SIM_NET_TEXT];
    cor_sim_net again;
    cor_fault fault = {0};
    cor_sim_net_print(net, text);
    /* Numbers of any length may not fit; then it ends early, and is refused. */
    if (cor_sim_net_parse(text, &again, &fault) == COR_OK && again.node_ranks != net->node_ranks)
        abort();
    for (long bytes = 0; bytes < 1000000000; bytes = bytes * 10 + 1) {
        cor_sim_cost cost;
        cor_sim_cost_of(&net->between, (double)bytes, 0, &cost);
        if (!(cost.latency >= 0 && cost.occupancy >= 0 && cost.announced >= 0 && cost.lead >= 0 &&
              cost.asking <= cost.overhead))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    cor_sim_spec spec;
    cor_sim_net net;
    cor_fault fault = {0};
    char *text = calloc(size + 1, 1);
    if (!text)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    if (cor_sim_spec_parse(text, &spec, &fault) == COR_OK)
        fuzz_net(&spec.net);
    else if (!*fault.text)
        abort();
    if (cor_sim_net_parse(text, &net, &fault) == COR_OK)
        fuzz_net(&net);
    free(text);
    return 0;
}
