/* SPDX-License-Identifier: Apache-2.0 */
/* Records and pictures without ranks: the explanation of waits, times, and readers beside a writer. */
#define _GNU_SOURCE
#include "check.h"
#include "trace/picture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SECOND = 1000000000 };

/* ---- waits ------------------------------------------------------------------------------------------------------ */

static cor_picture picture_of(uint32_t size)
{
    cor_picture picture = {
        .size = size, .now_ns = 100 * (uint64_t)SECOND, .ranks = calloc(size, sizeof *picture.ranks)};
    CHECK(picture.ranks);
    for (uint32_t rank = 0; rank < size; rank++) {
        picture.ranks[rank].state = COR_RANK_OPEN;
        strcpy(picture.ranks[rank].host, "here");
    }
    return picture;
}

static cor_now *waits(cor_picture *picture, uint32_t rank, unsigned call, int peer)
{
    cor_now *now = &picture->ranks[rank].now;
    *now = (cor_now){
        .is_waiting = 1, .call = call, .peer = peer, .comm_size = picture->size, .moved_ns = 90 * (uint64_t)SECOND};
    return now;
}

static const char *explain(cor_picture *picture)
{
    static char text[1024];
    if (!cor_waits_explain(picture, SECOND, text, sizeof text))
        text[0] = '\0';
    free(picture->ranks);
    return text;
}

static void test_cycle(void)
{
    cor_picture picture = picture_of(4);
    waits(&picture, 1, COR_TRACED_SEND, 3);
    waits(&picture, 3, COR_TRACED_RECV, 2);
    waits(&picture, 2, COR_TRACED_WAIT, 1);
    CHECK_TEXT("deadlock: rank 1 waits for 3 (MPI_Send), rank 3 waits for 2 (MPI_Recv), rank 2 waits for 1 (MPI_Wait)",
               explain(&picture));
    picture = picture_of(2);
    waits(&picture, 1, COR_TRACED_RECV, 1);
    CHECK_TEXT("deadlock: rank 1 waits for itself in MPI_Recv", explain(&picture));
    /* One that has moved is in no cycle, and neither is one that computes. */
    picture = picture_of(2);
    waits(&picture, 0, COR_TRACED_RECV, 1);
    waits(&picture, 1, COR_TRACED_RECV, 0)->moved_ns = picture.now_ns;
    CHECK_TEXT("all other ranks wait for rank 1, which is in MPI_Recv, waiting for 0, since 100.0 s",
               explain(&picture));
}

/* What looks like a cycle and is none. */
static void test_no_cycle(void)
{
    const uint64_t five = 5 * (uint64_t)SECOND;
    cor_picture picture = picture_of(3); /* rank 2 computes */
    cor_now *first = waits(&picture, 0, COR_TRACED_SEND, 1), *second = waits(&picture, 1, COR_TRACED_RECV, 0);
    first->way = COR_WAY_TO;
    second->way = COR_WAY_FROM;
    first->tag = 4;
    second->tag = 5;
    CHECK(cor_waits_is_deadlock(&picture, five));
    CHECK(!cor_waits_is_deadlock(&picture, 11 * (uint64_t)SECOND));
    CHECK(!cor_picture_is_stalled(&picture, five));
    second->tag = 4; /* the message is on its way */
    CHECK(!cor_waits_is_deadlock(&picture, five));
    second->tag = -1;
    CHECK(!cor_waits_is_deadlock(&picture, five));
    second->context = 8; /* in another communicator it is not */
    CHECK(cor_waits_is_deadlock(&picture, five));
    first->threads = 2; /* the other one may send what rank 1 waits for */
    CHECK(!cor_waits_is_deadlock(&picture, five));
    free(picture.ranks);
    /* A member may leave a scan before all have come to it, and a barrier not. */
    picture = picture_of(3);
    first = waits(&picture, 0, COR_TRACED_SCAN, COR_NOW_MEMBERS);
    waits(&picture, 1, COR_TRACED_RECV, 0);
    CHECK(!cor_waits_is_deadlock(&picture, five));
    first->call = COR_TRACED_BARRIER;
    CHECK(cor_waits_is_deadlock(&picture, five));
    free(picture.ranks);
}

/* A collective call waits for the members that have not come to it. */
static void collective(cor_picture *picture, uint32_t rank, unsigned call, uint32_t number)
{
    cor_now *now = waits(picture, rank, call, COR_NOW_MEMBERS);
    now->coll_number = number;
}

static void test_collective(void)
{
    cor_picture picture = picture_of(3);
    collective(&picture, 0, COR_TRACED_BARRIER, 5);
    collective(&picture, 1, COR_TRACED_BARRIER, 5);
    waits(&picture, 2, COR_TRACED_RECV, 0)->coll_number = 4;
    CHECK_TEXT("deadlock: rank 0 waits for 2 (MPI_Barrier), rank 2 waits for 0 (MPI_Recv)", explain(&picture));
    /* Rank 1 has left the gather that the root is in, and waits for the root: no cycle, for the root waits for 2. */
    picture = picture_of(3);
    collective(&picture, 0, COR_TRACED_GATHER, 5);
    waits(&picture, 1, COR_TRACED_RECV, 0)->coll_number = 5;
    CHECK_TEXT("all other ranks wait for rank 2, which is computing", explain(&picture));
    /* The last call of rank 1 was on another communicator: it may have come, and is not blamed. */
    picture = picture_of(2);
    collective(&picture, 0, COR_TRACED_BARRIER, 5);
    waits(&picture, 1, COR_TRACED_RECV, 0)->coll_number = 9;
    picture.ranks[1].now.coll_context = 8;
    CHECK_TEXT("", explain(&picture)[0] == 'd' ? "deadlock" : "");
    /* Members are those of the communicator. */
    picture = picture_of(3);
    collective(&picture, 0, COR_TRACED_BARRIER, 1);
    picture.ranks[0].now.has_members = 1;
    picture.ranks[0].now.members[0] = 3;
    picture.ranks[0].now.comm_size = 2;
    waits(&picture, 1, COR_TRACED_RECV, 2);
    CHECK_TEXT("all other ranks wait for rank 2, which is computing", explain(&picture));
}

