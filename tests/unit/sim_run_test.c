/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual time: small cases computed by hand, the same result every time, networks as text. */
#include "check.h"
#include "sim/sim_agenda.h"
#include "sim/sim_run.h"
#include "unit_random.h"
#include "xxdev/sim/sim_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* T(n) = 10 + 0.01 n us; overhead 2.5 on each side; so a message of 100 bytes takes 11: 2.5 of its sender, 5 on the
 * way, 1 at a port, 2.5 of its receiver. Copying takes 1 us a byte. */
static cor_sim_net test_net(int ranks, int node_ranks, double eager_max)
{
    cor_sim_net net = {.ranks = ranks, .node_ranks = node_ranks, .copy_us = 1, .reduce_us = 2};
    net.between = (cor_sim_link){.piece_count = 1, .pieces = {{0, 10, 0, 0.01}}, .eager_max = eager_max};
    net.inside = net.between;
    cor_sim_link_share(&net.between, 0.25);
    cor_sim_link_share(&net.inside, 0.25);
    return net;
}

enum { TEST_BYTES = 100 };

/* ---- programs: steps of the rank that cor_sim_program_rank has named --------------------------------------------- */

static cor_sim_program test_begin(int ranks)
{
    cor_sim_program program;
    cor_fault fault = {0};
    CHECK_OK(cor_sim_program_begin(&program, ranks, &fault));
    return program;
}

static void test_transfer(cor_sim_program *program, int is_send, int peer, uint64_t bytes)
{
    cor_fault fault = {0};
    CHECK_OK(cor_sim_program_transfer(program, is_send, peer, bytes, &fault));
}

static void test_send(cor_sim_program *program, int to, uint64_t bytes)
{
    test_transfer(program, 1, to, bytes);
}

static void test_receive(cor_sim_program *program, int from, uint64_t bytes)
{
    test_transfer(program, 0, from, bytes);
}

