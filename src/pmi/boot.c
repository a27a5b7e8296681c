/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pmi/boot.h"

#include "pmi/boot_private.h"
#include "pmi/pmi_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- knobs ------------------------------------------------------------------------------------------------------ */

static const cor_knob boot_rows[] = {
    {"pmi", COR_KNOB_CHOICE, offsetof(cor_boot_config, way), "auto", "auto|pmi1|pmix|none", 0, 0,
     "how a rank connects to its launcher: by a PMI-1 socket, by a PMIx server, or not at all; auto uses the first "
     "that the environment offers"},
    {"pmi.timeout", COR_KNOB_INT, offsetof(cor_boot_config, timeout_s), "300", NULL, 0, 1000000,
     "seconds to wait for the launcher, or for the last rank, while a job starts or ends; time in which the job is "
     "stopped does not count; 0: no limit"},
};

const cor_knob_table cor_boot_knobs = {boot_rows, sizeof boot_rows / sizeof *boot_rows};

/* ---- what the environment says ---------------------------------------------------------------------------------- */

/* A variable that must be a number of at least 0; `because` is the variable that requires it. */
static int boot_number(const char *variable, const char *because, int *value_p, cor_fault *fault)
{
    const char *text = getenv(variable);
    if (!text)
        return cor_fault_set(fault, COR_ERR_BOOT, "%s is set but %s is not: the launcher's environment is incomplete",
                             because, variable);
    if (!cor_pmi_parse_int(text, value_p) || *value_p < 0)
        return cor_fault_set(fault, COR_ERR_BOOT, "%s is \"%.40s\"; it must be a whole number of at least 0", variable,
                             text);
    return COR_OK;
}

static int boot_by_pmi1(int timeout_s, const cor_log *log, cor_boot **boot_p, cor_fault *fault)
{
    int fd = 0, rank = 0, size = 0;
    int code = boot_number("PMI_FD", "PMI_RANK", &fd, fault);
    if (code == COR_OK)
        code = boot_number("PMI_RANK", "PMI_FD", &rank, fault);
    if (code == COR_OK)
        code = boot_number("PMI_SIZE", "PMI_FD", &size, fault);
    if (code != COR_OK)
        return code;
    if (rank >= size)
        return cor_fault_set(fault, COR_ERR_BOOT, "PMI_RANK is %d and PMI_SIZE is %d: the rank must be below the size",
                             rank, size);
    struct stat what;
    if (fstat(fd, &what) != 0 || !(S_ISSOCK(what.st_mode) || S_ISFIFO(what.st_mode)))
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "PMI_FD is %d, which is not an open socket: this process was not started by the launcher "
                             "itself",
                             fd);
    return cor_boot_pmi1_open(fd, rank, size, timeout_s, log, boot_p, fault);
}

/* ---- which launcher is nearer ----------------------------------------------------------------------------------- */

/* The parent of a process; 0: not known. */
static pid_t boot_parent(pid_t pid)
{
    char path[32], line[512];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    const char *name_end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (!name_end || sscanf(name_end, ") %*c %d", &parent) != 1)
        parent = 0;
    if (file)
        fclose(file);
    return (pid_t)parent;
}

static int boot_is_below(pid_t ancestor)
{
    for (pid_t pid = getppid(); pid > 0; pid = boot_parent(pid))
        if (pid == ancestor)
            return 1;
    return 0;
}

/* Is it the descriptor of a launcher above this process? Whose end of a socket that is, is only known of sockets of
 * this host. */
static int boot_is_launchers(int fd)
{
    struct stat what;
    struct ucred peer = {0};
    socklen_t bytes = sizeof peer;
    if (fstat(fd, &what) != 0 || !(S_ISSOCK(what.st_mode) || S_ISFIFO(what.st_mode)))
        return 0;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || peer.pid <= 0 || boot_is_below(peer.pid);
}

/* Two launchers have left their variables: a rank of a PMI-1 launcher has started one with PMIx, such as Open MPI's, or
 * the other way round. The nearer one is that with PMI-1 if its descriptor has come down to here. */
static int boot_has_stale_pmi1(void)
{
    const char *text = getenv("PMI_FD");
    int fd;
    return text && getenv("PMIX_RANK") && getenv("PMIX_NAMESPACE") && cor_pmi_parse_int(text, &fd) &&
           !boot_is_launchers(fd);
}

static int boot_has_variable_like(const char *prefix)
{
    for (char **each = environ; *each; each++)
        if (strncmp(*each, prefix, strlen(prefix)) == 0)
            return 1;
    return 0;
}

