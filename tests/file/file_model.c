/* SPDX-License-Identifier: Apache-2.0 */
#include "file_model.h"

#include <stdlib.h>
#include <string.h>

void model_make(model *m, MPI_Offset origin)
{
    *m = (model){.origin = origin};
}

void model_free(model *m)
{
    free(m->bytes);
    *m = (model){0};
}

void model_resize(model *m, size_t size)
{
    if (size > m->room) {
        m->room = 2 * size;
        m->bytes = realloc(m->bytes, m->room);
        CHECK(m->bytes);
    }
    if (size > m->size)
        memset(m->bytes + m->size, 0, size - m->size);
    m->size = size;
}

void model_write(model *m, const layout *view, uint64_t position, const unsigned char *stream, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        size_t at = (size_t)(layout_at(view, position + i) - m->origin);
        if (at >= m->size)
            model_resize(m, at + 1);
        m->bytes[at] = stream[i];
    }
}

size_t model_read(const model *m, const layout *view, uint64_t position, unsigned char *stream, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        size_t at = (size_t)(layout_at(view, position + i) - m->origin);
        if (at >= m->size)
            return i;
        stream[i] = m->bytes[at];
    }
    return bytes;
}

void model_check(const model *m, test *t, const char *name)
{
    CHECK_EQUAL(m->size ? m->origin + (long long)m->size : 0, test_disk_size(t, name));
    CHECK_DISK(t, name, m->origin, m->bytes, m->size, 1);
}
