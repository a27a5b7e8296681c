/* SPDX-License-Identifier: Apache-2.0 */
/* A payload over rows of memory. */
#include "win/win_state.h"

static void rows_move(const cor_payload *p, size_t offset, char *plain, size_t length, int is_written)
{
    const win_rows *rows = p->owner;
    size_t i = 0;
    for (; offset >= rows->rows[i].bytes && length > 0; i++)
        offset -= rows->rows[i].bytes;
    while (length > 0) {
        size_t piece = rows->rows[i].bytes - offset < length ? rows->rows[i].bytes - offset : length;
        char *at = rows->base + rows->rows[i].at + offset;
        cor_copy(is_written ? at : plain, is_written ? plain : at, piece);
        plain += piece;
        length -= piece;
        offset = 0;
        i++;
    }
}

static void rows_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    rows_move(p, offset, to, length, 0);
}

static void rows_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    rows_move(p, offset, (char *)(uintptr_t)from, length, 1);
}

static const cor_payload_ops rows_ops = {.read = rows_read, .write = rows_write};

cor_payload win_rows_payload(const win_rows *rows, size_t bytes)
{
    if (rows->count == 1)
        return cor_payload_plain(rows->base + rows->rows[0].at, bytes);
    return (cor_payload){.ops = &rows_ops, .owner = (void *)(uintptr_t)rows, .bytes = bytes};
}
