/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How file_transfer.c reaches the system: a test puts other functions in the place of these, which move less than they
 * are asked to, or fail.
 */
#ifndef COR_FILE_TRANSFER_H
#define COR_FILE_TRANSFER_H

#include "file/file_state.h"

#include <sys/types.h>

typedef struct file_transfer_ops {
    ssize_t (*pread)(int fd, void *memory, size_t bytes, off_t at);
    ssize_t (*pwrite)(int fd, const void *memory, size_t bytes, off_t at);
} file_transfer_ops;

extern const file_transfer_ops file_transfer_system;

/* file_transfer_run by these functions. */
void file_transfer_with(const file_transfer_ops *ops, int fd, int is_write, const file_piece *pieces, size_t count,
                        void *memory, file_result *result);

#endif
