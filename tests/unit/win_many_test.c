/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many elements of a window at once, beside single ones: a walk through all interleavings of the rules in
 * win_element.c, which also finds the fault where one of them is left out, and threads that add to the same elements in
 * both ways.
 */
#include "check.h"
#include "model_walk.h"
#include "unit_random.h"

#include "win/win_state.h"

#include <pthread.h>

/* ---- the model --------------------------------------------------------------------------------------------------- */

enum { FEW, MANY, MEMBERS = 4 }; /* members 0 and 1 have few elements, 2 and 3 many */

/* What is left out. */
enum { COMPLETE, WITHOUT_LOOK, WITHOUT_AWAIT, LOOK_BEFORE_SLOT, AWAIT_BEFORE_LOCK, RULES };

typedef struct state {
    uint8_t at[MEMBERS]; /* the next step of each member */
    uint8_t read[MEMBERS];
    uint8_t slot[MEMBERS];
    uint8_t wide;
    uint8_t inside; /* a bit for each member that is at elements */
} state;

enum { DONE = 9 };

static int member_has_many(int member)
{
    return member >= MEMBERS / 2;
}

/* A member with few: write the slot, read the lock, then change elements, or clear the slot and wait. */
static int step_few(state *s, int i, int rule)
{
    switch (s->at[i]) {
    case 0:
        if (rule == LOOK_BEFORE_SLOT)
            s->read[i] = s->wide;
        else
            s->slot[i] = 1;
        s->at[i] = 1;
        return 1;
    case 1:
        if (rule == LOOK_BEFORE_SLOT)
            s->slot[i] = 1;
        else
            s->read[i] = s->wide;
        s->at[i] = s->read[i] && rule != WITHOUT_LOOK ? 3 : 2;
        if (s->at[i] == 2)
            s->inside |= (uint8_t)(1u << i);
        return 1;
    case 2:
        s->inside &= (uint8_t) ~(1u << i);
        s->slot[i] = 0;
        s->at[i] = DONE;
        return 1;
    case 3:
        s->slot[i] = 0;
        s->at[i] = 4;
        return 1;
    case 4:
        if (s->wide)
            return 0;
        s->at[i] = 0;
        return 1;
    default:
        return 0;
    }
}

/* A member with many: take the lock, then wait at each slot. */
static int step_many(state *s, int i, int rule)
{
    int waits = s->at[i] - 1;
    if (s->at[i] == 0 && rule != AWAIT_BEFORE_LOCK) {
        if (s->wide)
            return 0;
        s->wide = (uint8_t)(i + 1);
        s->at[i] = 1;
    } else if (s->at[i] == 0) {
        s->at[i] = 1;
    } else if (waits < MEMBERS / 2) {
        if (s->slot[waits] && rule != WITHOUT_AWAIT)
            return 0;
        s->at[i]++;
    } else if (waits == MEMBERS / 2) {
        if (rule == AWAIT_BEFORE_LOCK && s->wide)
            return 0;
        s->wide = (uint8_t)(i + 1);
        s->inside |= (uint8_t)(1u << i);
        s->at[i]++;
    } else if (s->at[i] != DONE) {
        s->inside &= (uint8_t) ~(1u << i);
        s->wide = 0;
        s->at[i] = DONE;
    } else {
        return 0;
    }
    return 1;
}

/* Nobody but members with few are at elements together. */
static int is_right(const state *s)
{
    uint8_t many = s->inside >> (MEMBERS / 2), few = s->inside & ((1u << (MEMBERS / 2)) - 1);
    return many == 0 || (few == 0 && (many & (many - 1)) == 0);
}

/* Returns how many states are wrong: two ranks at elements that exclude each other, or all stopped and one not done. */
static int walk(int rule, size_t *states_p)
{
    model_states states = {.bytes = sizeof(state)};
    state first, now, next;
    int wrong = 0;
    memset(&first, 0, sizeof first);
    model_states_add(&states, &first);
    for (size_t k = 0; k < states.count; k++) {
        int steps = 0, is_done = 1;
        model_states_get(&states, k, &now);
        for (int i = 0; i < MEMBERS; i++) {
            next = now;
            is_done &= now.at[i] == DONE;
            if (member_has_many(i) ? step_many(&next, i, rule) : step_few(&next, i, rule)) {
                model_states_add(&states, &next);
                steps++;
            }
        }
        wrong += !is_right(&now) || (steps == 0 && !is_done);
    }
    *states_p = states.count;
    model_states_free(&states);
    return wrong;
}

static void check_model(void)
{
    size_t states;
    CHECK_EQUAL(0, walk(COMPLETE, &states));
    CHECK(states > 500);
    for (int rule = COMPLETE + 1; rule < RULES; rule++)
        CHECK(walk(rule, &states) > 0);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ELEMENTS = 5000, ROUNDS = 4000, SINGLES = 200 };

typedef struct hammer {
    win_control control;
    cor_win members[THREADS]; /* of which only the number is used, and the device, by which nobody is lost */
    win_target targets[THREADS];
    cor_device device;
    cor_host host;
    _Alignas(64) double sums[ELEMENTS];
    _Atomic uint64_t singles[ELEMENTS]; /* added one by one */
} hammer;

typedef struct worker {
    pthread_t thread;
    hammer *hammer;
    int number;
    uint64_t seed;
} worker;

static void update_begin(hammer *h, int owner, const cor_dtype *element, win_update *update)
{
    CHECK_OK(win_update_init(update, COR_WIN_GET_ACCUMULATE, element, 0x21));
    h->members[owner].me = owner;
    h->members[owner].size = THREADS;
    h->members[owner].targets = h->targets;
    h->members[owner].device = &h->device;
    update->control = &h->control;
    update->win = &h->members[owner];
}

static void *work(void *argument)
{
    worker *w = argument;
    hammer *h = w->hammer;
    double *olds = malloc(sizeof h->sums), *ones = malloc(sizeof h->sums), old, one = 1;
    win_update update;
    CHECK(olds && ones);
    for (int i = 0; i < ELEMENTS; i++)
        ones[i] = 1;
    update_begin(h, w->number, cor_dtype_predefined(0x214), &update); /* MPI_DOUBLE */
    for (int round = 0; round < ROUNDS; round++) {
        win_update_row(&update, (char *)h->sums, sizeof h->sums, (char *)ones, (char *)olds);
        for (int i = 0; i < SINGLES; i++) {
            size_t at = unit_random(&w->seed) % ELEMENTS;
            win_update_row(&update, (char *)&h->sums[at], sizeof one, (char *)&one, (char *)&old);
            CHECK(old >= olds[at]);
            atomic_fetch_add(&h->singles[at], 1);
        }
    }
    free(olds);
    free(ones);
    return NULL;
}

static void check_threads(uint64_t *seed)
{
    static hammer h;
    worker workers[THREADS];
    h.device.host = &h.host;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.hammer = &h, .number = i, .seed = unit_random(seed)};
        CHECK_EQUAL(0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_join(workers[i].thread, NULL));
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(h.sums[i] == (double)(THREADS * ROUNDS) + (double)atomic_load(&h.singles[i]));
    CHECK_EQUAL(0, atomic_load(&h.control.wide));
    for (int i = 0; i < WIN_SLOTS; i++)
        CHECK_EQUAL(0, atomic_load(&h.control.slots[i].member));
}

int main(void)
{
    uint64_t seed = unit_seed();
    check_model();
    check_threads(&seed);
    return 0;
}
