/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to send, as one function with the mode as an argument. */
#include "suite.h"

typedef int (*blocking_fn)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*request_fn)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

typedef struct mode_row {
    const char *name;
    blocking_fn blocking; /* one of the three */
    request_fn nonblocking;
    request_fn persistent;
    int is_buffered, is_ready;
} mode_row;

static const mode_row modes[MODE_COUNT] = {
    [MODE_SEND] = {.name = "Send", .blocking = MPI_Send},
    [MODE_SSEND] = {.name = "Ssend", .blocking = MPI_Ssend},
    [MODE_BSEND] = {.name = "Bsend", .blocking = MPI_Bsend, .is_buffered = 1},
    [MODE_RSEND] = {.name = "Rsend", .blocking = MPI_Rsend, .is_ready = 1},
    [MODE_ISEND] = {.name = "Isend", .nonblocking = MPI_Isend},
    [MODE_ISSEND] = {.name = "Issend", .nonblocking = MPI_Issend},
    [MODE_IBSEND] = {.name = "Ibsend", .nonblocking = MPI_Ibsend, .is_buffered = 1},
    [MODE_IRSEND] = {.name = "Irsend", .nonblocking = MPI_Irsend, .is_ready = 1},
    [MODE_SEND_INIT] = {.name = "Send_init", .persistent = MPI_Send_init},
    [MODE_SSEND_INIT] = {.name = "Ssend_init", .persistent = MPI_Ssend_init},
    [MODE_BSEND_INIT] = {.name = "Bsend_init", .persistent = MPI_Bsend_init, .is_buffered = 1},
    [MODE_RSEND_INIT] = {.name = "Rsend_init", .persistent = MPI_Rsend_init, .is_ready = 1},
};

const char *suite_mode_name(suite_mode mode)
{
    return modes[mode].name;
}

int suite_mode_is_buffered(suite_mode mode)
{
    return modes[mode].is_buffered;
}

int suite_mode_is_ready(suite_mode mode)
{
    return modes[mode].is_ready;
}

void suite_send(const suite *s, suite_mode mode, const void *buffer, size_t bytes, int dest, int tag)
{
    const mode_row *row = &modes[mode];
    MPI_Request request = MPI_REQUEST_NULL;
    int count = (int)bytes, code;
    if (row->blocking) {
        code = row->blocking(buffer, count, MPI_BYTE, dest, tag, s->comm);
        if (code != MPI_SUCCESS)
            CHECK_FAIL("MPI_%s of %d bytes to %d with tag %d: error %d", row->name, count, dest, tag, code);
        return;
    }
    request_fn start = row->nonblocking ? row->nonblocking : row->persistent;
    code = start(buffer, count, MPI_BYTE, dest, tag, s->comm, &request);
    if (code != MPI_SUCCESS)
        CHECK_FAIL("MPI_%s of %d bytes to %d with tag %d: error %d", row->name, count, dest, tag, code);
    if (row->persistent)
        CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (row->persistent)
        CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
}
