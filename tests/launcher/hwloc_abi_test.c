/* SPDX-License-Identifier: Apache-2.0 */
/* What hwloc_abi.h declares, beside the real header: places, numbers, and functions. */
#include "launch/bind/hwloc_abi.h"

#include <hwloc.h>
#include <stddef.h>

#define SAME(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #ours " is " #theirs)

SAME(HWLOC_ABI_PACKAGE, HWLOC_OBJ_PACKAGE);
SAME(HWLOC_ABI_CORE, HWLOC_OBJ_CORE);
SAME(HWLOC_ABI_PU, HWLOC_OBJ_PU);
SAME(HWLOC_ABI_L1CACHE, HWLOC_OBJ_L1CACHE);
SAME(HWLOC_ABI_L2CACHE, HWLOC_OBJ_L2CACHE);
SAME(HWLOC_ABI_L3CACHE, HWLOC_OBJ_L3CACHE);
SAME(HWLOC_ABI_NUMANODE, HWLOC_OBJ_NUMANODE);
SAME(sizeof(hwloc_obj_type_t), sizeof(int));
SAME(HWLOC_ABI_DEPTH_UNKNOWN, HWLOC_TYPE_DEPTH_UNKNOWN);
SAME(HWLOC_ABI_DEPTH_MULTIPLE, HWLOC_TYPE_DEPTH_MULTIPLE);
SAME(HWLOC_ABI_INCLUDE_DISALLOWED, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
SAME(offsetof(hwloc_abi_object, type), offsetof(struct hwloc_obj, type));
SAME(offsetof(hwloc_abi_object, os_index), offsetof(struct hwloc_obj, os_index));
SAME(offsetof(hwloc_abi_object, cpuset), offsetof(struct hwloc_obj, cpuset));

/* Each function of the real header, called as ours are: the compiler tells a difference in number or kind of the
 * arguments, and in the kind of the result. */
int hwloc_abi_calls(void);
int hwloc_abi_calls(void)
{
    hwloc_topology_t topology;
    int code = hwloc_topology_init(&topology) + hwloc_topology_set_flags(topology, (unsigned long)0) +
               hwloc_topology_load(topology) + hwloc_topology_is_thissystem(topology);
    int depth = hwloc_get_type_depth(topology, (hwloc_obj_type_t)HWLOC_ABI_PU);
    unsigned count = hwloc_get_nbobjs_by_depth(topology, depth);
    const struct hwloc_obj *object = hwloc_get_obj_by_depth(topology, depth, count);
    hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology);
    code += object ? hwloc_bitmap_isset(allowed, object->os_index) + hwloc_bitmap_next(object->cpuset, code) : 0;
    hwloc_topology_destroy(topology);
    return code;
}

int main(void)
{
    return 0;
}
