/* SPDX-License-Identifier: Apache-2.0 */
#include "dtype/kernel.h"

/* The direction of a copy; a constant in every kernel. */
enum { KERNEL_UNPACK, KERNEL_PACK };

enum { KERNEL_FIXED_MAX = 32 }; /* bytes of the largest block with a loop of its own */

#define KERNEL_INLINE static inline __attribute__((always_inline))

KERNEL_INLINE void kernel_copy(char *restrict packed, char *restrict memory, size_t bytes, int way)
{
    if (way == KERNEL_PACK)
        memcpy(packed, memory, bytes);
    else
        memcpy(memory, packed, bytes);
}

KERNEL_INLINE void kernel_copy_small(char *restrict packed, char *restrict memory, size_t bytes, int way)
{
    if (way == KERNEL_PACK)
        cor_copy(packed, memory, bytes);
    else
        cor_copy(memory, packed, bytes);
}

/* Four blocks, `stride` apart. Through locals, so that loads need not wait for stores and stores come in pairs. */
KERNEL_INLINE void kernel_four(char *packed, char *memory, ptrdiff_t stride, size_t block, int way)
{
    char four[4][KERNEL_FIXED_MAX];
    for (int i = 0; i < 4; i++)
        memcpy(four[i], way == KERNEL_PACK ? memory + i * stride : packed + (size_t)i * block, block);
    for (int i = 0; i < 4; i++)
        memcpy(way == KERNEL_PACK ? packed + (size_t)i * block : memory + i * stride, four[i], block);
}

KERNEL_INLINE void kernel_row(char *restrict packed, char *restrict memory, size_t count, ptrdiff_t stride,
                              size_t block, int way)
{
    for (; count >= 4; count -= 4, packed += 4 * block, memory += 4 * stride)
        kernel_four(packed, memory, stride, block, way);
    for (; count > 0; count--, packed += block, memory += stride)
        kernel_copy(packed, memory, block, way);
}

/* The parameters of all kernels. */
#define KERNEL_PARAMETERS                                                                                             \
    char *packed, char *memory, size_t outer, ptrdiff_t outer_stride, size_t inner, ptrdiff_t inner_stride,           \
        size_t block

KERNEL_INLINE void kernel_rows(KERNEL_PARAMETERS, int way)
{
    for (; outer > 0; outer--, packed += inner * block, memory += outer_stride)
        kernel_row(packed, memory, inner, inner_stride, block, way);
}

/* Blocks of any size. */
KERNEL_INLINE void kernel_any(KERNEL_PARAMETERS, int is_small, int way)
{
    for (; outer > 0; outer--, memory += outer_stride) {
        char *row = memory;
        for (size_t i = inner; i > 0; i--, row += inner_stride, packed += block) {
            if (is_small)
                kernel_copy_small(packed, row, block, way);
            else
                kernel_copy(packed, row, block, way);
        }
    }
}

/* Blocks of a size known to the compiler, which copies them itself: not where the copies are watched. */
#define KERNEL_FIXED(bytes)                                                                                           \
    static void kernel_pack_##bytes(KERNEL_PARAMETERS)                                                                \
    {                                                                                                                 \
        (void)block;                                                                                                  \
        if (cor_copy_is_watched())                                                                                    \
            kernel_any(packed, memory, outer, outer_stride, inner, inner_stride, bytes, 1, KERNEL_PACK);              \
        else                                                                                                          \
            kernel_rows(packed, memory, outer, outer_stride, inner, inner_stride, bytes, KERNEL_PACK);                \
    }                                                                                                                 \
    static void kernel_unpack_##bytes(KERNEL_PARAMETERS)                                                              \
    {                                                                                                                 \
        (void)block;                                                                                                  \
        if (cor_copy_is_watched())                                                                                    \
            kernel_any(packed, memory, outer, outer_stride, inner, inner_stride, bytes, 1, KERNEL_UNPACK);            \
        else                                                                                                          \
            kernel_rows(packed, memory, outer, outer_stride, inner, inner_stride, bytes, KERNEL_UNPACK);              \
    }
COR_KERNEL_SIZES(KERNEL_FIXED)

static void kernel_pack_small(KERNEL_PARAMETERS)
{
    kernel_any(packed, memory, outer, outer_stride, inner, inner_stride, block, 1, KERNEL_PACK);
}

static void kernel_unpack_small(KERNEL_PARAMETERS)
{
    kernel_any(packed, memory, outer, outer_stride, inner, inner_stride, block, 1, KERNEL_UNPACK);
}

