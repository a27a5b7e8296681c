/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the verbs wire to ranks that do not answer: those whose processes have ended are lost soon, and the others
 * are called on. There is no adapter. */
#include "check.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_SIZE = 40, CALLS_DEAD = 30, CALLS_QUESTIONS = 16 };

typedef struct calls {
    ibw_wire wire;
    int is_dead[CALLS_SIZE];
    int questions, calls;
    int lost[CALLS_SIZE];
    char why[256];
} calls;

static int calls_has_ended(void *sink, int rank)
{
    calls *self = sink;
    self->questions++;
    return self->is_dead[rank];
}

static void calls_lost(void *sink, int rank, const cor_fault *why)
{
    calls *self = sink;
    self->lost[rank]++;
    snprintf(self->why, sizeof self->why, "%s", why->text);
}

static void calls_awaited(void *sink, const cor_wire *wire, uint8_t *peers)
{
    (void)sink;
    (void)wire;
    memset(peers, 0, CALLS_SIZE);
}

static int calls_no_event(struct ibv_context *context, struct ibv_async_event *event)
{
    (void)context;
    (void)event;
    return -1;
}

/* As with datagrams: nothing is heard, and the call is repeated. */
static void calls_call(ibw_wire *wire, ibw_link *link)
{
    ((calls *)wire->options.sink)->calls++;
    ibw_call_again_at(wire, link, cor_clock_ns() + 1000);
}

static void calls_drop(ibw_wire *wire, ibw_link *link)
{
    (void)wire;
    (void)link;
}

/* It may be repeated, unless it was for too long. */
static void calls_call_on(ibw_wire *wire, ibw_link *link)
{
    if (!ibw_call_is_over(wire, link, "it does not answer"))
        calls_call(wire, link);
}

static const ibw_setup_ops calls_setup = {.name = "none", .call = calls_call_on, .drop = calls_drop};

static calls *calls_create(void)
{
    calls *self = calloc(1, sizeof *self);
    static const cor_log quiet = {.level = COR_LOG_ERROR, .rank = -1};
    CHECK(self != NULL);
    self->wire.setup = &calls_setup;
    self->wire.library.do_ibv_get_async_event = calls_no_event;
    self->wire.config = (cor_ibv_config){.send_queue = 4, .connect_s = 300};
    self->wire.options = (cor_wire_options){.size = CALLS_SIZE,
                                            .log = &quiet,
                                            .lost = calls_lost,
                                            .awaited = calls_awaited,
                                            .has_ended = calls_has_ended,
                                            .sink = self};
    self->wire.links = calloc(CALLS_SIZE, sizeof *self->wire.links);
    self->wire.places = calloc(CALLS_SIZE, sizeof *self->wire.places);
    self->wire.awaited = calloc(CALLS_SIZE, sizeof *self->wire.awaited);
    CHECK(self->wire.links && self->wire.places && self->wire.awaited);
    for (int rank = 1; rank < CALLS_SIZE; rank++)
        ibw_call(&self->wire, ibw_link_get(&self->wire, rank));
    return self;
}

static void calls_destroy(calls *self)
{
    for (int rank = 1; rank < CALLS_SIZE; rank++)
        ibw_link_destroy(&self->wire, self->wire.links[rank]);
    free(self->wire.links);
    free(self->wire.places);
    free(self->wire.awaited);
    free(self);
}

/* So much time goes by since the last look; a rank that polls looks every second at least. */
static void calls_look_after(calls *self, uint64_t seconds)
{
    uint64_t past_ns = seconds * 1000000000u;
    self->wire.timer_ns = 1;
    self->wire.looked_ns = cor_clock_ns() - past_ns;
    self->wire.asked_ns -= self->wire.asked_ns < past_ns ? self->wire.asked_ns : past_ns;
    ibw_calls_time(&self->wire);
    ibw_links_tell(&self->wire);
}

static int calls_lost_count(const calls *self)
{
    int count = 0;
    for (int rank = 1; rank < CALLS_SIZE; rank++)
        count += self->lost[rank];
    return count;
}

static void test_a_young_call_is_not_questioned(void)
{
    calls *self = calls_create();
    self->is_dead[CALLS_DEAD] = 1;
    calls_look_after(self, 0);
    CHECK(self->questions == 0);
    CHECK(self->lost[CALLS_DEAD] == 0);
    calls_destroy(self);
}

