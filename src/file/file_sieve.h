/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sieving: pieces that lie close together are read with one larger read, from which they are copied. Only reading: a
 * write must not touch what lies between.
 */
#ifndef COR_FILE_SIEVE_H
#define COR_FILE_SIEVE_H

#include "file/file_state.h"

/* As file_transfer_run to read, by these hints: a group of pieces is read at once if it has several, is not longer
 * than ind_rd_buffer_size and, unless romio_ds_read is enabled, each piece begins FILE_SIEVE_STEP bytes or fewer before
 * the next: reading and copying so many bytes takes about as long as a system call. */
enum { FILE_SIEVE_STEP = 4096 };
void file_sieve_read(int fd, const file_hints *hints, const file_piece *pieces, size_t count, void *memory,
                     file_result *result);

#endif
