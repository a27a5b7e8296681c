/* SPDX-License-Identifier: Apache-2.0 */
#include "net/net_ring.h"

int net_cursor_rest(net_cursor *cursor, struct iovec *rest, int room, size_t most)
{
    int count = 0;
    size_t offset = cursor->offset;
    for (int i = cursor->at; i < cursor->count && count < room && most > 0; i++, offset = 0) {
        size_t length = cursor->parts[i].iov_len - offset;
        length = length < most ? length : most;
        if (length == 0)
            continue;
        rest[count].iov_base = (char *)cursor->parts[i].iov_base + offset;
        rest[count].iov_len = length;
        most -= length;
        count++;
    }
    return count;
}

void net_cursor_skip(net_cursor *cursor, size_t length)
{
    while (length > 0) {
        size_t piece;
        if (!net_cursor_piece(cursor, length, &piece))
            return;
        net_cursor_advance(cursor, piece);
        length -= piece;
    }
}