static void kernel_pack_large(KERNEL_PARAMETERS)
{
    kernel_any(packed, memory, outer, outer_stride, inner, inner_stride, block, 0, KERNEL_PACK);
}

static void kernel_unpack_large(KERNEL_PARAMETERS)
{
    kernel_any(packed, memory, outer, outer_stride, inner, inner_stride, block, 0, KERNEL_UNPACK);
}

/* ---- lists of blocks
 * --------------------------------------------------------------------------------------------
 */

KERNEL_INLINE void kernel_list_fixed(char *restrict packed, char *restrict memory, const cor_body *body, size_t block,
                                     int way)
{
    const cor_step *end = body->steps + body->count;
    for (const cor_step *step = body->steps; step < end; step++, packed += block)
        kernel_copy(packed, memory + step->offset, block, way);
}

/* Blocks of a few numbers of 8 bytes, as the rows of small matrices are,
 * without a chain of comparisons. */
KERNEL_INLINE void kernel_copy_mixed(char *restrict packed, char *restrict memory, size_t bytes, int way)
{
    switch (bytes % 8 || cor_copy_is_watched() ? 0 : bytes / 8) {
    case 1:
        kernel_copy(packed, memory, 8, way);
        break;
    case 2:
        kernel_copy(packed, memory, 16, way);
        break;
    case 3:
        kernel_copy(packed, memory, 24, way);
        break;
    case 4:
        kernel_copy(packed, memory, 32, way);
        break;
    case 5:
        kernel_copy(packed, memory, 40, way);
        break;
    case 6:
        kernel_copy(packed, memory, 48, way);
        break;
    case 7:
        kernel_copy(packed, memory, 56, way);
        break;
    case 8:
        kernel_copy(packed, memory, 64, way);
        break;
    default:
        kernel_copy_small(packed, memory, bytes, way);
    }
}

KERNEL_INLINE void kernel_list_any(char *restrict packed, char *restrict memory, const cor_body *body, int way)
{
    const cor_step *end = body->steps + body->count;
    for (const cor_step *step = body->steps; step < end; step++)
        kernel_copy_mixed(packed + step->begin, memory + step->offset, step[1].begin - step->begin, way);
}

KERNEL_INLINE void kernel_list(char *packed, char *memory, const cor_body *body, size_t count, ptrdiff_t stride,
                               int way)
{
    size_t block = cor_copy_is_watched() ? 0 : body->uniform;
    for (; count > 0; count--, packed += body->bytes, memory += stride) {
        if (block == 8)
            kernel_list_fixed(packed, memory, body, 8, way);
        else if (block == 4)
            kernel_list_fixed(packed, memory, body, 4, way);
        else
            kernel_list_any(packed, memory, body, way);
    }
}

static void kernel_pack_list(char *packed, char *memory, const cor_body *body, size_t count, ptrdiff_t stride)
{
    kernel_list(packed, memory, body, count, stride, KERNEL_PACK);
}

static void kernel_unpack_list(char *packed, char *memory, const cor_body *body, size_t count, ptrdiff_t stride)
{
    kernel_list(packed, memory, body, count, stride, KERNEL_UNPACK);
}

/* ---- tables
 * -----------------------------------------------------------------------------------------------------
 */

static void kernel_pack_block(char *packed, char *memory, size_t bytes)
{
    cor_copy(packed, memory, bytes);
}

static void kernel_unpack_block(char *packed, char *memory, size_t bytes)
{
    cor_copy(memory, packed, bytes);
}

const cor_kernel_way cor_kernel_pack = {
    .loops =
        {
#define KERNEL_ROW(bytes) [COR_KERNEL_##bytes] = kernel_pack_##bytes,
            COR_KERNEL_SIZES(KERNEL_ROW)
#undef KERNEL_ROW
                [COR_KERNEL_SMALL] = kernel_pack_small,
            [COR_KERNEL_LARGE] = kernel_pack_large,
        },
    .list = kernel_pack_list,
    .block = kernel_pack_block,
};

const cor_kernel_way cor_kernel_unpack = {
    .loops =
        {
#define KERNEL_ROW(bytes) [COR_KERNEL_##bytes] = kernel_unpack_##bytes,
            COR_KERNEL_SIZES(KERNEL_ROW)
#undef KERNEL_ROW
                [COR_KERNEL_SMALL] = kernel_unpack_small,
            [COR_KERNEL_LARGE] = kernel_unpack_large,
        },
    .list = kernel_unpack_list,
    .block = kernel_unpack_block,
};
