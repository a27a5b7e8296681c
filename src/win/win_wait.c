/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting, and the sentences of failures. */
#include "win/win_state.h"

#include <stdarg.h>
#include <stdio.h>

int win_wait(cor_win *win, int target, int (*is_over)(const cor_win *win, int target))
{
    cor_idle_state idle = {0};
    cor_activity activity;
    uint32_t lost_seen = 0;
    int rc = COR_OK;
    if (is_over(win, target))
        return COR_OK;
    cor_comm_wait_begin(win->comm, &activity);
    while (!is_over(win, target)) {
        if (cor_device_is_closed(win->device)) {
            rc = COR_ERR_FINALIZED;
            break;
        }
        if (COR_UNLIKELY(cor_comm_lost_count(win->comm) != lost_seen)) {
            lost_seen = cor_comm_lost_count(win->comm);
            rc = cor_comm_find_lost(win->comm);
            if (rc != COR_OK)
                break;
        }
        cor_comm_progress(win->comm, target >= 0 ? win->targets[target].peer : -1, &idle);
    }
    cor_activity_end(win->comm->monitor, &activity);
    return rc;
}

int win_leave(cor_win *win, int rc)
{
    cor_comm_flush(win->comm);
    cor_comm_leave(win->comm);
    if (COR_UNLIKELY(rc == COR_ERR_PEER))
        cor_comm_name_loss(win->comm);
    return rc;
}

int win_fail(const cor_win *win, int code, const char *format, ...)
{
    char text[sizeof((cor_fault *)NULL)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cor_fault_set(cor_comm_fault_place(win->comm), code, "%s", text);
}
