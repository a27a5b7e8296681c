/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processors of a host, for binding: a table of hardware threads in the order of the machine, so that threads of a
 * core, cores of a cache and so on are neighbours, with the object of every kind that each belongs to.
 *
 * Two readers fill it. One reads threads, cores and sockets from the kernel's files in /sys, quickly. The other uses
 * hwloc, which takes milliseconds, reports caches and NUMA nodes too, and can describe another machine
 * (HWLOC_SYNTHETIC, HWLOC_XMLFILE).
 */
#ifndef COR_RUN_BIND_MACHINE_H
#define COR_RUN_BIND_MACHINE_H

#include "base/cpu.h"
#include "base/error.h"

#include <stdint.h>

typedef enum bind_kind {
    BIND_HWTHREAD,
    BIND_CORE,
    BIND_L1,
    BIND_L2,
    BIND_L3,
    BIND_NUMA,
    BIND_SOCKET,
    BIND_BOARD, /* the whole host */
    BIND_KINDS
} bind_kind;

typedef struct bind_machine {
    int count;                            /* hardware threads */
    int16_t cpu[COR_CPU_MAX];             /* the number by which the kernel knows each */
    int16_t of[BIND_KINDS][COR_CPU_MAX];  /* its object of each kind, from 0 in the order of the machine; -1: none */
    int objects[BIND_KINDS];              /* 0: none, or unknown to the reader */
    unsigned char is_usable[COR_CPU_MAX]; /* this process may run there */
    int is_other;                         /* described by hwloc's variables: not this host */
} bind_machine;

/* Read the kernel's files. Without that information: one socket, and a core for each thread. */
void cor_bind_machine_read(bind_machine *machine_p);

/* Read from hwloc. COR_ERR_UNSUPPORTED: it is not installed; COR_ERR_SYSTEM: it failed. */
int cor_bind_machine_ask_hwloc(bind_machine *machine_p, cor_fault *fault);

/* Use only these CPUs from now on. Returns -1, or the first of them that is not usable. */
int cor_bind_machine_restrict(bind_machine *machine, const cor_cpu_set *set);

/* "core", and "cores" for several. */
const char *cor_bind_kind_name(bind_kind kind);
const char *cor_bind_kind_names(bind_kind kind);

/* Write the machine in one line, sockets in brackets and cores between slashes, with a letter for each hardware thread:
 * B in the set, . not, ~ not usable. NULL: an empty set. At most BIND_PICTURE_MAX bytes. */
enum { BIND_PICTURE_MAX = 4 * COR_CPU_MAX + 1 };
void cor_bind_machine_draw(const bind_machine *machine, const cor_cpu_set *set, char *text);

#endif
