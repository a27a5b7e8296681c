/* SPDX-License-Identifier: Apache-2.0 */
/* hwloc is loaded when it is needed, function by function, so that Corunna runs without it. */
#define _GNU_SOURCE
#include "launch/bind/bind_machine.h"

#include "launch/bind/hwloc_abi.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* What each kind is called there; the host itself needs no object. */
static const int hwloc_types[BIND_BOARD] = {
    [BIND_HWTHREAD] = HWLOC_ABI_PU,    [BIND_CORE] = HWLOC_ABI_CORE,  [BIND_L1] = HWLOC_ABI_L1CACHE,
    [BIND_L2] = HWLOC_ABI_L2CACHE,     [BIND_L3] = HWLOC_ABI_L3CACHE, [BIND_NUMA] = HWLOC_ABI_NUMANODE,
    [BIND_SOCKET] = HWLOC_ABI_PACKAGE,
};

static int library_find(void *handle, const char *name, void *function_p, cor_fault *fault)
{
    void *found = dlsym(handle, name);
    if (!found)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "%s has no %s", HWLOC_ABI_LIBRARY, name);
    memcpy(function_p, &found, sizeof found);
    return COR_OK;
}

static int library_open(hwloc_abi *hwloc_p, cor_fault *fault)
{
    void *handle = dlopen(HWLOC_ABI_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    int rc = COR_OK;
    if (!handle)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "hwloc is not installed (Debian package libhwloc15)");
#define HWLOC_FIND(field, name, result, arguments)                                                                    \
    if (rc == COR_OK)                                                                                                 \
        rc = library_find(handle, #name, &hwloc_p->field, fault);
    HWLOC_ABI_FUNCTIONS(HWLOC_FIND)
    return rc;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* The hardware threads, in the order of the machine. `place_of`: by the kernel's number, -1: none. */
static void hwloc_take_threads(const hwloc_abi *hwloc, hwloc_abi_topology *topology, bind_machine *machine,
                               int16_t *place_of)
{
    int depth = hwloc->type_depth(topology, HWLOC_ABI_PU);
    unsigned count = hwloc->count(topology, depth);
    for (unsigned i = 0; i < count && machine->count < COR_CPU_MAX; i++) {
        unsigned cpu = hwloc->object(topology, depth, i)->os_index;
        if (cpu >= COR_CPU_MAX)
            continue;
        place_of[cpu] = (int16_t)machine->count;
        machine->cpu[machine->count++] = (int16_t)cpu;
    }
}

/* Objects of one kind. Memory of two kinds may belong to the same cores: the first node counts. */
static void hwloc_take_objects(const hwloc_abi *hwloc, hwloc_abi_topology *topology, bind_kind kind,
                               bind_machine *machine, const int16_t *place_of)
{
    int depth = hwloc->type_depth(topology, hwloc_types[kind]);
    if (depth == HWLOC_ABI_DEPTH_UNKNOWN || depth == HWLOC_ABI_DEPTH_MULTIPLE)
        return;
    unsigned count = hwloc->count(topology, depth);
    for (unsigned i = 0; i < count; i++) {
        const hwloc_abi_bitmap *set = hwloc->object(topology, depth, i)->cpuset;
        int number = machine->objects[kind], is_there = 0;
        for (int cpu = hwloc->next(set, -1); cpu >= 0 && cpu < COR_CPU_MAX; cpu = hwloc->next(set, cpu)) {
            int place = place_of[cpu];
            if (place < 0 || machine->of[kind][place] >= 0)
                continue;
            machine->of[kind][place] = (int16_t)number;
            is_there = 1;
        }
        machine->objects[kind] += is_there;
    }
}

/* A virtual machine may tell of no cores or sockets. */
static void hwloc_fill_gaps(bind_machine *machine)
{
    int has_cores = machine->objects[BIND_CORE] > 0, has_sockets = machine->objects[BIND_SOCKET] > 0;
    for (int i = 0; i < machine->count; i++) {
        machine->of[BIND_BOARD][i] = 0;
        if (!has_cores)
            machine->of[BIND_CORE][i] = (int16_t)i;
        if (!has_sockets)
            machine->of[BIND_SOCKET][i] = 0;
    }
    machine->objects[BIND_BOARD] = 1;
    machine->objects[BIND_CORE] = has_cores ? machine->objects[BIND_CORE] : machine->count;
    machine->objects[BIND_SOCKET] = has_sockets ? machine->objects[BIND_SOCKET] : 1;
}

static void hwloc_take(const hwloc_abi *hwloc, hwloc_abi_topology *topology, bind_machine *machine_p)
{
    int16_t place_of[COR_CPU_MAX];
    cor_cpu_set allowed;
    const hwloc_abi_bitmap *theirs = hwloc->allowed(topology);
    memset(place_of, -1, sizeof place_of);
    memset(machine_p, 0, sizeof *machine_p);
    memset(machine_p->of, -1, sizeof machine_p->of);
    hwloc_take_threads(hwloc, topology, machine_p, place_of);
    for (bind_kind kind = 0; kind < BIND_BOARD; kind++)
        hwloc_take_objects(hwloc, topology, kind, machine_p, place_of);
    hwloc_fill_gaps(machine_p);
    machine_p->is_other = !hwloc->is_this_system(topology);
    cor_cpu_allowed(&allowed);
    for (int i = 0; i < machine_p->count; i++) {
        int cpu = machine_p->cpu[i];
        int is_ours = (int)(allowed.bits[cpu / 64] >> cpu % 64 & 1);
        machine_p->is_usable[i] =
            machine_p->is_other ? (unsigned char)hwloc->has(theirs, (unsigned)cpu) : (unsigned char)is_ours;
    }
}

static int hwloc_read(const hwloc_abi *hwloc, bind_machine *machine_p, cor_fault *fault)
{
    hwloc_abi_topology *topology;
    int rc = COR_OK;
    if (hwloc->init(&topology) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "hwloc cannot start");
    /* CPUs that we may not use are part of the picture. */
    if (hwloc->set_flags(topology, HWLOC_ABI_INCLUDE_DISALLOWED) != 0 || hwloc->load(topology) != 0)
        rc = cor_fault_set(fault, COR_ERR_SYSTEM, "hwloc cannot read what this host is made of");
    else
        hwloc_take(hwloc, topology, machine_p);
    hwloc->destroy(topology);
    return rc;
}

int cor_bind_machine_ask_hwloc(bind_machine *machine_p, cor_fault *fault)
{
    static const char variable[] = "HWLOC_PLUGINS_PATH";
    hwloc_abi hwloc;
    int rc = library_open(&hwloc, fault);
    if (rc != COR_OK)
        return rc;
    /* Its plugins know graphics cards and adapters, and opening them takes ten times as long as all the rest. */
    int is_set = getenv(variable) != NULL;
    if (!is_set)
        setenv(variable, "/nonexistent", 1);
    rc = hwloc_read(&hwloc, machine_p, fault);
    if (!is_set)
        unsetenv(variable);
    return rc;
}
