/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The papers' metrics, derived from a model.
 *
 * The papers' message of a collective is everything that one rank has to send, or to receive; where a measured size is
 * that of one block of p, it is p blocks. f(p) is the number of bytes that all ranks together transfer for each byte of
 * the message.
 */
#ifndef COR_MODEL_METRICS_H
#define COR_MODEL_METRICS_H

#include "model/model.h"

typedef struct cor_model_primitive {
    const char *name;
    int has_blocks;                  /* the size is that of one block of p */
    double (*traffic)(double ranks); /* f(p) */
} cor_model_primitive;

/* The collective of this name, or NULL: the test is between two ranks, or between pairs of them. */
const cor_model_primitive *cor_model_primitive_find(const char *test);

/* Bytes of the papers' message for one byte of a measured size: 1 or p. */
double cor_model_message(const cor_model_primitive *primitive, int ranks);

typedef struct cor_model_metrics {
    double bandwidth;        /* 1/tb, bytes a microsecond, which is MB/s; infinite where tb is 0 */
    double half_power_bytes; /* the size at which half of it is reached */
    double specific;         /* 1/t0, of messages a microsecond */
} cor_model_metrics;

/* Of the papers' form; sizes are measured sizes. */
cor_model_metrics cor_model_measure(const cor_model_fit *papers, int ranks);

/* The largest f(p)/tb(p), in MB/s, and f(p)/t0(p), in 1/us, of these numbers of ranks, and where they are. */
typedef struct cor_model_peaks {
    double bandwidth, specific;
    int bandwidth_ranks, specific_ranks;
} cor_model_peaks;

/* `ranks`: those that were measured, as in the papers. */
cor_model_peaks cor_model_measure_peaks(const cor_model_fit *papers, const cor_model_primitive *primitive,
                                        const int *ranks, int rank_count);

#endif
