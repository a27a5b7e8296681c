/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent requests: made once, started many times. */
#include "suite.h"

#include <stdlib.h>

/* Every mode, again and again with new contents. */
void case_persistent_again(suite *s)
{
    static const suite_mode rota[] = {MODE_SEND_INIT, MODE_SSEND_INIT, MODE_BSEND_INIT, MODE_RSEND_INIT};
    static int (*const make[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                               MPI_Request *) = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
    enum { ROUNDS = 25 };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    size_t bytes_of[] = {8, 3000, s->size > 16 ? 20000 : 300000};
    size_t room = bytes_of[2] + MPI_BSEND_OVERHEAD;
    void *attached = malloc(room), *detached;
    int detached_bytes;
    CHECK_OK(MPI_Buffer_attach(attached, (int)room));
    for (int mode = 0; mode < 4; mode++)
        for (int i = 0; i < 3; i++) {
            size_t bytes = bytes_of[i];
            char *out = suite_alloc(bytes), *in = suite_alloc(bytes);
            MPI_Request send, receive;
            MPI_Status status;
            CHECK_OK(make[mode](out, (int)bytes, MPI_BYTE, dest, mode, s->comm, &send));
            CHECK_OK(
                MPI_Recv_init(in, (int)bytes, MPI_BYTE, i % 2 ? source : MPI_ANY_SOURCE, mode, s->comm, &receive));
            for (int round = 0; round < ROUNDS; round++) {
                suite_fill(out, bytes, suite_key(s, (uint64_t)s->rank, (uint64_t)mode, (uint64_t)round, 0));
                CHECK_OK(MPI_Start(&receive));
                if (suite_mode_is_ready(rota[mode]))
                    suite_meet(s);
                CHECK_OK(MPI_Start(&send));
                CHECK_OK(MPI_Wait(&receive, &status));
                CHECK(receive != MPI_REQUEST_NULL);
                CHECK_STATUS(&status, source, mode, bytes);
                CHECK_BYTES(in, bytes, suite_key(s, (uint64_t)source, (uint64_t)mode, (uint64_t)round, 0));
                CHECK_OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
                CHECK(send != MPI_REQUEST_NULL);
                if (suite_mode_is_buffered(rota[mode])) { /* detaching waits until there is room again */
                    CHECK_OK(MPI_Buffer_detach(&detached, &detached_bytes));
                    CHECK_OK(MPI_Buffer_attach(attached, (int)room));
                }
            }
            CHECK_OK(MPI_Request_free(&send));
            CHECK_OK(MPI_Request_free(&receive));
            suite_free(out);
            suite_free(in);
        }
    CHECK_OK(MPI_Buffer_detach(&detached, &detached_bytes));
    free(attached);
}

/* Sends and receives of several neighbours in one array. */
void case_persistent_startall(suite *s)
{
    enum { NEIGHBOURS = 4, ROUNDS = 50 };
    MPI_Request requests[2 * NEIGHBOURS];
    int in[NEIGHBOURS], out[NEIGHBOURS];
    for (int i = 0; i < NEIGHBOURS; i++) {
        int dest = (s->rank + i) % s->size, source = (s->rank - i % s->size + s->size) % s->size;
        CHECK_OK(MPI_Recv_init(&in[i], 1, MPI_INT, source, i, s->comm, &requests[i]));
        CHECK_OK(MPI_Send_init(&out[i], 1, MPI_INT, dest, i, s->comm, &requests[NEIGHBOURS + i]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < NEIGHBOURS; i++) {
            out[i] = round * 10000 + s->rank * 10 + i;
            in[i] = -1;
        }
        CHECK_OK(MPI_Startall(2 * NEIGHBOURS, requests));
        CHECK_OK(MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < NEIGHBOURS; i++)
            CHECK_EQUAL(round * 10000 + (s->rank - i % s->size + s->size) % s->size * 10 + i, in[i]);
    }
    for (int i = 0; i < 2 * NEIGHBOURS; i++)
        CHECK_OK(MPI_Request_free(&requests[i]));
}

/* An inactive request counts as complete and yields the empty status; a cancelled one may be started again. */
void case_persistent_inactive(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    int in = -1, flag = -1, index = -1, is_cancelled = -1;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Recv_init(&in, 1, MPI_INT, source, 1, s->comm, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_STATUS(&status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    CHECK_OK(MPI_Test(&request, &flag, &status));
    CHECK_EQUAL(1, flag);
    CHECK_OK(MPI_Waitany(1, &request, &index, &status));
    CHECK_EQUAL(MPI_UNDEFINED, index);
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &is_cancelled));
    CHECK_EQUAL(1, is_cancelled);
    CHECK(request != MPI_REQUEST_NULL);
    suite_meet(s);
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Send(&s->rank, 1, MPI_INT, dest, 1, s->comm));
    CHECK_OK(MPI_Waitany(1, &request, &index, &status));
    CHECK_EQUAL(0, index);
    CHECK_STATUS(&status, source, 1, sizeof in);
    CHECK_EQUAL(source, in);
    CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
}