static void test_finalize(void)
{
    cor_picture picture = picture_of(3);
    waits(&picture, 0, COR_TRACED_FINALIZE, COR_NOW_MEMBERS);
    waits(&picture, 1, COR_TRACED_RECV, 0);
    picture.ranks[2].state = COR_RANK_CLOSED;
    CHECK_TEXT("deadlock: rank 0 waits for 1 (MPI_Finalize), rank 1 waits for 0 (MPI_Recv)", explain(&picture));
}

static void test_stall(void)
{
    cor_picture picture = picture_of(2);
    waits(&picture, 0, COR_TRACED_RECV, 1);
    CHECK(!cor_picture_is_stalled(&picture, SECOND)); /* rank 1 computes */
    waits(&picture, 1, COR_TRACED_RECV, 0);
    CHECK(cor_picture_is_stalled(&picture, SECOND));
    CHECK(cor_picture_is_stalled(&picture, 10 * (uint64_t)SECOND));
    CHECK(!cor_picture_is_stalled(&picture, 11 * (uint64_t)SECOND));
    picture.ranks[1].state = COR_RANK_ENDED;
    CHECK(cor_picture_is_stalled(&picture, SECOND));
    picture.ranks[0].state = COR_RANK_ENDED;
    CHECK(!cor_picture_is_stalled(&picture, SECOND));
    free(picture.ranks);
}

/* ---- a writer and a reader -------------------------------------------------------------------------------------- */

typedef struct beside {
    cor_record_slot *slot;
    _Atomic int is_over;
} beside;

static void *write_on(void *subject)
{
    beside *both = subject;
    for (uint64_t i = 1; !atomic_load(&both->is_over); i++) {
        cor_now now = {.bytes = i, .since_ns = i, .queued_bytes = i, .members = {[15] = i}};
        cor_record_tell(both->slot, &now);
    }
    return NULL;
}

/* What is read was written together. */
static void test_beside(void)
{
    cor_record record;
    cor_fault fault = {0};
    pthread_t writer;
    CHECK_OK(cor_record_create(&record, "test", 1, 0, 0, &fault));
    beside both = {.slot = cor_record_slot_of(&record, 0)};
    CHECK_OK(pthread_create(&writer, NULL, write_on, &both));
    /* Until the writer has written often, however few turns it gets on the CPUs. */
    for (uint64_t last = 0; last < 300000;) {
        cor_now now = cor_record_now(both.slot);
        CHECK_EQUAL(now.bytes, now.since_ns);
        CHECK_EQUAL(now.bytes, now.queued_bytes);
        CHECK_EQUAL(now.bytes, now.members[15]);
        CHECK(now.bytes == 0 || now.bytes >= last);
        last = now.bytes ? now.bytes : last;
    }
    atomic_store(&both.is_over, 1);
    pthread_join(writer, NULL);
    cor_record_close(&record);
}

/* ---- memory that is not what it says ---------------------------------------------------------------------------- */

static void test_wrong(void)
{
    cor_record record, other;
    cor_record_part part;
    cor_fault fault = {0};
    CHECK_OK(cor_record_create(&record, "test", 2, COR_RECORD_STATS | COR_RECORD_EVENTS, 100, &fault));
    CHECK_OK(cor_record_part_open(&part, record.fd, 1, 2, &fault));
    CHECK(part.row && part.events && part.event_max == 100);
    cor_record_part_close(&part);
    CHECK_EQUAL(COR_ERR_PROTOCOL, cor_record_part_open(&part, record.fd, 0, 3, &fault));
    CHECK_EQUAL(COR_ERR_PROTOCOL, cor_record_part_open(&part, record.fd, 2, 2, &fault));
    int fd = dup(record.fd);
    CHECK(ftruncate(fd, 0) != 0); /* readers keep their pages */
    uint32_t size = 1000000;
    CHECK_EQUAL(4, pwrite(fd, &size, sizeof size, offsetof(cor_record_header, size)));
    CHECK_EQUAL(COR_ERR_PROTOCOL, cor_record_open(&other, fd, 0, &fault));
    CHECK_TEXT("the record of a job has invalid sizes", fault.text);
    CHECK_EQUAL(1, pwrite(fd, "x", 1, 0));
    CHECK_EQUAL(COR_ERR_PROTOCOL, cor_record_open(&other, fd, 0, &fault));
    close(fd);
    cor_record_close(&record);
    /* The same bytes in memory that can shrink. */
    CHECK_OK(cor_record_create(&record, "test", 1, 0, 0, &fault));
    fd = memfd_create("other", 0);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)cor_record_bytes(&record.header)) == 0);
    CHECK_EQUAL(sizeof record.header, pwrite(fd, &record.header, sizeof record.header, 0));
    CHECK_EQUAL(COR_ERR_PROTOCOL, cor_record_open(&other, fd, 0, &fault));
    close(fd);
    cor_record_close(&record);
}

int main(void)
{
    test_cycle();
    test_no_cycle();
    test_collective();
    test_finalize();
    test_stall();
    test_beside();
    test_wrong();
    return 0;
}
