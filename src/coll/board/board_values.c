/* SPDX-License-Identifier: Apache-2.0 */
/* Values of all ranks, in the order of the ranks. */
#include "coll/board/board_values.h"

enum { BOARD_VALUES_CHUNK = 16 << 10 }; /* what is combined stays in the nearest cache until all values are in */

cor_board_values cor_board_values_of(cor_board *board, const cor_call *call)
{
    const cor_payload *own = call->is_in_place ? &call->recv.payload : &call->send.payload;
    return (cor_board_values){.board = board, .call = call, .own = own, .bytes = own->bytes};
}

size_t cor_board_whole_elements(const cor_board_values *values, size_t bytes)
{
    size_t size = values->call->reducer.type->size;
    return bytes > size ? bytes - bytes % size : size;
}

int cor_board_offer_values(cor_board_values *values)
{
    cor_board *board = values->board;
    cor_stream own = {.payload = *values->own, .bytes = values->bytes};
    values->is_offered = 1;
    int rc = cor_board_offer_stream(board, &own, 0);
    if (rc == COR_OK)
        rc = cor_board_await_lines(board);
    /* If one rank has another length than the rest, all see it, and none reads anything. */
    if (rc == COR_OK)
        rc = cor_board_check_lines(board, cor_board_word(values->bytes, COR_BOARD_OFFERED));
    return rc;
}

void cor_board_find_values(cor_board_values *values)
{
    const cor_board *board = values->board;
    for (int i = 0; i < board->size; i++) {
        const cor_board_offer *offer;
        memcpy(&offer, cor_board_row(board)[i].bytes, sizeof offer);
        values->offers[i] = offer->payloads;
    }
}

int cor_board_end_values(cor_board_values *values, int rc)
{
    cor_board *board = values->board;
    if (values->is_offered)
        cor_board_withdraw(board);
    if (rc == COR_OK) {
        cor_board_end_met(board);
        cor_board_end(board);
    } else if (rc != COR_ERR_PEER) {
        cor_board_give_up(board, 0);
    }
    return rc != COR_OK ? rc : values->error;
}

static void values_unmap(cor_board_values *values, int count)
{
    for (int i = count - 1; i >= 0; i--)
        cor_board_unmap(values->offers[i], (void *)(uintptr_t)values->mapped[i], 0);
}

int cor_board_map_values(cor_board_values *values)
{
    for (int i = 0; i < values->board->size && values->is_offered; i++) {
        values->mapped[i] = cor_board_map(values->offers[i], &values->call->reducer);
        if (!values->mapped[i]) {
            values_unmap(values, i);
            return 0;
        }
    }
    return 1;
}

void cor_board_unmap_values(cor_board_values *values)
{
    if (values->is_offered)
        values_unmap(values, values->board->size);
}

static void values_combine_two(cor_board_values *values, const char *left, const char *right, char *out, size_t bytes)
{
    int rc = cor_reduce_packed(&values->call->reducer, left, right, out, bytes);
    values->error = values->error == COR_OK ? rc : values->error;
}

static const char *values_at(const cor_board_values *values, int rank, size_t offset, size_t place)
{
    return values->is_offered ? values->mapped[rank] + offset : cor_board_half(values->board, rank) + place;
}

/* From the right: what is combined so far is then the right operand, which may be overwritten. */
void cor_board_combine_mapped(cor_board_values *values, size_t offset, size_t place, char *out, size_t bytes)
{
    size_t chunk = cor_board_whole_elements(values, BOARD_VALUES_CHUNK);
    int last = values->board->size - 1;
    for (size_t done = 0; done < bytes; done += chunk) {
        size_t part = bytes - done < chunk ? bytes - done : chunk;
        const char *result = values_at(values, last, offset + done, place + done);
        for (int i = last - 1; i >= 0; i--) {
            values_combine_two(values, values_at(values, i, offset + done, place + done), result, out + done, part);
            result = out + done;
        }
    }
}

/* The same with offers that cannot be mapped. */
void cor_board_combine_copied(cor_board_values *values, size_t offset, char *out, size_t bytes)
{
    int last = values->board->size - 1;
    char *copied = values->board->scratch + values->board->half_bytes / 2;
    cor_payload_read(values->offers[last], offset, out, bytes);
    for (int i = last - 1; i >= 0; i--) {
        cor_payload_read(values->offers[i], offset, copied, bytes);
        values_combine_two(values, copied, out, out, bytes);
    }
}
