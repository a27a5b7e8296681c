/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/bind/bind_place.h"

#include "launch/bind/bind_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The usable units, grouped by the objects that ranks are mapped to; objects without any are left out. */
typedef struct place_layout {
    int objects;
    int start[COR_CPU_MAX + 1]; /* the units of object i are unit[start[i]] to unit[start[i + 1] - 1] */
    int unit[COR_CPU_MAX];      /* a hardware thread that stands for it */
} place_layout;

/* Where a rank is, and by which it is numbered. */
typedef struct place_seat {
    int object, slot; /* the slot-th rank there, from 0 */
    int key[3];
} place_seat;

/* ---- units ------------------------------------------------------------------------------------------------------ */

/* The first usable thread of its unit stands for it. */
static void place_find_units(const bind_machine *machine, bind_kind unit, unsigned char *is_unit)
{
    unsigned char is_seen[COR_CPU_MAX] = {0};
    for (int i = 0; i < machine->count; i++) {
        int number = machine->of[unit][i];
        is_unit[i] = machine->is_usable[i] && number >= 0 && !is_seen[number];
        if (is_unit[i])
            is_seen[number] = 1;
    }
}

static void place_group(const bind_machine *machine, const bind_policy *policy, place_layout *layout)
{
    unsigned char is_unit[COR_CPU_MAX];
    int filled = 0;
    place_find_units(machine, policy->unit, is_unit);
    layout->objects = 0;
    layout->start[0] = 0;
    for (int number = 0; number < machine->objects[policy->map_kind]; number++) {
        for (int i = 0; i < machine->count; i++)
            if (is_unit[i] && machine->of[policy->map_kind][i] == number)
                layout->unit[filled++] = i;
        if (filled > layout->start[layout->objects])
            layout->start[++layout->objects] = filled;
    }
}

/* How many ranks an object holds without sharing. */
static int place_room(const place_layout *layout, const bind_policy *policy, int object)
{
    return (layout->start[object + 1] - layout->start[object]) / policy->pe;
}

static int place_all_room(const place_layout *layout, const bind_policy *policy)
{
    int room = 0;
    for (int i = 0; i < layout->objects; i++) {
        int here = place_room(layout, policy, i);
        room += policy->map == BIND_MAP_PPR && here > policy->per_object ? policy->per_object : here;
    }
    return room;
}

/* ---- mapping ---------------------------------------------------------------------------------------------------- */

/* One object after the other, per_object ranks each. */
static void place_map_ppr(const bind_policy *policy, int count, place_seat *seats)
{
    for (int i = 0; i < count; i++) {
        seats[i].object = i / policy->per_object;
        seats[i].slot = i % policy->per_object;
    }
}

/* Objects in turn, as long as they have room; when none has, once more from the start. Some object has room. */
static void place_map_in_turn(const place_layout *layout, const bind_policy *policy, int count, place_seat *seats)
{
    int given[COR_CPU_MAX] = {0}, object = 0, full = 0, lap = 1;
    for (int i = 0; i < count;) {
        if (given[object] < lap * place_room(layout, policy, object)) {
            seats[i].object = object;
            seats[i++].slot = given[object]++;
            full = 0;
        } else if (++full == layout->objects) {
            lap++;
            full = 0;
            object = -1;
        }
        object = (object + 1) % layout->objects;
    }
}

/* ---- ranking ---------------------------------------------------------------------------------------------------- */

