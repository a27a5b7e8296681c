/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long reduction among two threads of one process, or a few, which all get the result: each combines everything into
 * its own buffer, directly from the buffers of the others. No rank leaves before all have read its values.
 *
 * A rank's buffers are written by that rank alone, as a virtual machine may map a copy.
 */
#include "coll/board/board_reduce.h"
#include "coll/board/board_values.h"

enum { BOARD_DIRECT_STEP = 64 << 10 }; /* a garbage collector may have to wait for as long as values are mapped */

static int direct_await_got(const cor_board_values *values, size_t steps)
{
    cor_board *board = values->board;
    return cor_board_await(board, board->got, 0, board->size, cor_board_count(board, steps));
}

/* A step, straight into the result where that can be mapped too. Values that are in place are overwritten when the
 * others have read them. */
static int direct_step(cor_board_values *values, size_t step, size_t offset, size_t bytes)
{
    cor_board *board = values->board;
    const cor_call *call = values->call;
    const cor_payload *recv = &call->recv.payload;
    char *result = NULL, *target = board->scratch;
    if (cor_board_map_values(values)) {
        result = call->is_in_place ? NULL : cor_board_map(recv, &call->reducer);
        cor_board_combine_mapped(values, offset, 0, result ? result + offset : target, bytes);
        cor_board_unmap(recv, result, 1);
        cor_board_unmap_values(values);
    } else {
        cor_board_combine_copied(values, offset, target, bytes);
    }
    cor_board_raise(&board->got[board->rank], cor_board_count(board, step + 1));
    cor_board_tell(board);
    int rc = call->is_in_place ? direct_await_got(values, step + 1) : COR_OK;
    if (!result && rc == COR_OK)
        cor_payload_write(recv, offset, target, bytes);
    return rc;
}

int cor_board_direct(cor_board *board, const cor_call *call)
{
    cor_board_values values = cor_board_values_of(board, call);
    size_t most = board->half_bytes / 2, steps = 0;
    size_t step = cor_board_whole_elements(&values, most < BOARD_DIRECT_STEP ? most : BOARD_DIRECT_STEP);
    int rc = cor_board_offer_values(&values);
    if (rc == COR_OK)
        cor_board_find_values(&values);
    for (size_t offset = 0; offset < values.bytes && rc == COR_OK; offset += step, steps++) {
        size_t left = values.bytes - offset;
        rc = direct_step(&values, steps, offset, left < step ? left : step);
    }
    if (rc == COR_OK)
        rc = direct_await_got(&values, steps);
    return cor_board_end_values(&values, rc);
}