static void test_step(cor_sim_program *program, cor_sim_op_kind kind, uint64_t bytes)
{
    cor_fault fault = {0};
    CHECK_OK(cor_sim_program_add(program, kind, bytes, &fault));
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static void test_near(double expected, double got, const char *what)
{
    if (fabs(expected - got) > 1e-9)
        CHECK_FAIL("%s: expected %.9f us, got %.9f", what, expected, got);
}

static cor_sim_result test_run(const cor_sim_net *net, cor_sim_program *program, int calls)
{
    cor_fault fault = {0};
    cor_sim_result result = {0};
    CHECK_OK(cor_sim_program_join(program, &fault));
    CHECK_OK(cor_sim_run(net, program, &(cor_sim_options){.calls = calls}, &result, &fault));
    return result;
}

/* Rank 0 sends to rank 1, which copies `busy` bytes before it posts its receive. */
static double test_two(double eager_max, uint64_t busy)
{
    cor_sim_net net = test_net(2, 1, eager_max);
    cor_sim_program program = test_begin(2);
    cor_sim_program_rank(&program, 0);
    test_send(&program, 1, TEST_BYTES);
    cor_sim_program_rank(&program, 1);
    if (busy)
        test_step(&program, COR_SIM_COPY, busy);
    test_receive(&program, 0, TEST_BYTES);
    cor_sim_result result = test_run(&net, &program, 1);
    cor_sim_program_free(&program);
    return result.us;
}

static void test_message(void)
{
    test_near(11, test_two(1000, 0), "an eager message");
    test_near(20 + 2.5, test_two(1000, 20), "an eager message to a busy rank");
    test_near(11, test_two(50, 0), "a long message");
    /* Announced at 7.5, asked for at 20: no latency is left, 1 at the port, then the overhead. */
    test_near(20 + 1 + 2.5, test_two(50, 20), "a long message to a busy rank");
}

/* Rank 1 waits for rank 2, which is busy for 50, while the message of rank 0 comes: it is stored, and copied later. */
static void test_unexpected(void)
{
    cor_sim_net net = test_net(3, 1, 1000);
    cor_sim_program program = test_begin(3);
    cor_sim_program_rank(&program, 0);
    test_send(&program, 1, TEST_BYTES);
    cor_sim_program_rank(&program, 1);
    test_receive(&program, 2, TEST_BYTES);
    test_step(&program, COR_SIM_WAIT, 0);
    test_receive(&program, 0, TEST_BYTES);
    cor_sim_program_rank(&program, 2);
    test_step(&program, COR_SIM_COPY, 50);
    test_send(&program, 1, TEST_BYTES);
    test_near(50 + 11 + TEST_BYTES, test_run(&net, &program, 1).us, "a message that was not expected");
    cor_sim_program_free(&program);
}

/* Every rank to the next one. */
static void test_ring(void)
{
    cor_sim_net net = test_net(4, 1, 1000);
    cor_sim_program program = test_begin(4);
    cor_fault fault = {0};
    for (int rank = 0; rank < 4; rank++) {
        cor_sim_program_rank(&program, rank);
        test_receive(&program, (rank + 3) % 4, TEST_BYTES);
        test_send(&program, (rank + 1) % 4, TEST_BYTES);
        test_step(&program, COR_SIM_WAIT, 0);
        test_step(&program, COR_SIM_REDUCE, 3);
    }
    cor_sim_result once = test_run(&net, &program, 1), result;
    CHECK_OK(cor_sim_run(&net, &program, &(cor_sim_options){.calls = 3}, &result, &fault));
    CHECK_EQUAL(4, program.messages);
    CHECK_EQUAL(4 * TEST_BYTES, program.bytes);
    CHECK_EQUAL(12, program.reduced_bytes);
    test_near(11 + 3 * 2, once.us, "a ring of four");
    test_near(3 * (11 + 3 * 2), result.us, "a ring of four, three times");
    CHECK_EQUAL(3 * 4 * 3, result.events); /* it leaves, its head arrives, it is there */
    cor_sim_program_free(&program);
}

/* Two ranks of one node to two of another: the second message waits for the adapter. */
static void test_adapter(void)
{
    cor_sim_net net = test_net(4, 2, 1000);
    cor_sim_program program = test_begin(4);
    for (int rank = 0; rank < 4; rank++) {
        cor_sim_program_rank(&program, rank);
        test_transfer(&program, rank < 2, (rank + 2) % 4, TEST_BYTES);
    }
    test_near(12, test_run(&net, &program, 1).us, "two messages by one adapter");
    cor_sim_program_free(&program);
}

/* Two nodes to a third, 1000 bytes each, which take 10 at a port: the second message waits at the port of arrival. */
static void test_arrival(void)
{
    enum { BYTES = 1000 };
    cor_sim_net net = test_net(3, 1, BYTES);
    cor_sim_program program = test_begin(3);
    cor_sim_program_rank(&program, 0);
    test_receive(&program, 1, BYTES);
    test_receive(&program, 2, BYTES);
    for (int rank = 1; rank < 3; rank++) {
        cor_sim_program_rank(&program, rank);
        test_send(&program, 0, BYTES);
    }
    test_near(20 + 10, test_run(&net, &program, 1).us, "two messages to one adapter");
    cor_sim_program_free(&program);
}

/* ---- what cannot be ---------------------------------------------------------------------------------------------- */

static void test_unfit(int is_send, uint64_t other_bytes, const char *words)
{
    cor_sim_program program = test_begin(2);
    cor_fault fault = {0};
    cor_sim_program_rank(&program, 0);
    test_transfer(&program, is_send, 1, 8);
    cor_sim_program_rank(&program, 1);
    if (other_bytes)
        test_transfer(&program, !is_send, 0, other_bytes);
    CHECK_EQUAL(COR_ERR_ARG, cor_sim_program_join(&program, &fault));
    if (!strstr(fault.text, words))
        CHECK_FAIL("expected \"%s\", got \"%s\"", words, fault.text);
    cor_sim_program_free(&program);
}

/* Two ranks that each wait for the other before they send. */
static void test_deadlock(void)
{
    cor_sim_net net = test_net(2, 1, 1000);
    cor_sim_program program = test_begin(2);
    cor_sim_result result;
    cor_fault fault = {0};
    for (int rank = 0; rank < 2; rank++) {
        cor_sim_program_rank(&program, rank);
        test_receive(&program, 1 - rank, 8);
        test_step(&program, COR_SIM_WAIT, 0);
        test_send(&program, 1 - rank, 8);
    }
    CHECK_OK(cor_sim_program_join(&program, &fault));
    CHECK_EQUAL(COR_ERR_ARG, cor_sim_run(&net, &program, &(cor_sim_options){.calls = 1}, &result, &fault));
    CHECK(strstr(fault.text, "2 simulated ranks wait for each other"));
    cor_sim_program_free(&program);
}

/* Where CPUs move the bytes, a message alone takes as long, but a rank that sends many to different ranks is busy with
 * each: 2.5, and half of the 1 us that bytes add. The last arrives 5 us after the third and is taken. */
static void test_moving(void)
{
    cor_sim_net net = test_net(4, 1, 1000);
    cor_sim_program program = test_begin(4);
    net.between.moving = 0.5;
    for (int rank = 0; rank < 4; rank++) {
        cor_sim_program_rank(&program, rank);
        for (int peer = 1; peer < 4; peer++)
            if (rank == 0 || rank == peer)
                test_transfer(&program, rank == 0, rank == 0 ? peer : 0, TEST_BYTES);
    }
    test_near(3 * 3 + 5 + 3, test_run(&net, &program, 1).us, "bytes that the CPU moves");
    cor_sim_program_free(&program);
}

/* Both sides' CPUs are busy for 8 of the 11 us of a message, so they work at the same time: one alone takes 11. Two
 * ranks that send each other one are busy for 16; if they announce them, which takes 3 of the 8, one goes after the
 * other, and it is 19. */
static void test_busy(double eager_max, double expected)
{
    for (int both = 0; both < 2; both++) {
        cor_sim_net net = test_net(2, 1, eager_max);
        cor_sim_program program = test_begin(2);
        net.between.busy_count = 1;
        net.between.busy[0] = (cor_sim_piece){0, 8, 0, 0};
        for (int rank = 0; rank < 2; rank++) {
            cor_sim_program_rank(&program, rank);
            if (rank == 1 || both)
                test_receive(&program, 1 - rank, TEST_BYTES);
            if (rank == 0 || both)
                test_send(&program, 1 - rank, TEST_BYTES);
        }
        test_near(both ? expected : 11, test_run(&net, &program, 1).us, "CPUs that are busy");
        cor_sim_program_free(&program);
    }
}

/* ---- the queue, against the order itself ------------------------------------------------------------------------- */

static void test_queue(uint64_t seed)
{
    enum { COUNT = 5000 };
    static cor_sim_event events[COUNT];
    size_t count = 0;
    for (int i = 0; i < COUNT; i++)
        cor_sim_queue_push(events, &count,
                           (cor_sim_event){(double)(unit_random(&seed) % 50), cor_sim_order(i % 7, (uint64_t)i), 0});
    cor_sim_event last = cor_sim_queue_pop(events, &count);
    while (count > 0) {
        cor_sim_event next = cor_sim_queue_pop(events, &count);
        CHECK(last.time < next.time || (last.time == next.time && last.order < next.order));
        last = next;
    }
}

/* A time not before `now`: mostly soon, some of them alike, a few far off. */
static double test_time(uint64_t *seed, double now)
{
    uint64_t kind = unit_random(seed) % 16;
    double step = (double)(unit_random(seed) % 4096);
    return kind == 0 ? now : kind < 8 ? now + step / 64 : kind < 14 ? now + step * 16 : now * 2 + 1e6 + step;
}

/* Many events come, then as many go as come, then all go: each time the one that a heap would give. */
static void test_agenda(uint64_t seed)
{
    enum { MOST = 60000, STEPS = 200000 };
    cor_sim_event *heap = malloc(2 * MOST * sizeof *heap), got;
    size_t count = 0;
    cor_sim_agenda agenda = {0};
    double now = 0;
    CHECK(heap);
    for (uint64_t step = 0; step < STEPS || count > 0; step++) {
        int is_coming = step < MOST || (step < STEPS && (unit_random(&seed) & 1 && count < MOST));
        if (is_coming || count == 0) {
            cor_sim_event event = {test_time(&seed, now), cor_sim_order((int)(step % 7), step), step};
            cor_sim_queue_push(heap, &count, event);
            cor_sim_agenda_push(&agenda, event);
            continue;
        }
        cor_sim_event wanted = cor_sim_queue_pop(heap, &count);
        CHECK(cor_sim_agenda_pop(&agenda, &got));
        CHECK(got.subject == wanted.subject);
        now = got.time;
    }
    CHECK(!cor_sim_agenda_pop(&agenda, &got));
    CHECK(!agenda.has_failed);
    cor_sim_agenda_free(&agenda);
    free(heap);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void test_text(void)
{
    static const char *const wrong[] = {"",
                                        "x",
                                        "0;0;0;1;1/1/0/0:1:1:1;1/1/0/0:1:1:1",
                                        "1.5;0;0;1;1/1/0/0:1:1:1;1/1/0/0:1:1:1",
                                        "1;0;0;1;1/1/0/0:1:1:1",
                                        "1;0;0;1;1/1/0/0:1:1:1;1/1/0/0:1:1:1;",
                                        "1;0;0;1;1/1/0/0:1:1:1;1/1/0/0:1:1:1 ",
                                        "1;0;0;1;1/1/1.6/0:1:1:1;1/1/0/0:1:1:1",
                                        "1;0;0;1;1/1/0/0:1:1:1+1:1:1:1;1/1/0/0:1:1:1",
                                        "1;0;0;1;1/1/0/0:1:1:1+0:1:1:1/4:1:1:1;1/1/0/0:1:1:1",
                                        "1;0;0;1;1/1/0/0:1:1:1;1/1/0/0:1:1:1+",
                                        "1;0;0;1;1/1/0/5:1:1:1;1/1/0/0:1:1:1",
                                        "1;0;0;1;1/1/0/0:1:1:1/0:1:1:1;1/1/0/0:1:1:1",
                                        "1;0;0;1;1/1/0/0:1:1:-1;1/1/0/0:1:1:1",
                                        "1;0;0;nan;1/1/0/0:1:1:1;1/1/0/0:1:1:1",
                                        "1;0;0;1;1/1/0/0:1:1:1/1:1:1:1/2:1:1:1/3:1:1:1/4:1:1:1;1/1/0/0:1:1:1"};
    cor_sim_net net = test_net(8, 4, 1000), read;
    char text[COR_SIM_NET_TEXT];
    cor_fault fault = {0};
    net.inside.piece_count = 2;
    net.inside.pieces[1] = (cor_sim_piece){4096, -3, 1.5, 0.125};
    net.inside.moving = 0.375;
    net.inside.busy_count = 2;
    net.inside.busy[0] = (cor_sim_piece){0, 0.25, 0, 0.5};
    net.inside.busy[1] = (cor_sim_piece){100, 0.5, 0, 0.25};
    cor_sim_net_print(&net, text);
    CHECK_OK(cor_sim_net_parse(text, &read, &fault));
    read.ranks = net.ranks;
    CHECK(memcmp(&read, &net, sizeof net) == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (cor_sim_net_parse(wrong[i], &read, &fault) != COR_ERR_KNOB)
            CHECK_FAIL("\"%s\" was read as a network", wrong[i]);
}

int main(void)
{
    test_message();
    test_unexpected();
    test_ring();
    test_adapter();
    test_arrival();
    test_unfit(1, 0, "rank 0 sends more than is expected by rank 1");
    test_unfit(0, 0, "rank 1 sends less than is expected by rank 0");
    test_unfit(1, 9, "other lengths");
    test_deadlock();
    test_moving();
    test_busy(1000, 16);
    test_busy(10, 19);
    uint64_t seed = unit_seed();
    test_queue(seed);
    test_agenda(seed);
    test_text();
    return 0;
}