static void test_the_dead_are_lost(void)
{
    calls *self = calls_create();
    self->is_dead[CALLS_DEAD] = 1;
    for (int seconds = 0; seconds < 3; seconds++) { /* not all ranks at once */
        int before = self->questions;
        calls_look_after(self, 2);
        CHECK(self->questions - before <= CALLS_QUESTIONS);
    }
    for (int rank = 1; rank < CALLS_SIZE; rank++) {
        CHECK(self->lost[rank] == (rank == CALLS_DEAD));
        CHECK(self->wire.links[rank]->state == (rank == CALLS_DEAD ? IBW_LOST : IBW_CALLING));
    }
    CHECK(strstr(self->why, "its process has ended") != NULL);
    int before = self->calls;
    calls_look_after(self, 2);
    CHECK(self->calls > before); /* those that live are called on */
    CHECK(self->lost[CALLS_DEAD] == 1);
    calls_destroy(self);
}

static void test_none_is_questioned_at_the_end(void)
{
    calls *self = calls_create();
    self->wire.is_shutting_down = 1;
    calls_look_after(self, 2);
    CHECK(self->questions == 0);
    calls_destroy(self);
}

static void test_a_rank_that_computes_is_not_lost(void)
{
    calls *self = calls_create();
    self->wire.config.connect_s = 0;
    for (int seconds = 0; seconds < 4000; seconds++) /* the others compute */
        calls_look_after(self, 1);
    CHECK_EQUAL(0, calls_lost_count(self));
    calls_destroy(self);
}

static void test_only_time_of_polling_counts(void)
{
    calls *self = calls_create();
    for (int i = 0; i < 10; i++) { /* this rank computes */
        calls_look_after(self, 400);
        CHECK_EQUAL(0, calls_lost_count(self));
    }
    for (int seconds = 0; seconds < 250; seconds++)
        calls_look_after(self, 1);
    CHECK_EQUAL(0, calls_lost_count(self));
    for (int seconds = 0; seconds < 60; seconds++)
        calls_look_after(self, 1);
    CHECK_EQUAL(CALLS_SIZE - 1, calls_lost_count(self));
    CHECK(strstr(self->why, "could not be connected to within 300 s") != NULL);
    calls_destroy(self);
}

/* ---- what the adapter takes inline ------------------------------------------------------------------------------ */

/* It refuses more than this, and gives less than it does not refuse. */
enum { QUEUE_REFUSED = 200, QUEUE_GIVEN = 64 };

static struct ibv_qp *queue_create(ibw_wire *wire, ibw_link *link, struct ibv_qp_init_attr *wanted)
{
    static struct ibv_qp qp = {.qp_num = 7};
    (void)wire;
    (void)link;
    if (wanted->cap.max_inline_data >= QUEUE_REFUSED)
        return NULL;
    if (wanted->cap.max_inline_data > QUEUE_GIVEN)
        wanted->cap.max_inline_data = QUEUE_GIVEN;
    return &qp;
}

static void test_the_limit_for_inline_is_what_was_given(void)
{
    static const ibw_setup_ops setup = {.name = "none", .create_queue = queue_create, .drop = calls_drop};
    static const struct {
        size_t wanted, found;
    } rows[] = {{256, QUEUE_GIVEN}, {QUEUE_GIVEN + 1, QUEUE_GIVEN}, {QUEUE_GIVEN, QUEUE_GIVEN}, {32, 32}, {0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ibw_link link = {.rank = 1, .has_receives = 1}, *links[2] = {NULL, &link}, *by_number[4];
        ibw_wire wire = {
            .options.size = 2, .links = links, .by_number = by_number, .by_number_mask = 3, .setup = &setup};
        wire.config = (cor_ibv_config){.inline_max_bytes = rows[i].wanted};
        wire.inline_max_bytes = (uint32_t)rows[i].wanted;
        CHECK(ibw_call_prepare(&wire, &link));
        CHECK_EQUAL(rows[i].found, wire.inline_max_bytes);
        CHECK(ibw_link_by_number(&wire, 7) == &link);
    }
}

int main(void)
{
    test_a_young_call_is_not_questioned();
    test_the_dead_are_lost();
    test_none_is_questioned_at_the_end();
    test_a_rank_that_computes_is_not_lost();
    test_only_time_of_polling_counts();
    test_the_limit_for_inline_is_what_was_given();
    puts("calls to ranks that have ended end");
    return 0;
}
