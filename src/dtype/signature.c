/* SPDX-License-Identifier: Apache-2.0 */
#include "dtype/signature.h"

#include "dtype/layout.h"
#include "dtype/predefined.h"

#include <stdio.h>

/* Datatypes may share their parts, so that a walk can take far longer than their construction. */
enum { SIGNATURE_DEPTH_MAX = 200, SIGNATURE_VISITS_MAX = 1 << 16 };

/* The hash of a sequence is the sum of its elements' codes, each times this to the power of how many follow. */
static const uint64_t signature_base = 0x9e3779b97f4a7c15u;

/* A signature that others can be appended to. */
typedef struct signature_piece {
    cor_signature known;
    uint64_t power; /* signature_base to the number of elements */
} signature_piece;

/* ---- sequences -------------------------------------------------------------------------------------------------- */

static void signature_add_run(cor_signature *known, cor_signature_run run)
{
    cor_signature_run *last = known->run_count ? &known->runs[known->run_count - 1] : NULL;
    if (run.count == 0 || known->is_longer)
        return;
    if (last && last->number == run.number)
        last->count += run.count;
    else if (known->run_count < COR_SIGNATURE_RUNS)
        known->runs[known->run_count++] = run;
    else
        known->is_longer = 1;
}

static void signature_append(signature_piece *piece, const signature_piece *more)
{
    cor_signature *known = &piece->known;
    known->hash = known->hash * more->power + more->known.hash;
    known->elements += more->known.elements;
    known->is_open |= more->known.is_open;
    piece->power *= more->power;
    for (int i = 0; i < more->known.run_count; i++)
        signature_add_run(known, more->known.runs[i]);
    known->is_longer |= more->known.is_longer;
}

/* `count` times the same, by doubling. */
static signature_piece signature_repeat(const signature_piece *once, uint64_t count)
{
    signature_piece whole = {.power = 1}, doubled = *once;
    for (; count > 0; count /= 2) {
        if (count % 2)
            signature_append(&whole, &doubled);
        signature_piece copy = doubled;
        signature_append(&doubled, &copy);
    }
    return whole;
}

/* ---- basic elements --------------------------------------------------------------------------------------------- */

/* Elements of one code are equivalent. */
static uint64_t signature_code(const cor_value *value)
{
    static const uint8_t classes[] = {
        [COR_VALUE_SIGNED] = 1,   [COR_VALUE_UNSIGNED] = 1, [COR_VALUE_FLOATING] = 2,
        [COR_VALUE_EXTENDED] = 2, [COR_VALUE_LOGICAL] = 3,  [COR_VALUE_ANYTHING] = 4,
    };
    return (uint64_t)classes[value->kind] * 32 + value->bytes;
}

static signature_piece signature_basic(const cor_dtype *type)
{
    signature_piece whole = {.power = 1};
    for (uint32_t i = 0; i < type->basic->count; i++) {
        const cor_value *value = &type->basic->values[i];
        signature_piece part = {.power = signature_base, .known = {.hash = signature_code(value), .elements = 1}};
        for (int parts = 0; parts < value->parts; parts++)
            signature_append(&whole, &part);
    }
    whole.known.is_open = type->basic->values[0].kind == COR_VALUE_ANYTHING;
    whole.known.runs[0] = (cor_signature_run){1, type->number};
    whole.known.run_count = 1;
    return whole;
}

/* ---- walking ---------------------------------------------------------------------------------------------------- */

/* Elements of all blocks. */
static uint64_t signature_length(const cor_layout *layout)
{
    uint64_t length = 0;
    if (!layout->lengths)
        return (uint64_t)layout->count * layout->length;
    for (size_t i = 0; i < layout->count; i++)
        length += layout->lengths[i];
    return length;
}

static signature_piece signature_walk(const cor_dtype *type, int depth, size_t *visits)
{
    const cor_layout *layout = type->layout;
    signature_piece whole = {.power = 1}, element = whole;
    if (type->basic)
        return signature_basic(type);
    if (depth > SIGNATURE_DEPTH_MAX || ++*visits > SIGNATURE_VISITS_MAX) {
        whole.known.is_open = 1;
        return whole;
    }
    if (layout->base) {
        uint64_t length = signature_length(layout);
        if (length == 0)
            return whole;
        element = signature_walk(layout->base, depth + 1, visits);
        return signature_repeat(&element, length);
    }
    const cor_dtype *last = NULL;
    for (size_t i = 0; i < layout->count && !whole.known.is_open; i++) {
        size_t length = cor_layout_length(layout, i);
        if (length == 0)
            continue;
        if (layout->bases[i] != last)
            element = signature_walk(layout->bases[i], depth + 1, visits);
        last = layout->bases[i];
        signature_piece block = signature_repeat(&element, length);
        signature_append(&whole, &block);
    }
    return whole;
}

cor_signature cor_signature_of(const cor_dtype *type, size_t bytes)
{
    size_t visits = 0;
    if (!type)
        return (cor_signature){.is_open = 1};
    if (type->size == 0 || bytes == 0)
        return (cor_signature){0};
    signature_piece element = signature_walk(type, 0, &visits);
    return signature_repeat(&element, bytes / type->size).known;
}

/* ---- comparing and telling -------------------------------------------------------------------------------------- */

int cor_signature_fits(const cor_signature *a, const cor_signature *b)
{
    return a->is_open || b->is_open || (a->hash == b->hash && a->elements == b->elements);
}

void cor_signature_print(const cor_signature *signature, char *out)
{
    enum { MORE_ROOM = sizeof " and so on" };
    int length = snprintf(out, COR_SIGNATURE_WORDS, "%s", signature->run_count ? "" : "nothing");
    int is_cut = signature->is_longer;
    for (int i = 0; i < signature->run_count; i++) {
        const cor_dtype *type = cor_dtype_predefined((uint32_t)signature->runs[i].number);
        const char *before = i == 0 ? "" : i == signature->run_count - 1 && !is_cut ? " and " : ", ";
        int room = COR_SIGNATURE_WORDS - length - MORE_ROOM;
        int added = snprintf(out + length, (size_t)room, "%s%llu of %s", before,
                             (unsigned long long)signature->runs[i].count, type ? type->name : "?");
        is_cut |= added >= room;
        if (added >= room)
            break;
        length += added;
    }
    if (is_cut)
        snprintf(out + length, (size_t)(COR_SIGNATURE_WORDS - length), " and so on");
}