static int boot_by_pmix(int timeout_s, const cor_log *log, cor_boot **boot_p, cor_fault *fault)
{
    int rank = 0;
    int code = boot_number("PMIX_RANK", "PMIX_NAMESPACE", &rank, fault);
    if (code != COR_OK)
        return code;
    if (!getenv("PMIX_NAMESPACE"))
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "PMIX_RANK is set but PMIX_NAMESPACE is not: the launcher's environment is incomplete");
    /* Each version of PMIx has its own variable; without any the library would silently make this a job of one rank.
     */
    if (!boot_has_variable_like("PMIX_SERVER_URI"))
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "PMIX_RANK is set but no PMIX_SERVER_URI is: the launcher's environment is incomplete");
    return cor_boot_pmix_open(rank, timeout_s, log, boot_p, fault);
}

/* PMI-1 says it itself; of PMIx's launchers each has a variable of its own. */
int cor_boot_expected_size(void)
{
    static const char *const variables[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};
    int size, is_started = getenv("PMI_FD") || getenv("PMIX_RANK");
    for (size_t i = boot_has_stale_pmi1() ? 1 : 0; is_started && i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i]);
        if (text && cor_pmi_parse_int(text, &size) && size > 0)
            return size;
    }
    return is_started ? 0 : 1;
}

/* ---- which way -------------------------------------------------------------------------------------------------- */

/* Many tasks of Slurm without PMI are many jobs of one rank, which is rarely intended. */
static void boot_warn_of_slurm(const cor_log *log)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS"), *task = getenv("SLURM_PROCID");
    int count = 0;
    if (tasks && task && strcmp(task, "0") == 0 && cor_pmi_parse_int(tasks, &count) && count > 1)
        COR_LOG(log, WARN,
                "Slurm has started %d tasks and offers no PMI: each is a job of one; srun --mpi=pmix or --mpi=pmi2 "
                "makes them one job",
                count);
}

static int boot_alone(const cor_log *log, const char *why, cor_boot **boot_p, cor_fault *fault)
{
    COR_LOG(log, DEBUG, "boot: a job of one rank, because %s", why);
    return cor_boot_alone_open(boot_p, fault);
}

static int boot_without_launcher(const cor_log *log, cor_boot **boot_p, cor_fault *fault)
{
    if (getenv("PMI_PORT"))
        return cor_fault_set(
            fault, COR_ERR_BOOT,
            "PMI_PORT is set but PMI_FD is not: only launchers that pass a socket (PMI_FD) are supported");
    static const char *const partners[] = {"PMI_RANK", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof partners / sizeof partners[0]; i++)
        if (getenv(partners[i]))
            return cor_fault_set(fault, COR_ERR_BOOT,
                                 "%s is set but PMI_FD is not: the launcher's environment is incomplete", partners[i]);
    boot_warn_of_slurm(log);
    return boot_alone(log, "neither PMI_FD nor PMIX_RANK is set", boot_p, fault);
}

static int boot_by_environment(int timeout_s, const cor_log *log, cor_boot **boot_p, cor_fault *fault)
{
    if (boot_has_stale_pmi1()) {
        COR_LOG(log, DEBUG, "boot: PMIx, because PMI_FD is of a launcher further above");
        return boot_by_pmix(timeout_s, log, boot_p, fault);
    }
    if (getenv("PMI_FD")) {
        COR_LOG(log, DEBUG, "boot: PMI-1, because PMI_FD is set");
        return boot_by_pmi1(timeout_s, log, boot_p, fault);
    }
    if (getenv("PMIX_RANK") || getenv("PMIX_NAMESPACE")) {
        COR_LOG(log, DEBUG, "boot: PMIx, because %s is set and PMI_FD is not",
                getenv("PMIX_RANK") ? "PMIX_RANK" : "PMIX_NAMESPACE");
        return boot_by_pmix(timeout_s, log, boot_p, fault);
    }
    return boot_without_launcher(log, boot_p, fault);
}

int cor_boot_open(const cor_boot_config *config, const cor_log *log, cor_boot **boot_p, cor_fault *fault)
{
    switch ((cor_boot_way)config->way) {
    case COR_BOOT_PMI1:
        if (!getenv("PMI_FD"))
            return cor_fault_set(fault, COR_ERR_BOOT, "the setting pmi is pmi1, but PMI_FD is not set");
        COR_LOG(log, DEBUG, "boot: PMI-1, because of the setting pmi");
        return boot_by_pmi1(config->timeout_s, log, boot_p, fault);
    case COR_BOOT_PMIX:
        if (!getenv("PMIX_RANK"))
            return cor_fault_set(fault, COR_ERR_BOOT, "the setting pmi is pmix, but PMIX_RANK is not set");
        COR_LOG(log, DEBUG, "boot: PMIx, because of the setting pmi");
        return boot_by_pmix(config->timeout_s, log, boot_p, fault);
    case COR_BOOT_NONE:
        return boot_alone(log, "the setting pmi is none", boot_p, fault);
    case COR_BOOT_AUTO:
        break;
    }
    return boot_by_environment(config->timeout_s, log, boot_p, fault);
}
