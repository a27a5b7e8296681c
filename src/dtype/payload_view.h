/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads made of payloads: a piece of one, and several in a row. */
#ifndef COR_DTYPE_PAYLOAD_VIEW_H
#define COR_DTYPE_PAYLOAD_VIEW_H

#include "dtype/payload.h"

/* Bytes [offset, offset + bytes) of `whole`, which must not move while the piece is in use. A piece of plain memory is
 * plain memory. Holding the piece holds the whole; the owner of the whole releases it. */
cor_payload cor_payload_slice(cor_payload *whole, size_t offset, size_t bytes);

/* Payloads one after the other, as one stream. Part i covers bytes starts[i] .. starts[i + 1]. The row must not move
 * while the payload is in use. Holding the payload holds the parts, releasing it releases them. */
typedef struct cor_payload_row {
    size_t count;
    const size_t *starts;
    cor_payload *parts;
} cor_payload_row;

cor_payload cor_payload_join(cor_payload_row *row);

#endif
