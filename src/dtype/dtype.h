/*
 * Datatypes: what a piece of memory under an MPI datatype looks like, and the payload it makes.
 *
 * A datatype is a list of runs of bytes, relative to the element's address and in the order of the packed stream, and
 * an extent from one element to the next. Where size == extent and there is one run at 0 the memory is contiguous and
 * the payload is plain. Types are immutable and reference counted; predefined ones are constant data that ref and
 * unref leave alone. Reference counts are atomic: a type may be used by several threads and requests at once.
 */
#ifndef COR_DTYPE_DTYPE_H
#define COR_DTYPE_DTYPE_H

#include "dtype/payload.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cor_run {
    ptrdiff_t offset;
    size_t bytes;
} cor_run;

typedef struct cor_dtype {
    const char *name;
    size_t size;          /* bytes of data in one element */
    ptrdiff_t lb, extent; /* lower bound, and distance from one element to the next */
    size_t basic_count;   /* basic elements in one, for Get_elements */
    size_t run_count;
    const cor_run *runs;
    size_t repeat;    /* the runs describe one block; an element is this many blocks ... */
    ptrdiff_t stride; /* ... this far apart */
    int is_contiguous; /* one run at 0, size == extent */
    int is_predefined;
    uint32_t number; /* of a predefined one: its handle in the MPI ABI */
    _Atomic int references;
} cor_dtype;

/* The predefined datatype with this number in the MPI 5.0 ABI (0x200..0x2ff), or NULL. Constant time. */
const cor_dtype *cor_dtype_predefined(uint32_t number);

/* `count` elements of `base` in a row; the new type has one reference and keeps `base`. COR_ERR_MEMORY, or
 * COR_ERR_COUNT if size or extent would overflow. */
int cor_dtype_contiguous(size_t count, const cor_dtype *base, const cor_dtype **type_p);

void cor_dtype_ref(const cor_dtype *type);
void cor_dtype_unref(const cor_dtype *type);

/* The payload of `count` elements at `base`. For a type that is not contiguous the payload's hold keeps the type. */
cor_payload cor_dtype_payload(const cor_dtype *type, const void *base, size_t count);

#endif
