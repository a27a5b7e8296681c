/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predefined operators, and the loops behind them.
 *
 * One list has all operators and the groups of types for which the standard defines them; op_kernels.c has the types of
 * each group, op_pairs.c those with an index.
 *
 * Beyond the standard, as both MPICH and Open MPI do, they accept logical operators on MPI_AINT, MPI_COUNT and
 * MPI_OFFSET, and MPI_CHAR among the integers, which benchmarks reduce by default. It is signed on every machine, as in
 * both libraries, also where the C compiler's char is not, so that the result does not depend on the machine or the
 * compiler.
 */
#ifndef COR_DTYPE_OP_KERNELS_H
#define COR_DTYPE_OP_KERNELS_H

#include "dtype/op.h"

/* Groups of types, as the standard names them. */
enum {
    COR_OP_C_INTEGER = 1,
    COR_OP_FORTRAN_INTEGER = 2,
    COR_OP_FLOATING = 4,
    COR_OP_LOGICAL = 8,
    COR_OP_COMPLEX = 16,
    COR_OP_BYTE = 32,
    COR_OP_MULTI_LANGUAGE = 64,
    COR_OP_PAIR = 128,
    COR_OP_NONE = 0,
    COR_OP_ORDERED = COR_OP_C_INTEGER | COR_OP_FORTRAN_INTEGER | COR_OP_FLOATING | COR_OP_MULTI_LANGUAGE,
    COR_OP_NUMBERS = COR_OP_ORDERED | COR_OP_COMPLEX,
    COR_OP_BITS = COR_OP_C_INTEGER | COR_OP_FORTRAN_INTEGER | COR_OP_BYTE | COR_OP_MULTI_LANGUAGE,
    COR_OP_TRUTHS = COR_OP_C_INTEGER | COR_OP_LOGICAL | COR_OP_MULTI_LANGUAGE,
};

/* X(number in the ABI, name, is it commutative, groups). The last two are for one-sided communication only. */
#define COR_OP_LIST(X)                                                                                                \
    X(0x21, SUM, 1, COR_OP_NUMBERS)                                                                                   \
    X(0x22, MIN, 1, COR_OP_ORDERED)                                                                                   \
    X(0x23, MAX, 1, COR_OP_ORDERED)                                                                                   \
    X(0x24, PROD, 1, COR_OP_NUMBERS)                                                                                  \
    X(0x28, BAND, 1, COR_OP_BITS)                                                                                     \
    X(0x29, BOR, 1, COR_OP_BITS)                                                                                      \
    X(0x2a, BXOR, 1, COR_OP_BITS)                                                                                     \
    X(0x30, LAND, 1, COR_OP_TRUTHS)                                                                                   \
    X(0x31, LOR, 1, COR_OP_TRUTHS)                                                                                    \
    X(0x32, LXOR, 1, COR_OP_TRUTHS)                                                                                   \
    X(0x38, MINLOC, 1, COR_OP_PAIR)                                                                                   \
    X(0x39, MAXLOC, 1, COR_OP_PAIR)                                                                                   \
    X(0x3c, REPLACE, 0, COR_OP_NONE)                                                                                  \
    X(0x3d, NO_OP, 0, COR_OP_NONE)

/* A row of a table by operator. */
enum {
    COR_OP_FIRST = 0x20,
    COR_OP_ROWS = 0x20,
#define COR_OP_ROW_OF(number, name, ...) COR_OP_ROW_##name = (number)-COR_OP_FIRST,
    COR_OP_LIST(COR_OP_ROW_OF)
#undef COR_OP_ROW_OF
};

/* The kernel of an operator for a predefined type, by their numbers in the ABI; NULL: not defined. Constant time.
 *
 * Where the standard leaves the result open: integers wrap around; a logical result is 0 or 1, and every value but 0 is
 * true; MIN and MAX of a NaN and any value are NaN. All are commutative to the last bit, except the sign of zero in MIN
 * and MAX and the bits inside a NaN. */
cor_combine_fn cor_op_kernel(uint32_t op_number, uint32_t type_number);

/* The same for MINLOC and MAXLOC. Of equal values the one with the lower index is taken, and NaN precedes all. */
cor_combine_fn cor_op_pair_kernel(uint32_t op_number, uint32_t type_number);

#endif
