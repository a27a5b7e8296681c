/*
 * A rank without the MPI library: boots, exchanges, fences, and then does what its arguments say.
 *
 *   boot_probe                 boot, exchange twice, finalize, print one line
 *   boot_probe twice           the whole of it twice in one process
 *   boot_probe many K          K exchanges in a row
 *   boot_probe desert RANK     that rank exits with 0 before finalize, the others wait in a fence
 *   boot_probe die RANK SIGNAL that rank is killed after the boot, the others wait in a fence
 *   boot_probe abort RANK S    that rank aborts with status S and a reason
 */
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

/* Everybody tells its rank and must hear everybody's. */
static int probe_exchange(cor_boot *boot, const char *key, int offset, cor_fault *fault)
{
    char mine[32], theirs[32];
    const char *const *values = NULL;
    snprintf(mine, sizeof mine, "value-of-%d", boot->rank + offset);
    int code = boot->ops->exchange(boot, key, mine, &values, fault);
    for (int rank = 0; code == COR_OK && rank < boot->size; rank++) {
        snprintf(theirs, sizeof theirs, "value-of-%d", rank + offset);
        if (strcmp(values[rank], theirs) != 0)
            code = cor_fault_set(fault, COR_ERR_BOOT, "rank %d heard \"%s\" from rank %d instead of \"%s\"",
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
    const cor_log log = {.level = COR_LOG_WARN, .rank = -1};
    const char *mode = argc > 1 ? argv[1] : "";
    cor_boot *boot = NULL;
    cor_fault fault = {0};
    if (cor_boot_open(&log, &boot, &fault) != COR_OK)
        return probe_fail(&fault);
    int rounds = strcmp(mode, "many") == 0 ? atoi(argv[2]) : 2;
    int code = COR_OK;
    for (int round = 0; code == COR_OK && round < rounds; round++)
        code = probe_exchange(boot, "card", offset + round, &fault);
    probe_misbehave(boot, argc, argv);
    if (code == COR_OK)
        code = boot->ops->fence(boot, &fault);
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
