/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user's file of hosts, list of hosts or the variables of Slurm may hold: any bytes. The first byte says which
 * of them it is.
 *
 * FUZZ_SOURCES: src/launch/hosts/host_file.c src/launch/hosts/host_list.c src/launch/hosts/host_slurm.c
 * FUZZ_SOURCES: src/launch/run_lines.c src/base/lines.c src/base/error.c
 */
#define _GNU_SOURCE
#include "fuzz_input.h"
#include "launch/hosts/host_here.h"
#include "launch/hosts/host_list.h"

#include <string.h>

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

static int fuzz_file(host_list *list, const unsigned char *data, size_t size)
{
    char path[FUZZ_PATH_MAX];
    int fd = fuzz_input_open(data, size, path);
    int code = cor_host_list_read(list, "fuzz", path);
    close(fd);
    return code;
}

/* Ten thousand nodes are understood as ten are, and take a thousand times as long; so do many ranges of a hundred. */
static int fuzz_is_long(const char *nodes)
{
    int ranges = 0;
    for (size_t digits = 0; *nodes; nodes++) {
        digits = *nodes >= '0' && *nodes <= '9' ? digits + 1 : 0;
        ranges += *nodes == '-';
        if (digits > 3 || ranges > 20)
            return 1;
    }
    return 0;
}

static int fuzz_text(host_list *list, const unsigned char *data, size_t size, int is_slurm)
{
    char *nodes = calloc(1, size + 1), *tasks = nodes;
    if (!nodes)
        abort();
    memcpy(nodes, data, size);
    char *cut = strchr(nodes, ' ');
    if (is_slurm && cut) {
        *cut = '\0';
        tasks = cut + 1;
    }
    int code = -1;
    if (!is_slurm)
        code = cor_host_list_add(list, "fuzz", nodes);
    else if (!fuzz_is_long(nodes))
        code = cor_host_list_add_slurm(list, "fuzz", nodes, cut ? tasks : NULL);
    free(nodes);
    return code;
}

/* What ssh gets to see is a name; what ranks are counted by is a number. */
static void fuzz_check(const host_list *list)
{
    for (int i = 0; i < list->count; i++) {
        const host_entry *entry = &list->items[i];
        if (!cor_host_is_name(entry->name, (int)strlen(entry->name)) || entry->name[0] == '-' || entry->slots < 1 ||
            entry->slots_max < 0)
            abort();
        for (int other = 0; other < i && i < 100; other++)
            if (strcmp(list->items[other].name, entry->name) == 0)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    host_list list = {0};
    if (size < 1)
        return 0;
    int code = data[0] % 4 < 2 ? fuzz_file(&list, data + 1, size - 1)
                               : fuzz_text(&list, data + 1, size - 1, data[0] % 4 == 3);
    if (code == 0)
        fuzz_check(&list);
    cor_host_list_fini(&list);
    return 0;
}
