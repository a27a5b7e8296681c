/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A million random messages among all ranks, itself included, with checked contents.
 *
 * The attributes of the i-th message of a pair (size, tag, mode) follow from seed, pair and i, so the receiver knows
 * them too. It posts receives in batches with random wildcards, of which one takes anything; when that one is done
 * the others that are still pending are cancelled. MPI's order says which message each receive of a batch got: in
 * the order of posting, the k-th one from a source with a tag got the k-th message with that tag.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

enum { TAGS = 6, BATCH = 12, WINDOW = 24 };

typedef struct plan {
    size_t bytes;
    int tag, mode; /* 0 Isend, 1 Issend, 2 Ibsend */
    uint64_t key;
} plan;

typedef struct traffic {
    long per_pair;    /* messages of each pair of ranks */
    size_t max_bytes; /* of a message */
    long *cursor;     /* [source * TAGS + tag]: where to look for the next message with this tag */
    long received, to_receive;
    long *sent; /* by destination */
    long to_send;
    uint64_t random;
    /* Sends under way, then the receives of the batch: one array, so that one call can wait for both. */
    MPI_Request requests[WINDOW + BATCH];
    char *out[WINDOW], *in[BATCH];
    MPI_Status statuses[BATCH];
    char is_done[BATCH];
    int source[BATCH], tag[BATCH];
} traffic;

static plan traffic_plan(const suite *s, const traffic *t, int from, int to, long number)
{
    uint64_t h = suite_key(s, (uint64_t)from, (uint64_t)to, (uint64_t)number, 1);
    uint64_t kind = h % 1000, size = suite_mix(h);
    plan p = {.tag = (int)((h >> 32) % TAGS), .mode = 0, .key = h};
    p.bytes = kind < 800 ? size % 65 : kind < 960 ? size % 4097 : kind < 999 ? size % 20001 : size % t->max_bytes;
    if ((h >> 40) % 16 == 0)
        p.mode = 1;
    else if ((h >> 40) % 16 == 1 && p.bytes <= 4096)
        p.mode = 2;
    return p;
}

static void traffic_init(const suite *s, traffic *t)
{
    long total = test_is_slow() ? 20000 : s->size > 16 ? 300000 : 1000000;
    *t = (traffic){.per_pair = total / s->size / s->size + 1};
    t->max_bytes = s->size > 16 ? 30000 : 300000;
    t->cursor = calloc((size_t)s->size * TAGS, sizeof *t->cursor);
    t->sent = calloc((size_t)s->size, sizeof *t->sent);
    t->to_send = t->to_receive = t->per_pair * s->size;
    t->random = suite_key(s, (uint64_t)s->rank, 0, 0, 2);
    for (int i = 0; i < WINDOW + BATCH; i++)
        t->requests[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < WINDOW; i++)
        t->out[i] = suite_alloc(t->max_bytes);
    for (int i = 0; i < BATCH; i++)
        t->in[i] = suite_alloc(t->max_bytes);
}

static void traffic_fini(traffic *t)
{
    for (int i = 0; i < WINDOW; i++)
        suite_free(t->out[i]);
    for (int i = 0; i < BATCH; i++)
        suite_free(t->in[i]);
    free(t->cursor);
    free(t->sent);
}

