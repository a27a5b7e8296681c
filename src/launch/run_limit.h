/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many ranks fit the limits of this host: those of the user (ulimit), of the control group, of the kernel, and
 * memory.
 */
#ifndef COR_RUN_LIMIT_H
#define COR_RUN_LIMIT_H

#include "base/error.h"
#include "launch/run_hint.h"

enum { RUN_LIMIT_DOUBT_MAX = 400 };

/* Is there room for `count` more ranks, for each of which this process opens `files_each` descriptors, and
 * `files_beside` for something else? COR_ERR_SYSTEM: certainly not, even if nothing else runs; the fault names the
 * tightest limit. Else `doubt` is "", or a sentence about a limit that may be exceeded: because of other processes, or
 * because this process cannot read the limit exactly (namespaces, memory). Needs of programs beyond the start itself
 * are never counted. */
int cor_run_limit_check(int count, int files_each, int files_beside, char doubt[RUN_LIMIT_DOUBT_MAX],
                        cor_fault *fault);

/* What to append to the message that a rank cannot be started because of `error`, an errno: the limit that was reached,
 * "" for none. */
void cor_run_limit_hint(int error, char out[RUN_HINT_MAX]);

#endif
