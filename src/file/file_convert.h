/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion between memory and the bytes of a file, as a payload of the file's bytes that converts where it is read
 * and written, so that no more than a few elements are there twice.
 */
#ifndef COR_FILE_CONVERT_H
#define COR_FILE_CONVERT_H

#include "file/file_state.h"

typedef struct file_convert file_convert;

/* Of a job whose view and `given` are set, which stays where it is: sets `convert`, and `bytes` to what the memory
 * is in the file. COR_ERR_MEMORY, COR_ERR_COUNT, or an error of the format; then there is no conversion. */
int file_convert_create(file_job *job, const cor_file_access *access);
/* Valid as long as the conversion. */
cor_payload file_convert_payload(file_convert *convert);
/* The first error of the format's functions, or COR_OK. */
int file_convert_error(const file_convert *convert);
/* How many bytes of memory the first `bytes` bytes of the file are, as far as they could be converted. */
size_t file_convert_memory_bytes(const file_convert *convert, uint64_t bytes);
/* Of a unit in the file: the payload is read and written in multiples of it. 0: there are no data. */
size_t file_convert_unit_bytes(const file_convert *convert);
void file_convert_destroy(file_convert *convert);

#endif
