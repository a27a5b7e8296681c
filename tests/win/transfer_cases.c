/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation with every synchronization, operator, element, datatype and size (win_trial.h). */
#include "win_trial.h"

enum { ROOM = 48 << 10, ROOM_A_RANK = 24 << 10 };

/* `count` trials on one window, with what is given. */
static void transfer_some(test *t, field *f, trial given, int count, uint64_t number)
{
    uint64_t random = test_key(t, number, (uint64_t)f->flavour, 0, 0);
    for (int i = 0; i < count; i++) {
        trial p = trial_drawn(given, &random);
        trial_run(t, f, &p, number * 1000 + (uint64_t)i);
    }
}

static size_t transfer_room(const test *t)
{
    return ROOM + (size_t)t->size * ROOM_A_RANK;
}

/* A kind of operation in windows of all flavours, in all epochs that it may be in. */
static void transfer_kind(test *t, trial_kind kind)
{
    for (int flavour = 0; flavour < FIELD_FLAVOURS; flavour++) {
        field f;
        if (!field_make(t, (field_flavour)flavour, transfer_room(t), &f))
            continue;
        for (int sync = kind >= TRIAL_RPUT ? SYNC_LOCK_SHARED : 0; sync < SYNCS; sync++) {
            trial given = trial_any;
            given.kind = kind;
            given.sync = (trial_sync)sync;
            transfer_some(t, &f, given, test_volume(t, 8), (uint64_t)((int)kind * SYNCS + sync));
        }
        field_free(&f);
    }
}

void case_transfer_put(test *t)
{
    transfer_kind(t, TRIAL_PUT);
    transfer_kind(t, TRIAL_RPUT);
}

void case_transfer_get(test *t)
{
    transfer_kind(t, TRIAL_GET);
    transfer_kind(t, TRIAL_RGET);
}

void case_transfer_accumulate(test *t)
{
    transfer_kind(t, TRIAL_ACCUMULATE);
    transfer_kind(t, TRIAL_RACCUMULATE);
}

void case_transfer_get_accumulate(test *t)
{
    transfer_kind(t, TRIAL_GET_ACCUMULATE);
    transfer_kind(t, TRIAL_RGET_ACCUMULATE);
}

void case_transfer_fetch_and_op(test *t)
{
    transfer_kind(t, TRIAL_FETCH_AND_OP);
}

void case_transfer_compare_and_swap(test *t)
{
    transfer_kind(t, TRIAL_COMPARE_AND_SWAP);
}

/* Each operator on each element that it is defined for. */
void case_transfer_operators(test *t)
{
    static const trial_kind kinds[] = {TRIAL_ACCUMULATE, TRIAL_GET_ACCUMULATE, TRIAL_FETCH_AND_OP};
    field fields[2];
    field_make(t, FIELD_CREATED, transfer_room(t), &fields[0]);
    field_make(t, FIELD_ALLOCATED, transfer_room(t), &fields[1]);
    for (int e = 0; e < element_count; e++)
        for (int o = 0; o < operator_count; o++) {
            trial given = trial_any;
            given.element = &elements[e];
            given.op = &operators[o];
            for (int k = 0; k < 3; k++) {
                given.kind = kinds[k];
                given.sync = SYNC_FENCE;
                if (!trial_is_legal(&given) || (test_is_slow() && (e + o + k) % 3))
                    continue;
                given.sync = (trial_sync)-1;
                transfer_some(t, &fields[(e + o) % 2], given, 1, (uint64_t)(e * 100 + o * 3 + k));
            }
        }
    field_free(&fields[0]);
    field_free(&fields[1]);
}

/* Each datatype at the origin with each at the target. */
void case_transfer_shapes(test *t)
{
    static const trial_kind kinds[] = {TRIAL_PUT, TRIAL_GET, TRIAL_ACCUMULATE, TRIAL_GET_ACCUMULATE};
    field fields[2];
    int turn = 0;
    field_make(t, FIELD_CREATED, transfer_room(t), &fields[0]);
    field_make(t, FIELD_ALLOCATED, transfer_room(t), &fields[1]);
    for (int origin = 0; origin < SHAPES; origin++)
        for (int target = 0; target < SHAPES; target++)
            for (int k = 0; k < 4; k++) {
                trial given = trial_any;
                given.origin = (shape)origin;
                given.target = (shape)target;
                given.kind = kinds[k];
                if (!test_is_slow() || (origin + target + k) % 4 == 0)
                    transfer_some(t, &fields[turn++ % 2], given, 1, (uint64_t)(origin * 100 + target * 4 + k));
            }
    field_free(&fields[0]);
    field_free(&fields[1]);
}

/* From one byte to several megabytes, around whatever may be a limit. */
void case_transfer_sizes(test *t)
{
    static const size_t sizes[] = {1,     7,     8,      63,     64,     65,      255,    256,   511,
                                   1023,  1025,  4095,   4097,   8191,   8193,    16383,  16385, 32769,
                                   65535, 65537, 131073, 262145, 524287, 1048577, 3000001};
    static const trial_kind kinds[] = {TRIAL_PUT, TRIAL_GET, TRIAL_ACCUMULATE, TRIAL_GET_ACCUMULATE, TRIAL_RGET};
    static const char *const names[] = {"BYTE", "INT32_T", "DOUBLE", "C_DOUBLE_COMPLEX"};
    size_t most = test_is_slow() || t->size > 8 ? 131073 : 3000001;
    for (int flavour = FIELD_CREATED; flavour <= FIELD_ALLOCATED; flavour++) {
        field f;
        field_make(t, (field_flavour)flavour, most + 20000, &f);
        for (int i = 0; i < (int)(sizeof sizes / sizeof sizes[0]) && sizes[i] <= most; i++)
            for (int k = 0; k < 5; k++) {
                trial given = trial_any;
                given.kind = kinds[k];
                given.targets = TARGETS_NEXT;
                given.element = element_named(names[(i + k) % 4]);
                given.op = &operators[k == 2 && (i + k) % 4 ? 2 : 0];
                given.elements = sizes[i] / given.element->basic.extent + 1;
                if (i % 2 == 0)
                    given.origin = given.target = given.result = SHAPE_ONE;
                transfer_some(t, &f, given, 1, (uint64_t)(i * 10 + k));
            }
        field_free(&f);
    }
}
