/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/plan/combine.h"

#include "base/error.h"

#include <stdlib.h>

enum { COMBINE_PIECE = 64 * 1024 }; /* what is combined at a time where memory is not plain */

/* Plain memory for a piece of an operand that is not mapped: itself, or a copy. */
static char *combine_operand(const cor_payload *payload, size_t offset, size_t bytes, char *copy, int is_read)
{
    if (!payload->ops)
        return (char *)payload->base + offset;
    if (is_read)
        cor_payload_read(payload, offset, copy, bytes);
    return copy;
}

static int combine_reserve(cor_bounce *bounce, size_t bytes)
{
    if (bounce->bytes >= bytes)
        return COR_OK;
    free(bounce->memory);
    bounce->memory = malloc(bytes);
    bounce->bytes = bounce->memory ? bytes : 0;
    return bounce->memory ? COR_OK : COR_ERR_MEMORY;
}

/* Combine one piece of operands that are not all plain. */
static int combine_piece(const cor_reducer *reducer, const cor_payload operands[3], size_t offset, size_t bytes,
                         char *copies, size_t room)
{
    /* A user's operator may call into a virtual machine: nothing may be mapped meanwhile. */
    int can_map = reducer->combine != NULL;
    char *memory[3];
    int is_mapped[3] = {0};
    /* Copies first: while something is mapped nothing else may be read. */
    for (int i = 0; i < 3; i++)
        if (!(can_map && operands[i].ops && operands[i].ops->map))
            memory[i] = combine_operand(&operands[i], offset, bytes, copies + (size_t)i * room, i < 2);
    for (int i = 0; i < 3; i++)
        if (can_map && operands[i].ops && operands[i].ops->map) {
            memory[i] = (char *)operands[i].ops->map(&operands[i]) + offset;
            is_mapped[i] = 1;
        }
    int rc = cor_reduce_packed(reducer, memory[0], memory[1], memory[2], bytes);
    for (int i = 2; i >= 0; i--)
        if (is_mapped[i])
            operands[i].ops->unmap(&operands[i], memory[i] - offset, i == 2);
    if (operands[2].ops && !is_mapped[2])
        cor_payload_write(&operands[2], offset, memory[2], bytes);
    return rc;
}

int cor_combine(const cor_reducer *reducer, const cor_payload operands[3], size_t bytes, cor_bounce *bounce)
{
    if (COR_LIKELY(!operands[0].ops && !operands[1].ops && !operands[2].ops))
        return cor_reduce_packed(reducer, operands[0].base, operands[1].base, operands[2].base, bytes);
    size_t element = reducer->type->size;
    size_t room = element > COMBINE_PIECE ? element : COMBINE_PIECE / element * element;
    int rc = combine_reserve(bounce, 3 * room);
    for (size_t offset = 0; offset < bytes && rc == COR_OK; offset += room) {
        size_t left = bytes - offset;
        rc = combine_piece(reducer, operands, offset, left < room ? left : room, bounce->memory, room);
    }
    return rc;
}

void cor_bounce_fini(cor_bounce *bounce)
{
    free(bounce->memory);
}
