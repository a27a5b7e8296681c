/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a program on a cluster: of one call, and of calls in a row. */
#ifndef COR_SIM_PREDICT_H
#define COR_SIM_PREDICT_H

#include "sim/sim_run.h"
#include "sim/sim_spec.h"

typedef struct cor_sim_prediction {
    double apart_us; /* of a call that all ranks begin at once */
    double row_us;   /* of one of several calls in a row, if requested */
    uint64_t events;
    size_t memory_bytes; /* of all ranks, the program included */
} cor_sim_prediction;

/* The ranks are the program's, on the cluster's nodes. `stop` may be NULL. Results are cor_sim_run's. */
int cor_sim_predict(const cor_sim_spec *cluster, const cor_sim_program *program, int is_row, const cor_sim_stop *stop,
                    cor_sim_prediction *prediction_p, cor_fault *fault);

#endif
