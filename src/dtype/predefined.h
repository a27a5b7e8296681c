/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predefined datatypes as a table that can be indexed without a call: row `number - COR_DTYPE_FIRST`, NULL where
 * the ABI has no datatype. For the fast path of a face; other code calls cor_dtype_predefined.
 */
#ifndef COR_DTYPE_PREDEFINED_H
#define COR_DTYPE_PREDEFINED_H

#include "dtype/dtype.h"

enum { COR_DTYPE_FIRST = 0x200, COR_DTYPE_ROWS = 0x100 };

/* Declared hidden, so that it is accessed without the global offset table. */
extern const cor_dtype *const cor_dtype_table[COR_DTYPE_ROWS] __attribute__((visibility("hidden")));

#endif