static int place_compare(const void *left, const void *right)
{
    const place_seat *a = left, *b = right;
    for (int i = 0; i < 3; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return 0;
}

/* Put the seats into the order of the ranks. */
static void place_rank(const bind_machine *machine, const bind_policy *policy, const place_layout *layout, int count,
                       place_seat *seats)
{
    int taken[COR_CPU_MAX] = {0};
    if (policy->rank != BIND_RANK_OBJECT && policy->rank != BIND_RANK_FILL)
        return;
    for (int i = 0; i < count; i++) {
        place_seat *seat = &seats[i];
        int object = seat->object, room = place_room(layout, policy, object);
        seat->key[2] = i;
        seat->key[0] = object; /* all ranks of an object, then the next */
        if (policy->rank == BIND_RANK_FILL)
            continue;
        int unit = layout->unit[layout->start[object] + seat->slot % room * policy->pe];
        int number = machine->of[policy->rank_kind][unit];
        seat->key[0] = number >= 0 ? taken[number]++ : 0;
        seat->key[1] = number;
    }
    qsort(seats, (size_t)count, sizeof *seats, place_compare);
}

/* ---- binding ---------------------------------------------------------------------------------------------------- */

static void place_bind(const bind_machine *machine, const bind_policy *policy, const place_layout *layout,
                       const place_seat *seat, cor_cpu_set *set_p)
{
    int room = place_room(layout, policy, seat->object);
    memset(set_p, 0, sizeof *set_p);
    for (int i = 0; i < policy->pe; i++) {
        int unit = layout->unit[layout->start[seat->object] + seat->slot % room * policy->pe + i];
        /* Not every core needs to have a cache of every level. */
        const int16_t *of = machine->of[machine->of[policy->kind][unit] >= 0 ? policy->kind : policy->unit];
        for (int thread = 0; thread < machine->count; thread++)
            if (machine->is_usable[thread] && of[thread] == of[unit])
                cor_bind_set_add(set_p, machine->cpu[thread]);
    }
}

/* ---- what does not fit ------------------------------------------------------------------------------------------ */

static int place_leave(const bind_policy *policy, bind_places *places, cor_fault *fault, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Ranks are not bound: an error if that was requested, a notice if it follows from other options, else the default. */
static int place_leave(const bind_policy *policy, bind_places *places, cor_fault *fault, const char *format, ...)
{
    char text[sizeof fault->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (policy->wish == BIND_REQUESTED)
        return cor_fault_set(fault, COR_ERR_ARG, "%s", text);
    if (policy->wish == BIND_DERIVED)
        cor_fault_set(&places->notice, COR_ERR_ARG, "%s; ranks are not bound", text);
    return COR_OK;
}

bind_kind cor_bind_missing(const bind_machine *machine, const bind_policy *policy)
{
    if (machine->objects[policy->kind] == 0)
        return policy->kind;
    if (machine->objects[policy->map_kind] == 0)
        return policy->map_kind;
    if (policy->rank == BIND_RANK_OBJECT && machine->objects[policy->rank_kind] == 0)
        return policy->rank_kind;
    return BIND_KINDS;
}

/* Wishes that no host of this kind could meet. */
static int place_check(const bind_machine *machine, const bind_policy *policy, const place_layout *layout, int count,
                       cor_fault *fault)
{
    const char *units = cor_bind_kind_names(policy->unit), *kind = cor_bind_kind_name(policy->map_kind);
    int most = 0, least = COR_CPU_MAX;
    for (int i = 0; i < layout->objects; i++) {
        int here = layout->start[i + 1] - layout->start[i];
        most = here > most ? here : most;
        least = here < least ? here : least;
    }
    if (machine->count == 0 || layout->objects == 0)
        return cor_fault_set(fault, COR_ERR_ARG, "no CPU of this host may be used");
    if (most < policy->pe || (policy->map == BIND_MAP_PPR && least < policy->pe))
        return cor_fault_set(fault, COR_ERR_ARG, "PE=%d: a %s has only %d %s that may be used; give at most PE=%d",
                             policy->pe, kind, policy->map == BIND_MAP_PPR ? least : most, units,
                             policy->map == BIND_MAP_PPR ? least : most);
    if (policy->map == BIND_MAP_PPR && count > policy->per_object * layout->objects)
        return cor_fault_set(fault, COR_ERR_ARG,
                             "%d ranks are more than the %d that ppr:%d:%s allows: this host has %d %s for them",
                             count, policy->per_object * layout->objects, policy->per_object, kind, layout->objects,
                             layout->objects == 1 ? kind : cor_bind_kind_names(policy->map_kind));
    return COR_OK;
}

static int place_is_overloaded(const bind_policy *policy, const place_layout *layout, int count,
                               const place_seat *seats)
{
    for (int i = 0; i < count; i++)
        if (seats[i].slot >= place_room(layout, policy, seats[i].object))
            return 1;
    return 0;
}

/* Is the whole machine ours? A scheduler or a container that gives us a part of it has chosen already. One rank has no
 * other to be kept apart from. */
static int place_is_ours(const bind_machine *machine, int count)
{
    for (int i = 0; i < machine->count; i++)
        if (!machine->is_usable[i])
            return 0;
    return machine->count > 0 && count > 1;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static int place_by_slots(const bind_machine *machine, const bind_policy *policy, const char *const *slots, int count,
                          cor_cpu_set *sets, cor_fault *fault)
{
    for (int i = 0; i < count; i++) {
        int rc = cor_bind_slots(machine, policy->unit, slots[i], &sets[i], fault);
        if (rc != COR_OK)
            return rc;
    }
    return COR_OK;
}

static int place_by_policy(const bind_machine *machine, const bind_policy *policy, int count, place_seat *seats,
                           cor_cpu_set *sets, bind_places *places_p, cor_fault *fault)
{
    place_layout layout;
    place_group(machine, policy, &layout);
    int rc = place_check(machine, policy, &layout, count, fault);
    if (rc != COR_OK)
        return rc;
    if (policy->map == BIND_MAP_PPR)
        place_map_ppr(policy, count, seats);
    else
        place_map_in_turn(&layout, policy, count, seats);
    /* Ranks that are bound to all CPUs do not overload them more than unbound ones. */
    int may_share = policy->may_overload || policy->kind == BIND_BOARD;
    if (!may_share && place_is_overloaded(policy, &layout, count, seats)) {
        const char *kind = cor_bind_kind_name(policy->kind), *units = cor_bind_kind_names(policy->unit);
        char share[40] = "";
        if (policy->pe > 1)
            snprintf(share, sizeof share, " of %d %s each", policy->pe, units);
        return place_leave(policy, places_p, fault,
                           "%d ranks%s do not fit this host, where %d can have %s of their own; --bind-to "
                           "%s:overload-allowed lets ranks share them",
                           count, share, place_all_room(&layout, policy), units, kind);
    }
    place_rank(machine, policy, &layout, count, seats);
    for (int i = 0; i < count; i++)
        place_bind(machine, policy, &layout, &seats[i], &sets[i]);
    places_p->is_bound = 1;
    return COR_OK;
}

int cor_bind_place(const bind_machine *machine, const bind_policy *policy, const char *const *slots, int count,
                   cor_cpu_set *sets, bind_places *places_p, cor_fault *fault)
{
    memset(places_p, 0, sizeof *places_p);
    if (policy->wish == BIND_FREE) {
        if (cor_bind_policy_is_inside(policy))
            cor_fault_set(&places_p->notice, COR_ERR_ARG,
                          "--map-by and --rank-by change nothing inside a host, because ranks are not bound");
        return COR_OK;
    }
    if (slots) {
        int rc = place_by_slots(machine, policy, slots, count, sets, fault);
        places_p->is_bound = rc == COR_OK;
        return rc;
    }
    bind_kind missing = cor_bind_missing(machine, policy);
    if (missing < BIND_KINDS && policy->is_if_supported)
        return COR_OK;
    if (missing < BIND_KINDS)
        return place_leave(policy, places_p, fault,
                           "this host has no %s, or does not tell of them; --bind-to %s:if-supported leaves ranks "
                           "free where there are none",
                           cor_bind_kind_names(missing), cor_bind_kind_name(policy->kind));
    if (policy->wish == BIND_DEFAULT && !place_is_ours(machine, count))
        return COR_OK;
    place_seat *seats = calloc((size_t)count, sizeof *seats);
    if (!seats)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the CPUs of %d ranks", count);
    int rc = place_by_policy(machine, policy, count, seats, sets, places_p, fault);
    free(seats);
    return rc;
}
