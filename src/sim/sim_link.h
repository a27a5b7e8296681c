/* SPDX-License-Identifier: Apache-2.0 */
/* A link from a model: of a file that `corunna model fit` wrote, or one that is built in. */
#ifndef COR_SIM_LINK_H
#define COR_SIM_LINK_H

#include "xxdev/sim/sim_net.h"

/*
 * `name`: fabric, tcp, memory, or a path. From a file it takes the best fit of the curve of the ping-pong in C (of
 * bytes if there are several). The eager limit is the size where a piece of that fit begins with the largest step
 * upwards, which is where a protocol changes, or 16 KiB if it has none. If the file also has a curve of the exchange,
 * C(n) is a quarter of it: two ranks that exchange with both neighbours, which are the same rank, send and receive two
 * messages each. Without it C(n) is 0.
 *
 * COR_ERR_ARG, COR_ERR_SYSTEM, COR_ERR_MEMORY, with a sentence.
 */
int cor_sim_link_load(const char *name, cor_sim_link *link_p, cor_fault *fault);

#endif
