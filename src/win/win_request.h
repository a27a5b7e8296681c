/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request of an operation, which is done when all its packets are. All under the rank's lock.
 */
#ifndef COR_WIN_REQUEST_H
#define COR_WIN_REQUEST_H

#include "win/win_state.h"

typedef struct win_request {
    cor_win *win;
    cor_request *request;
    uint32_t open; /* packets under way, and one while the operation is being started */
    int error;
} win_request;

/* With one part open. NULL: no memory. The cor_request owns it. */
win_request *win_request_create(cor_win *win);
/* A part is done. */
void win_request_part_done(win_request *request, int error);

#endif
