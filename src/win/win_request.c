/* SPDX-License-Identifier: Apache-2.0 */
#include "win/win_request.h"

#include <stdlib.h>

win_request *win_request_create(cor_win *win)
{
    win_request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    request->win = win;
    request->open = 1;
    request->request = cor_job_create(win->comm, request, free);
    if (!request->request) {
        free(request);
        return NULL;
    }
    cor_job_begin(request->request);
    return request;
}

void win_request_part_done(win_request *request, int error)
{
    if (request->error == COR_OK)
        request->error = error;
    if (--request->open > 0)
        return;
    cor_job_end(request->request, request->error, NULL);
    cor_device_wake(request->win->device);
}
