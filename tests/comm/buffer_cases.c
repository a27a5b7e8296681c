/* SPDX-License-Identifier: Apache-2.0 */
/* Buffered sends with a buffer for one communicator, an automatic one, and flushing. */
#include "comm_suite.h"

#include <stdlib.h>
#include <string.h>

/* A rank that receives nothing before it is told to. */
static void send_and_hold(const test *t, MPI_Comm comm, int count, int bytes, const char *content)
{
    int right = (t->rank + 1) % t->size;
    for (int i = 0; i < count; i++)
        CHECK_OK(MPI_Bsend(content, bytes, MPI_CHAR, right, i, comm));
}

static void receive_held(const test *t, MPI_Comm comm, int count, int bytes, const char *content)
{
    int left = (t->rank + t->size - 1) % t->size;
    char *got = malloc((size_t)bytes + 1);
    for (int i = count - 1; i >= 0; i--) {
        memset(got, 0, (size_t)bytes);
        CHECK_OK(MPI_Recv(got, bytes, MPI_CHAR, left, i, comm, MPI_STATUS_IGNORE));
        CHECK_EQUAL(0, memcmp(got, content, (size_t)bytes));
    }
    free(got);
}

enum { COUNT = 10, LARGE = 100000 };

static char *make_content(int bytes)
{
    char *content = malloc((size_t)bytes);
    for (int i = 0; i < bytes; i++)
        content[i] = (char)(i * 7 + i / 250);
    return content;
}

void case_buffer_of_one_comm(const test *t)
{
    char *content = make_content(LARGE), *memory;
    int bytes = COUNT * (LARGE + MPI_BSEND_OVERHEAD), size;
    void *detached;
    MPI_Comm other;
    char *room = malloc((size_t)bytes);
    CHECK_OK(MPI_Comm_dup(t->comm, &other));
    CHECK_OK(MPI_Comm_attach_buffer(other, room, bytes));
    CHECK_EQUAL(MPI_ERR_BUFFER, MPI_Comm_attach_buffer(other, room, bytes));
    /* Other communicators have nothing of it. */
    CHECK_EQUAL(MPI_ERR_BUFFER, MPI_Bsend(content, 1, MPI_CHAR, t->rank, 0, t->comm));
    for (int round = 0; round < 3; round++) {
        send_and_hold(t, other, COUNT, LARGE, content);
        receive_held(t, other, COUNT, LARGE, content);
        CHECK_OK(MPI_Comm_flush_buffer(other));
    }
    /* A request for the same. */
    MPI_Request request;
    send_and_hold(t, other, COUNT, LARGE, content);
    CHECK_OK(MPI_Comm_iflush_buffer(other, &request));
    receive_held(t, other, COUNT, LARGE, content);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    send_and_hold(t, other, COUNT, LARGE, content);
    receive_held(t, other, COUNT, LARGE, content);
    CHECK_OK(MPI_Comm_detach_buffer(other, &detached, &size));
    CHECK(detached == room && size == bytes);
    CHECK_EQUAL(MPI_ERR_BUFFER, MPI_Bsend(content, 1, MPI_CHAR, t->rank, 0, other));
    CHECK_OK(MPI_Comm_detach_buffer(t->comm, &memory, &size));
    CHECK(!memory && size == 0);
    /* Freeing the communicator gives the memory back too. */
    MPI_Count large_size = bytes;
    CHECK_OK(MPI_Comm_attach_buffer_c(other, room, large_size));
    send_and_hold(t, other, COUNT, LARGE, content);
    receive_held(t, other, COUNT, LARGE, content);
    CHECK_OK(MPI_Comm_free(&other));
    memset(room, 0x5a, (size_t)bytes);
    free(room);
    free(content);
}

void case_buffer_automatic(const test *t)
{
    char *content = make_content(LARGE);
    void *detached;
    int size = -1;
    MPI_Count large_size;
    MPI_Comm other;
    MPI_Request request;
    CHECK_OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    for (int round = 0; round < 3; round++) {
        send_and_hold(t, t->comm, COUNT, LARGE, content);
        receive_held(t, t->comm, COUNT, LARGE, content);
        CHECK_OK(MPI_Buffer_flush());
    }
    send_and_hold(t, t->comm, COUNT, LARGE, content);
    CHECK_OK(MPI_Buffer_iflush(&request));
    receive_held(t, t->comm, COUNT, LARGE, content);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Buffer_detach(&detached, &size));
    CHECK(detached == MPI_BUFFER_AUTOMATIC && size == 0);
    CHECK_OK(MPI_Comm_dup(t->comm, &other));
    CHECK_OK(MPI_Comm_attach_buffer_c(other, MPI_BUFFER_AUTOMATIC, 0));
    send_and_hold(t, other, COUNT, LARGE, content);
    receive_held(t, other, COUNT, LARGE, content);
    CHECK_OK(MPI_Comm_iflush_buffer(t->comm, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_detach_buffer_c(other, &detached, &large_size));
    CHECK(detached == MPI_BUFFER_AUTOMATIC && large_size == 0);
    CHECK_OK(MPI_Comm_free(&other));
    free(content);
}
