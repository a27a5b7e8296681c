/* SPDX-License-Identifier: Apache-2.0 */
/* The norms of SP, BT and LU at their end, and what they should be. */
#ifndef FLOW_CHECK_H
#define FLOW_CHECK_H

#include "flow_box.h"

enum { FLOW_NORMS = 10 };

/* Norms of all ranks' boxes: five of the error, then five of the right-hand side by the time step. */
void flow_check_norms(const flow_box *boxes, int count, double norms[FLOW_NORMS]);
/* References: five of the residual, then five of the error. */
int flow_check_matches(const npb_job *job, const double norms[FLOW_NORMS], const double references[FLOW_NORMS]);

#endif
