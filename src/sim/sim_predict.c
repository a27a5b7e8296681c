/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_predict.h"

/* Calls in a row that are simulated, and of how many transfers all ranks may have for it. */
enum { PREDICT_ROW_CALLS = 4, PREDICT_ROW_LEAST = 2, PREDICT_ROW_TRANSFERS = 4 << 20 };

int cor_sim_predict(const cor_sim_spec *cluster, const cor_sim_program *program, int is_row, const cor_sim_stop *stop,
                    cor_sim_result *result_p, cor_fault *fault)
{
    cor_sim_net net = cluster->net;
    int calls =
        program->transfer_starts[program->ranks] <= PREDICT_ROW_TRANSFERS ? PREDICT_ROW_CALLS : PREDICT_ROW_LEAST;
    cor_sim_options options = {
        .calls = is_row ? calls : 1, .stop = stop, .skew_us = cluster->skew_us, .seed = cluster->seed};
    net.ranks = program->ranks;
    return cor_sim_run(&net, program, &options, result_p, fault);
}
