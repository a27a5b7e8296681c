/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the binary interface of hwloc 2 that Corunna uses, so that its header is not needed to build.
 * tests/launcher/hwloc_abi_test.c compares every line of this with the real header where that is installed.
 *
 * The names differ from hwloc's: a file may include this and hwloc.h.
 */
#ifndef COR_RUN_HWLOC_ABI_H
#define COR_RUN_HWLOC_ABI_H

#include <stdint.h>

#define HWLOC_ABI_LIBRARY "libhwloc.so.15" /* of all versions 2 */

enum { /* types of objects */
       HWLOC_ABI_PACKAGE = 1,
       HWLOC_ABI_CORE = 2,
       HWLOC_ABI_PU = 3,
       HWLOC_ABI_L1CACHE = 4,
       HWLOC_ABI_L2CACHE = 5,
       HWLOC_ABI_L3CACHE = 6,
       HWLOC_ABI_NUMANODE = 13,
};
enum { HWLOC_ABI_DEPTH_UNKNOWN = -1, HWLOC_ABI_DEPTH_MULTIPLE = -2 };
enum { HWLOC_ABI_INCLUDE_DISALLOWED = 1 }; /* a flag of a topology */

typedef struct hwloc_abi_topology hwloc_abi_topology;
typedef struct hwloc_abi_bitmap hwloc_abi_bitmap;

typedef struct hwloc_abi_object {
    int type;
    const char *subtype;
    unsigned os_index;
    uint64_t others[20]; /* its name, memory, attributes and relatives */
    const hwloc_abi_bitmap *cpuset;
} hwloc_abi_object;

/* X(field, name in the library, result, arguments) */
#define HWLOC_ABI_FUNCTIONS(X)                                                                                        \
    X(init, hwloc_topology_init, int, (hwloc_abi_topology * *topology_p))                                             \
    X(set_flags, hwloc_topology_set_flags, int, (hwloc_abi_topology * topology, unsigned long flags))                 \
    X(load, hwloc_topology_load, int, (hwloc_abi_topology * topology))                                                \
    X(destroy, hwloc_topology_destroy, void, (hwloc_abi_topology * topology))                                         \
    X(is_this_system, hwloc_topology_is_thissystem, int, (hwloc_abi_topology * topology))                             \
    X(allowed, hwloc_topology_get_allowed_cpuset, const hwloc_abi_bitmap *, (hwloc_abi_topology * topology))          \
    X(type_depth, hwloc_get_type_depth, int, (hwloc_abi_topology * topology, int type))                               \
    X(count, hwloc_get_nbobjs_by_depth, unsigned, (hwloc_abi_topology * topology, int depth))                         \
    X(object, hwloc_get_obj_by_depth, hwloc_abi_object *, (hwloc_abi_topology * topology, int depth, unsigned index)) \
    X(has, hwloc_bitmap_isset, int, (const hwloc_abi_bitmap *bitmap, unsigned bit))                                   \
    X(next, hwloc_bitmap_next, int, (const hwloc_abi_bitmap *bitmap, int previous))

typedef struct hwloc_abi {
#define HWLOC_ABI_FIELD(field, name, result, arguments) result(*field) arguments;
    HWLOC_ABI_FUNCTIONS(HWLOC_ABI_FIELD)
#undef HWLOC_ABI_FIELD
} hwloc_abi;

#endif