static void traffic_fill_window(const suite *s, traffic *t)
{
    static int (*const send[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                               MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Ibsend};
    for (int i = 0; i < WINDOW && t->to_send > 0; i++) {
        if (t->requests[i] != MPI_REQUEST_NULL)
            continue;
        int dest = (int)(suite_random(&t->random) % (uint64_t)s->size);
        while (t->sent[dest] == t->per_pair)
            dest = (dest + 1) % s->size;
        plan p = traffic_plan(s, t, s->rank, dest, t->sent[dest]);
        suite_fill(t->out[i], p.bytes, p.key);
        int code = send[p.mode](t->out[i], (int)p.bytes, MPI_BYTE, dest, p.tag, s->comm, &t->requests[i]);
        if (p.mode == 2 && code != MPI_SUCCESS) { /* the attached buffer is full of what others have not received */
            CHECK_EQUAL(MPI_ERR_BUFFER, suite_class(code));
            CHECK_OK(MPI_Isend(t->out[i], (int)p.bytes, MPI_BYTE, dest, p.tag, s->comm, &t->requests[i]));
        }
        t->sent[dest]++;
        t->to_send--;
    }
}

static void traffic_post_batch(const suite *s, traffic *t)
{
    int anything = (int)(suite_random(&t->random) % BATCH);
    for (int i = 0; i < BATCH; i++) {
        uint64_t r = suite_random(&t->random);
        t->source[i] = i == anything || r % 3 == 0 ? MPI_ANY_SOURCE : (int)((r >> 8) % (uint64_t)s->size);
        t->tag[i] = i == anything || (r >> 40) % 3 == 0 ? MPI_ANY_TAG : (int)((r >> 48) % TAGS);
        t->is_done[i] = 0;
        CHECK_OK(MPI_Irecv(t->in[i], (int)t->max_bytes, MPI_BYTE, t->source[i], t->tag[i], s->comm,
                           &t->requests[WINDOW + i]));
    }
}

/* Take note of a completed request of the array. */
static void traffic_note(traffic *t, int index, const MPI_Status *status)
{
    if (index < WINDOW)
        return;
    t->statuses[index - WINDOW] = *status;
    t->is_done[index - WINDOW] = 1;
    t->received++;
}

static int traffic_wild_is_pending(const traffic *t)
{
    for (int i = 0; i < BATCH; i++)
        if (t->source[i] == MPI_ANY_SOURCE && t->tag[i] == MPI_ANY_TAG && !t->is_done[i])
            return 1;
    return 0;
}

/* Wait until the batch's receives of anything are done, sending meanwhile; then take what else has come. */
static void traffic_run_batch(const suite *s, traffic *t)
{
    MPI_Status status, statuses[WINDOW + BATCH];
    int indices[WINDOW + BATCH], count = 0, index;
    while (traffic_wild_is_pending(t) && t->received < t->to_receive) {
        traffic_fill_window(s, t);
        CHECK_OK(MPI_Waitany(WINDOW + BATCH, t->requests, &index, &status));
        if (index < 0 || index >= WINDOW + BATCH)
            CHECK_FAIL("Waitany: expected an index below %d, got %d", WINDOW + BATCH, index);
        traffic_note(t, index, &status);
    }
    traffic_fill_window(s, t);
    CHECK_OK(MPI_Testsome(WINDOW + BATCH, t->requests, &count, indices, statuses));
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        traffic_note(t, indices[i], &statuses[i]);
    for (int i = 0; i < BATCH; i++) {
        int is_cancelled = 0;
        if (t->is_done[i])
            continue;
        CHECK_OK(MPI_Cancel(&t->requests[WINDOW + i]));
        CHECK_OK(MPI_Wait(&t->requests[WINDOW + i], &status));
        CHECK_OK(MPI_Test_cancelled(&status, &is_cancelled));
        if (!is_cancelled)
            traffic_note(t, WINDOW + i, &status);
    }
}

/* In the order of posting: which message must each receive have got, and did it? */
static void traffic_check_batch(const suite *s, traffic *t)
{
    for (int i = 0; i < BATCH; i++) {
        if (!t->is_done[i])
            continue;
        int source = t->statuses[i].MPI_SOURCE, tag = t->statuses[i].MPI_TAG;
        if (source < 0 || source >= s->size || tag < 0 || tag >= TAGS)
            CHECK_FAIL("a message from rank %d with tag %d, which nobody sent", source, tag);
        if ((t->source[i] != MPI_ANY_SOURCE && t->source[i] != source) ||
            (t->tag[i] != MPI_ANY_TAG && t->tag[i] != tag))
            CHECK_FAIL("receive from %d with tag %d got a message from %d with tag %d", t->source[i], t->tag[i],
                       source, tag);
        long *cursor = &t->cursor[source * TAGS + tag];
        plan p = {.tag = -1};
        while (*cursor < t->per_pair && p.tag != tag)
            p = traffic_plan(s, t, source, s->rank, (*cursor)++);
        if (p.tag != tag)
            CHECK_FAIL("more messages from %d with tag %d than were sent", source, tag);
        CHECK_STATUS(&t->statuses[i], source, tag, p.bytes);
        CHECK_BYTES(t->in[i], p.bytes, p.key);
        CHECK_CANARIES(t->in[i]);
    }
}

void case_random_traffic(suite *s)
{
    traffic *t = malloc(sizeof *t);
    traffic_init(s, t);
    int room = 40 * (4096 + MPI_BSEND_OVERHEAD), detached_bytes;
    void *attached = malloc((size_t)room), *detached;
    CHECK_OK(MPI_Buffer_attach(attached, room));
    while (t->received < t->to_receive) {
        traffic_post_batch(s, t);
        traffic_run_batch(s, t);
        traffic_check_batch(s, t);
    }
    while (t->to_send > 0) {
        int index;
        traffic_fill_window(s, t);
        CHECK_OK(MPI_Waitany(WINDOW, t->requests, &index, MPI_STATUS_IGNORE));
    }
    CHECK_OK(MPI_Waitall(WINDOW, t->requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Buffer_detach(&detached, &detached_bytes));
    free(attached);
    traffic_fini(t);
    free(t);
}
