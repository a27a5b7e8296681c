/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combining pieces of payloads: plain memory directly; any other payload mapped, or through copies of some KiB.
 *
 * Everything here is called with the rank's lock held.
 */
#ifndef COR_COLL_COMBINE_H
#define COR_COLL_COMBINE_H

#include "dtype/op.h"
#include "dtype/payload.h"

/* Memory for copies of operands, kept for the next time. All zero: none yet. */
typedef struct cor_bounce {
    char *memory;
    size_t bytes;
} cor_bounce;

/* operands[2] = operands[0] op operands[1], of which each has at least `bytes`, whole elements. COR_ERR_MEMORY, or the
 * error of a user's operator. */
int cor_combine(const cor_reducer *reducer, const cor_payload operands[3], size_t bytes, cor_bounce *bounce);
void cor_bounce_fini(cor_bounce *bounce);

#endif
