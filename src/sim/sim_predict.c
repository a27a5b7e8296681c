/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_predict.h"

/* Calls in a row that are simulated, and of how many transfers all ranks may have for it. */
enum { PREDICT_ROW_CALLS = 4, PREDICT_ROW_LEAST = 2, PREDICT_ROW_TRANSFERS = 4 << 20 };

/* What calls in a row take more than one alone: ranks run ahead, so the end of a single one of them tells little. */
int cor_sim_predict(const cor_sim_spec *cluster, const cor_sim_program *program, int is_row, const cor_sim_stop *stop,
                    cor_sim_prediction *prediction_p, cor_fault *fault)
{
    cor_sim_net net = cluster->net;
    cor_sim_options options = {.calls = 1, .stop = stop, .skew_us = cluster->skew_us, .seed = cluster->seed};
    cor_sim_result alone, row = {0};
    net.ranks = program->ranks;
    int rc = cor_sim_run(&net, program, &options, &alone, fault);
    if (rc != COR_OK)
        return rc;
    *prediction_p =
        (cor_sim_prediction){.apart_us = alone.us, .events = alone.events, .memory_bytes = alone.memory_bytes};
    if (!is_row)
        return COR_OK;
    size_t transfers = program->transfer_starts[program->ranks];
    options.calls = transfers <= PREDICT_ROW_TRANSFERS ? PREDICT_ROW_CALLS : PREDICT_ROW_LEAST;
    rc = cor_sim_run(&net, program, &options, &row, fault);
    prediction_p->row_us = (row.us - alone.us) / (options.calls - 1);
    prediction_p->events += row.events;
    prediction_p->memory_bytes = row.memory_bytes;
    return rc;
}
