/* SPDX-License-Identifier: Apache-2.0 */
/* Does mpi.h have the types, values and functions of the ABI? Integers and types are checked by the compiler. */
#include "check.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#define SAME_TYPE(a, b) __builtin_types_compatible_p(a, b)

#ifndef MPI_H_ABI
#error "mpi.h does not define MPI_H_ABI"
#endif

/* Types. */
#define ABI_TYPE(name, other) _Static_assert(SAME_TYPE(name, other), #name);
#define ABI_FIELD(type, name, offset, size)                                                                           \
    _Static_assert(offsetof(type, name) == (offset) && sizeof(((type *)0)->name) == (size), #name);
#define ABI_ENUMERATION(name) _Static_assert(sizeof(enum name) == sizeof(int) && SAME_TYPE(enum name, name), #name);
#include "abi_types.inc"
_Static_assert(sizeof(MPI_Status) == 32, "MPI_Status");
_Static_assert(sizeof(MPI_Comm) == sizeof(void *) && sizeof(MPI_T_enum) == sizeof(void *), "handles are pointers");

/* Integers and aliases. */
#define ABI_INTEGER(name, value) _Static_assert((name) == (value), #name);
#define ABI_POINTER(type, name, value) _Static_assert(SAME_TYPE(__typeof__(name), type), #name);
#define ABI_ALIAS(name, other) _Static_assert(SAME_TYPE(__typeof__(name), __typeof__(other)), #name);
#define ABI_CALLBACK(result, name, parameters) _Static_assert(SAME_TYPE(name, result parameters), #name);
#include "abi_values.inc"
#undef ABI_INTEGER
#undef ABI_POINTER
#undef ABI_ALIAS
#undef ABI_CALLBACK

/* Every function twice. */
#define ABI_FUNCTION(result, name, parameters)                                                                        \
    _Static_assert(SAME_TYPE(__typeof__(name), result parameters), #name);                                            \
    _Static_assert(SAME_TYPE(__typeof__(P##name), result parameters), "P" #name);
#include "abi_functions.inc"

int main(void)
{
    int values = 0;
#define ABI_INTEGER(name, value) values++;
#define ABI_POINTER(type, name, value)                                                                                \
    CHECK((uintptr_t)(name) == (value));                                                                              \
    values++;
#define ABI_ALIAS(name, other)                                                                                        \
    CHECK((name) == (other));                                                                                         \
    values++;
#define ABI_CALLBACK(result, name, parameters)
#include "abi_values.inc"
    printf("%d values\n", values);
    CHECK(values == 365);
    puts("abi_values: passed");
    return 0;
}
