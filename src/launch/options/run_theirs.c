/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/options/run_theirs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const theirs_families[] = {"OMPI_MCA_",  "PRTE_MCA_", "PMIX_MCA_", "MPICH_",
                                              "MPIR_CVAR_", "MPIEXEC_",  "I_MPI_",    "HYDRA_"};

/* Of these families, but obeyed, by the launcher or by the compiler wrappers. */
static const char *const theirs_obeyed[] = {"MPIEXEC_TIMEOUT", "HYDRA_HOST_FILE", "MPICH_CC", "MPICH_CXX"};

/* How the name of a variable ends that says where something is installed. */
static const char *const theirs_places[] = {"_HOME", "_ROOT", "_DIR"};

/* A launcher sets one of these for the processes that it starts. */
static const char *const theirs_marks[] = {
    "PMI_FD", "PMI_RANK", "PMI_PORT", "PMIX_NAMESPACE", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "HYDI_CONTROL_FD"};

#define THEIRS_COUNT(table) (sizeof(table) / sizeof *(table))

static int theirs_is_started(void)
{
    for (size_t i = 0; i < THEIRS_COUNT(theirs_marks); i++)
        if (getenv(theirs_marks[i]))
            return 1;
    return 0;
}

static int theirs_changes_nothing(const char *name, size_t length)
{
    int is_theirs = 0;
    for (size_t i = 0; i < THEIRS_COUNT(theirs_families); i++)
        is_theirs |= strncmp(name, theirs_families[i], strlen(theirs_families[i])) == 0;
    for (size_t i = 0; i < THEIRS_COUNT(theirs_obeyed); i++)
        is_theirs &= strlen(theirs_obeyed[i]) != length || strncmp(name, theirs_obeyed[i], length) != 0;
    for (size_t i = 0; i < THEIRS_COUNT(theirs_places); i++) {
        size_t tail = strlen(theirs_places[i]);
        is_theirs &= length < tail || strncmp(name + length - tail, theirs_places[i], tail) != 0;
    }
    return is_theirs;
}

int cor_run_theirs_list(char out[RUN_THEIRS_MAX])
{
    static const char more[] = " and 1000000 more";
    int count = 0, listed = 0;
    size_t used = 0;
    out[0] = '\0';
    for (char **entry = environ; !theirs_is_started() && *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        if (!theirs_changes_nothing(*entry, length))
            continue;
        count++;
        if (listed + 1 < count || used + 2 + length + sizeof more > RUN_THEIRS_MAX)
            continue;
        listed++;
        used += (size_t)snprintf(out + used, RUN_THEIRS_MAX - used, "%s%.*s", used ? ", " : "", (int)length, *entry);
    }
    if (count > listed)
        snprintf(out + used, RUN_THEIRS_MAX - used, "%s%d more", used ? " and " : "", count - listed);
    return count;
}
