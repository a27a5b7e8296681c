/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/bind/bind_machine.h"

#include "launch/bind/bind_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *names;
} machine_kinds[BIND_KINDS] = {
    {"hwthread", "hardware threads"},
    {"core", "cores"},
    {"l1", "L1 caches"},
    {"l2", "L2 caches"},
    {"l3", "L3 caches"},
    {"numa", "NUMA nodes"},
    {"socket", "sockets"},
    {"board", "boards"},
};

const char *cor_bind_kind_name(bind_kind kind)
{
    return machine_kinds[kind].name;
}

const char *cor_bind_kind_names(bind_kind kind)
{
    return machine_kinds[kind].names;
}

int cor_bind_machine_restrict(bind_machine *machine, const cor_cpu_set *set)
{
    cor_cpu_set usable = {{0}};
    for (int i = 0; i < machine->count; i++) {
        if (machine->is_usable[i])
            cor_bind_set_add(&usable, machine->cpu[i]);
        machine->is_usable[i] = machine->is_usable[i] && cor_bind_set_has(set, machine->cpu[i]);
    }
    for (int cpu = 0; cpu < COR_CPU_MAX; cpu++)
        if (cor_bind_set_has(set, cpu) && !cor_bind_set_has(&usable, cpu))
            return cpu;
    return -1;
}

/* ---- the kernel's files ----------------------------------------------------------------------------------------- */

/* A file with a list of CPUs. Returns 0: it is not there, or not a list. */
static int machine_read_list(const char *path, cor_cpu_set *set_p)
{
    char text[BIND_SET_TEXT_MAX];
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    int is_read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    return is_read && cor_bind_set_parse(path, text, (int)strcspn(text, "\n"), COR_CPU_MAX, set_p, NULL) == COR_OK;
}

/* The CPUs that share a core or a socket with this one: `older` is the file's name before Linux 5.3. At least
 * itself. */
static void machine_siblings(int cpu, const char *name, const char *older, cor_cpu_set *set_p)
{
    const char *const names[] = {name, older};
    for (int i = 0; i < 2; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, names[i]);
        if (machine_read_list(path, set_p) && cor_bind_set_has(set_p, cpu))
            return;
    }
    *set_p = (cor_cpu_set){{0}};
    cor_bind_set_add(set_p, cpu);
}

typedef struct machine_thread {
    int socket, core, cpu; /* the first two by their lowest CPU */
} machine_thread;

static int machine_compare(const void *left, const void *right)
{
    const machine_thread *a = left, *b = right;
    if (a->socket != b->socket)
        return a->socket - b->socket;
    return a->core != b->core ? a->core - b->core : a->cpu - b->cpu;
}

/* A file is read once for a core and once for a socket. */
static int machine_read_threads(const cor_cpu_set *online, machine_thread *threads)
{
    int core_of[COR_CPU_MAX], socket_of[COR_CPU_MAX], count = 0;
    memset(core_of, -1, sizeof core_of);
    memset(socket_of, -1, sizeof socket_of);
    for (int cpu = 0; cpu < COR_CPU_MAX; cpu++) {
        cor_cpu_set set;
        if (!cor_bind_set_has(online, cpu))
            continue;
        if (core_of[cpu] < 0) {
            machine_siblings(cpu, "core_cpus_list", "thread_siblings_list", &set);
            for (int other = cpu; other < COR_CPU_MAX; other++)
                core_of[other] = cor_bind_set_has(&set, other) ? cpu : core_of[other];
        }
        if (socket_of[cpu] < 0) {
            machine_siblings(cpu, "package_cpus_list", "core_siblings_list", &set);
            for (int other = cpu; other < COR_CPU_MAX; other++)
                socket_of[other] = cor_bind_set_has(&set, other) ? cpu : socket_of[other];
        }
        threads[count++] = (machine_thread){socket_of[cpu], core_of[cpu], cpu};
    }
    return count;
}

void cor_bind_machine_read(bind_machine *machine_p)
{
    cor_cpu_set online, allowed;
    machine_thread threads[COR_CPU_MAX];
    cor_cpu_allowed(&allowed);
    if (!machine_read_list("/sys/devices/system/cpu/online", &online))
        online = allowed;
    memset(machine_p, 0, sizeof *machine_p);
    memset(machine_p->of, -1, sizeof machine_p->of);
    machine_p->count = machine_read_threads(&online, threads);
    qsort(threads, (size_t)machine_p->count, sizeof *threads, machine_compare);
    for (int i = 0; i < machine_p->count; i++) {
        int is_socket = i == 0 || threads[i].socket != threads[i - 1].socket;
        int is_core = is_socket || threads[i].core != threads[i - 1].core;
        machine_p->cpu[i] = (int16_t)threads[i].cpu;
        machine_p->is_usable[i] = (unsigned char)cor_bind_set_has(&allowed, threads[i].cpu);
        machine_p->objects[BIND_CORE] += is_core;
        machine_p->objects[BIND_SOCKET] += is_socket;
        machine_p->of[BIND_HWTHREAD][i] = (int16_t)i;
        machine_p->of[BIND_CORE][i] = (int16_t)(machine_p->objects[BIND_CORE] - 1);
        machine_p->of[BIND_SOCKET][i] = (int16_t)(machine_p->objects[BIND_SOCKET] - 1);
        machine_p->of[BIND_BOARD][i] = 0;
    }
    machine_p->objects[BIND_HWTHREAD] = machine_p->count;
    machine_p->objects[BIND_BOARD] = 1;
}

/* ---- the picture ------------------------------------------------------------------------------------------------ */

void cor_bind_machine_draw(const bind_machine *machine, const cor_cpu_set *set, char *text)
{
    const int16_t *socket_of = machine->of[BIND_SOCKET], *core_of = machine->of[BIND_CORE];
    char *at = text;
    for (int i = 0; i < machine->count; i++) {
        if (i == 0)
            *at++ = '[';
        else if (socket_of[i] != socket_of[i - 1])
            at = stpcpy(at, "][");
        else if (core_of[i] != core_of[i - 1])
            *at++ = '/';
        int is_bound = set && cor_bind_set_has(set, machine->cpu[i]);
        *at++ = is_bound ? 'B' : machine->is_usable[i] ? '.' : '~';
    }
    strcpy(at, machine->count ? "]" : "");
}
