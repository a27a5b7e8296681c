/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank without the MPI library: boots, exchanges, fences, and then does what its arguments say.
 *
 *   boot_probe                 boot, exchange twice, finalize, print one line
 *   boot_probe twice           the whole of it twice in one process
 *   boot_probe many K          K exchanges in a row
 *   boot_probe long             exchanges values as long as they may be
 *   boot_probe tell TEXT       says TEXT where a rank with the MPI library tells its address, and waits for the others
 *   boot_probe mute RANK       that rank exits with 1 before its first exchange
 *   boot_probe stuck RANK      that rank comes to no exchange and exits with 1 after 5 s, or more on a busy machine
 *   boot_probe desert RANK     that rank exits with 0 before finalize, the others wait in a fence
 *   boot_probe die RANK SIGNAL that rank is killed after the boot, the others wait in a fence
 *   boot_probe abort RANK S    that rank aborts with status S and a reason
 */
#include "check.h"
#include "pmi/boot.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int probe_fail(const cor_fault *fault)
{
    fprintf(stderr, "boot_probe: %s\n", fault->text);
    return 1;
}

/* What this rank tells: its number, and when long values are wanted so much behind it that it just fits, or does not
 * quite. */
static void probe_value(int rank, int offset, int is_long, char *out)
{
    int length = snprintf(out, COR_BOOT_VALUE_MAX + 1, "value-of-%d", rank + offset);
    if (!is_long)
        return;
    int wanted = COR_BOOT_VALUE_MAX - 37 * (rank % 25);
    for (; length < wanted; length++)
        out[length] = (char)('a' + (length + rank) % 26);
    out[length] = '\0';
}

/* Every rank publishes its number and must receive all numbers. */
static int probe_exchange(cor_boot *boot, const char *key, int offset, int is_long, cor_fault *fault)
{
    char mine[COR_BOOT_VALUE_MAX + 1], theirs[COR_BOOT_VALUE_MAX + 1];
    const char *const *values = NULL;
    probe_value(boot->rank, offset, is_long, mine);
    int code = boot->ops->exchange(boot, key, mine, &values, fault);
    for (int rank = 0; code == COR_OK && rank < boot->size; rank++) {
        probe_value(rank, offset, is_long, theirs);
        if (strcmp(values[rank], theirs) != 0)
            code = cor_fault_set(fault, COR_ERR_BOOT, "rank %d heard \"%.60s\" from rank %d instead of \"%.60s\"",
                                 boot->rank, values[rank], rank, theirs);
    }
    return code;
}

static void probe_misbehave(cor_boot *boot, int argc, char **argv)
{
    if (argc < 3 || atoi(argv[2]) != boot->rank)
        return;
    if (strcmp(argv[1], "desert") == 0)
        exit(0);
    if (strcmp(argv[1], "die") == 0)
        raise(atoi(argv[3]));
    if (strcmp(argv[1], "abort") == 0)
        boot->ops->abort(boot, atoi(argv[3]), "the probe was told to");
}

static int probe_once(int argc, char **argv, int offset)
{
    const char *level = getenv("CORUNNA_LOG");
    const cor_log log = {.level = level && strcmp(level, "debug") == 0 ? COR_LOG_DEBUG : COR_LOG_WARN, .rank = -1};
    cor_boot_config config;
    const char *mode = argc > 1 ? argv[1] : "";
    cor_boot *boot = NULL;
    cor_fault fault = {0};
    if (cor_knobs_load(&cor_boot_knobs, NULL, &config, NULL, &fault) != COR_OK ||
        cor_boot_open(&config, &log, &boot, &fault) != COR_OK)
        return probe_fail(&fault);
    if ((strcmp(mode, "mute") == 0 || strcmp(mode, "stuck") == 0) && atoi(argv[2]) == boot->rank) {
        if (strcmp(mode, "stuck") == 0)
            usleep((useconds_t)check_patience_ms(5000) * 1000); /* longer than the patience of the others */
        exit(1);
    }
    if (strcmp(mode, "tell") == 0) {
        const char *const *values;
        if (boot->ops->exchange(boot, "address", argv[2], &values, &fault) != COR_OK)
            return probe_fail(&fault);
        return boot->ops->fence(boot, "come", &fault) == COR_OK ? 0 : probe_fail(&fault);
    }
    int rounds = strcmp(mode, "many") == 0 ? atoi(argv[2]) : 2;
    int code = COR_OK;
    for (int round = 0; code == COR_OK && round < rounds; round++)
        code = probe_exchange(boot, "card", offset + round, strcmp(mode, "long") == 0, &fault);
    probe_misbehave(boot, argc, argv);
    if (code == COR_OK)
        code = boot->ops->fence(boot, "come", &fault);
    if (code == COR_OK)
        code = boot->ops->finalize(boot, &fault);
    if (code == COR_OK)
        printf("rank %d of %d booted by %s\n", boot->rank, boot->size, boot->ops->name);
    boot->ops->close(boot);
    return code == COR_OK ? 0 : probe_fail(&fault);
}

int main(int argc, char **argv)
{
    int status = probe_once(argc, argv, 0);
    if (status == 0 && argc > 1 && strcmp(argv[1], "twice") == 0)
        status = probe_once(argc, argv, 1000);
    return status;
}
