/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user's rank file and the words of the options on binding may hold: any bytes. The first byte says which of
 * them it is; words are lines: --bind-to, --map-by, --rank-by, --cpu-set and the slots of a rank.
 *
 * FUZZ_SOURCES: src/launch/hosts/rank_file.c src/launch/hosts/host_list.c src/launch/run_lines.c src/base/lines.c
 * FUZZ_SOURCES: src/launch/bind/bind_place.c src/launch/bind/bind_policy.c src/launch/bind/bind_slots.c
 * FUZZ_SOURCES: src/launch/bind/bind_machine.c src/launch/bind/bind_set.c
 * FUZZ_SOURCES: src/base/cpu.c src/base/knob.c src/base/knob_map.c src/base/knob_name.c src/base/log.c src/base/error.c
 */
#define _GNU_SOURCE
#include "fuzz_input.h"
#include "launch/bind/bind_place.h"
#include "launch/bind/bind_set.h"
#include "launch/hosts/host_here.h"
#include "launch/hosts/rank_file.h"

#include <string.h>

enum { FUZZ_RANKS = 24 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_input_mute();
    return 0;
}

/* The same on every machine. */
int cor_host_is_here(const char *name, int length)
{
    return length == 4 && memcmp(name, "here", 4) == 0;
}

/* Every rank has a host and slots. */
static void fuzz_file(const unsigned char *data, size_t size, int is_given)
{
    char path[FUZZ_PATH_MAX];
    rank_file file = {0};
    host_list list = {0};
    int fd = fuzz_input_open(data, size, path);
    if (is_given && cor_host_list_add(&list, "fuzz", "a:2,b,here") != 0)
        abort();
    if (cor_rank_file_read(&file, "fuzz", path, 0, &list) == 0)
        for (int rank = 0; rank < file.size; rank++)
            if (file.hosts[rank] < 0 || file.hosts[rank] >= list.count || !file.slots[rank][0])
                abort();
    close(fd);
    cor_rank_file_fini(&file);
    cor_host_list_fini(&list);
}

/* Two sockets of four cores of two threads; no caches. */
static void fuzz_machine(bind_machine *machine)
{
    memset(machine, 0, sizeof *machine);
    memset(machine->of, -1, sizeof machine->of);
    machine->count = machine->objects[BIND_HWTHREAD] = 16;
    machine->objects[BIND_CORE] = 8;
    machine->objects[BIND_SOCKET] = machine->objects[BIND_NUMA] = 2;
    machine->objects[BIND_BOARD] = 1;
    for (int16_t i = 0; i < 16; i++) {
        machine->cpu[i] = (int16_t)(i / 2 + i % 2 * 8);
        machine->of[BIND_HWTHREAD][i] = i;
        machine->of[BIND_CORE][i] = (int16_t)(i / 2);
        machine->of[BIND_SOCKET][i] = machine->of[BIND_NUMA][i] = (int16_t)(i / 8);
        machine->of[BIND_BOARD][i] = 0;
        machine->is_usable[i] = i != 5;
    }
}

/* What is bound has CPUs, and none that may not be used. */
static void fuzz_check(const bind_machine *machine, const cor_cpu_set *set)
{
    char text[BIND_SET_TEXT_MAX], picture[BIND_PICTURE_MAX];
    cor_cpu_set again;
    int length;
    for (int i = 0; i < machine->count; i++)
        if (!machine->is_usable[i] && cor_bind_set_has(set, machine->cpu[i]))
            abort();
    if (cor_cpu_count(set) == 0)
        abort();
    cor_bind_machine_draw(machine, set, picture);
    cor_bind_set_print(set, text);
    length = (int)strlen(text);
    if (cor_bind_set_parse("set", text, length, COR_CPU_MAX, &again, NULL) != COR_OK ||
        memcmp(&again, set, sizeof again) != 0)
        abort();
}

static void fuzz_words(const unsigned char *data, size_t size, int count)
{
    char *text = calloc(1, size + 1), *words[5] = {NULL}, *at = text;
    bind_machine machine;
    bind_policy policy;
    bind_places places;
    cor_cpu_set sets[FUZZ_RANKS], set;
    cor_fault fault = {0};
    if (!text)
        abort();
    memcpy(text, data, size);
    for (int i = 0; i < 5 && at; i++) {
        char *word = strsep(&at, "\n");
        words[i] = *word ? word : NULL;
    }
    const run_binding binding = {.bind_to = words[0], .map_by = words[1], .rank_by = words[2], .cpu_set = words[3]};
    fuzz_machine(&machine);
    if (words[4] && cor_bind_slots(&machine, count % 2 ? BIND_CORE : BIND_HWTHREAD, words[4], &set, &fault) == COR_OK)
        fuzz_check(&machine, &set);
    if (cor_bind_policy_parse(&binding, &policy, &fault) == COR_OK) {
        if (policy.has_set)
            cor_bind_machine_restrict(&machine, &policy.set);
        int rc = cor_bind_place(&machine, &policy, NULL, count, sets, &places, &fault);
        for (int rank = 0; rc == COR_OK && places.is_bound && rank < count; rank++)
            fuzz_check(&machine, &sets[rank]);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size < 1)
        return 0;
    if (data[0] < 4)
        fuzz_file(data + 1, size - 1, data[0] % 2);
    else
        fuzz_words(data + 1, size - 1, 1 + data[0] % FUZZ_RANKS);
    return 0;
}
