/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching against a model so simple that it is right by looking: two lists in order of arrival, searched from the
 * front. Random receives, messages, probes and cancellations must give the same partner in both.
 */
#include "check.h"
#include "unit_random.h"

#include "xxdev/match.h"

#include <string.h>

enum { CONTEXTS = 2, PEERS = 3, TAGS = 4, QUEUE_MAX = 3000, STEPS = 300000 };

typedef struct key {
    uint32_t context;
    int peer, tag;
} key;

typedef struct model {
    cor_transfer *receives[QUEUE_MAX];
    cor_message *messages[QUEUE_MAX];
    int receive_count, message_count;
} model;

static int key_matches(uint32_t context, int peer, int tag, uint32_t message_context, int message_peer,
                       int message_tag)
{
    return context == message_context && (peer == COR_ANY_PEER || peer == message_peer) &&
           (tag == COR_ANY_TAG || tag == message_tag);
}

static int model_find_message(const model *m, key k)
{
    for (int i = 0; i < m->message_count; i++)
        if (key_matches(k.context, k.peer, k.tag, m->messages[i]->context, m->messages[i]->peer, m->messages[i]->tag))
            return i;
    return -1;
}

static int model_find_receive(const model *m, key k)
{
    for (int i = 0; i < m->receive_count; i++)
        if (key_matches(m->receives[i]->context, m->receives[i]->peer, m->receives[i]->tag, k.context, k.peer, k.tag))
            return i;
    return -1;
}

static void model_drop(void *list, int *count, int at)
{
    void **entries = list;
    memmove(&entries[at], &entries[at + 1], (size_t)(*count - at - 1) * sizeof *entries);
    (*count)--;
}

static key random_key(uint64_t *random, int may_be_wild)
{
    uint64_t r = unit_random(random);
    key k = {.context = (uint32_t)(r % CONTEXTS), .peer = (int)((r >> 8) % PEERS), .tag = (int)((r >> 16) % TAGS)};
    if (may_be_wild && (r >> 24) % 4 == 0)
        k.peer = COR_ANY_PEER;
    if (may_be_wild && (r >> 32) % 4 == 0)
        k.tag = COR_ANY_TAG;
    return k;
}

/* A receive is posted: it takes the oldest message that fits, or waits. */
static void step_receive(cor_match *match, model *m, uint64_t *random)
{
    key k = random_key(random, 1);
    cor_message *got = cor_match_find_message(match, k.context, k.peer, k.tag);
    int at = model_find_message(m, k);
    if ((at < 0) != (got == NULL) || (got && got != m->messages[at])) {
        CHECK_FAIL("receive (%u, %d, %d): expected message %d of the model, got another", k.context, k.peer, k.tag,
                   at);
    }
    if (got) {
        model_drop(m->messages, &m->message_count, at);
        cor_match_remove_message(got);
        cor_match_free_message(match, got);
    } else if (m->receive_count < QUEUE_MAX) {
        cor_transfer *receive = calloc(1, sizeof *receive);
        receive->context = k.context;
        receive->peer = k.peer;
        receive->tag = k.tag;
        CHECK_OK(cor_match_add_receive(match, receive));
        m->receives[m->receive_count++] = receive;
    }
}

/* A message arrives: it goes to the receive posted first that fits, or waits. */
static void step_message(cor_match *match, model *m, uint64_t *random)
{
    key k = random_key(random, 0);
    int at = model_find_receive(m, k);
    cor_transfer *expected = at < 0 ? NULL : m->receives[at];
    cor_transfer *got = cor_match_take_receive(match, k.context, k.peer, k.tag);
    if (got != expected) {
        CHECK_FAIL("message (%u, %d, %d): expected receive %d of the model, got another", k.context, k.peer, k.tag,
                   at);
    }
    if (got) {
        model_drop(m->receives, &m->receive_count, at);
        free(got);
    } else if (m->message_count < QUEUE_MAX) {
        cor_message *message = cor_match_make_message(match, unit_random(random) % 3 * 100);
        message->context = k.context;
        message->peer = k.peer;
        message->tag = k.tag;
        CHECK_OK(cor_match_add_message(match, message));
        m->messages[m->message_count++] = message;
    }
}

static void step_cancel(cor_match *match, model *m, uint64_t *random)
{
    if (m->receive_count == 0)
        return;
    int at = (int)(unit_random(random) % (uint64_t)m->receive_count);
    cor_match_remove_receive(match, m->receives[at]);
    free(m->receives[at]);
    model_drop(m->receives, &m->receive_count, at);
}

/* A matched probe takes a message out of the middle of the queues. */
static void step_take(cor_match *match, model *m, uint64_t *random)
{
    if (m->message_count == 0)
        return;
    int at = (int)(unit_random(random) % (uint64_t)m->message_count);
    cor_match_take_message(match, m->messages[at]);
    /* Not all are received. */
    if (unit_random(random) % 2 == 0) {
        cor_match_remove_message(m->messages[at]);
        cor_match_free_message(match, m->messages[at]);
    }
    model_drop(m->messages, &m->message_count, at);
}

static void run(uint64_t seed)
{
    uint64_t random = seed;
    model *m = calloc(1, sizeof *m);
    cor_match match;
    CHECK_OK(cor_match_init(&match));
    for (int i = 0; i < STEPS; i++) {
        /* Phases in which receives prevail and phases in which messages do, so that both queues grow and drain. */
        uint64_t r = unit_random(&random) % 100, bias = i / 5000 % 3;
        if (r < 4)
            step_cancel(&match, m, &random);
        else if (r < 8)
            step_take(&match, m, &random);
        else if (r % 10 < 3 + 2 * bias)
            step_receive(&match, m, &random);
        else
            step_message(&match, m, &random);
    }
    for (int i = 0; i < m->receive_count; i++) {
        cor_match_remove_receive(&match, m->receives[i]);
        free(m->receives[i]);
    }
    CHECK_EQUAL(0, match.wild_posted);
    cor_match_fini(&match); /* and with it what is left of the messages */
    free(m);
}

/* The table of bins does not grow for ever when every message has a tag of its own. */
static void run_many_keys(void)
{
    enum { KEYS = 200000 };
    cor_match match;
    CHECK_OK(cor_match_init(&match));
    cor_transfer receive = {0};
    for (int tag = 0; tag < KEYS; tag++) {
        receive.tag = tag;
        CHECK_OK(cor_match_add_receive(&match, &receive));
        CHECK(cor_match_take_receive(&match, 0, 0, tag) == &receive);
    }
    CHECK(match.mask < 4096);
    CHECK(match.bin_count <= 4096);
    cor_match_fini(&match);
}

int main(void)
{
    uint64_t seed = unit_seed();
    for (int i = 0; i < 3; i++)
        run(seed + (uint64_t)i);
    run_many_keys();
    return 0;
}
