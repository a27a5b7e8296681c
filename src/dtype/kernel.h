/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The innermost loops: two loops over blocks of one size, and lists of blocks, each to and from packed memory. Blocks
 * of the sizes of numbers have loops of their own, of plain loads and stores.
 */
#ifndef COR_DTYPE_KERNEL_H
#define COR_DTYPE_KERNEL_H

#include "dtype/program.h"

/* X(bytes): block sizes with a loop of their own. */
#define COR_KERNEL_SIZES(X) X(1) X(2) X(4) X(8) X(12) X(16) X(24) X(32)

enum cor_kernel {
#define COR_KERNEL_ENUM(bytes) COR_KERNEL_##bytes,
    COR_KERNEL_SIZES(COR_KERNEL_ENUM)
#undef COR_KERNEL_ENUM
        COR_KERNEL_SMALL, /* up to 64 bytes */
    COR_KERNEL_LARGE,
    COR_KERNELS
};

/* Two loops over blocks of `block` bytes; packed memory is filled or read without gaps. All arguments are in
 * registers. */
typedef void (*cor_kernel_fn)(char *packed, char *memory, size_t outer, ptrdiff_t outer_stride, size_t inner,
                              ptrdiff_t inner_stride, size_t block);
/* `count` times the blocks of a flat body, `stride` apart. */
typedef void (*cor_kernel_list_fn)(char *packed, char *memory, const cor_body *body, size_t count, ptrdiff_t stride);

/* One direction. */
typedef struct cor_kernel_way {
    cor_kernel_fn loops[COR_KERNELS];
    cor_kernel_list_fn list;
    void (*block)(char *packed, char *memory, size_t bytes);
} cor_kernel_way;

extern const cor_kernel_way cor_kernel_pack, cor_kernel_unpack;

/* The kernel for blocks of this size; a constant if that is one. */
#define COR_KERNEL_OF(bytes)                                                                                          \
    ((bytes) == 1    ? COR_KERNEL_1                                                                                   \
     : (bytes) == 2  ? COR_KERNEL_2                                                                                   \
     : (bytes) == 4  ? COR_KERNEL_4                                                                                   \
     : (bytes) == 8  ? COR_KERNEL_8                                                                                   \
     : (bytes) == 12 ? COR_KERNEL_12                                                                                  \
     : (bytes) == 16 ? COR_KERNEL_16                                                                                  \
     : (bytes) == 24 ? COR_KERNEL_24                                                                                  \
     : (bytes) == 32 ? COR_KERNEL_32                                                                                  \
     : (bytes) <= 64 ? COR_KERNEL_SMALL                                                                               \
                     : COR_KERNEL_LARGE)

#endif
