/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/run_abi.h"

#include "launch/run_elf.h"
#include "launch/run_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names in lib/corunna/abi (src/mpi/CMakeLists.txt). */
static const char *const abi_names[] = {"libmpi_abi.so.0", "libmpi_abi.so.1", "libpmpi_abi.so.0", "libpmpi_abi.so.1"};

/* Libraries with other constants and types, by the beginning of their file names; the first that fits counts. */
static const struct {
    const char *begin, *why;
} abi_others[] = {
    {"libmpi_abi.so.12", "the draft of the ABI in MPICH 4.3, with other constants"},
    {"libpmpi_abi.so.12", "the draft of the ABI in MPICH 4.3, with other constants"},
    {"libmpi.so.12", "MPICH's own binary interface, not the standard one"},
    {"libmpich.so.12", "MPICH's own binary interface, not the standard one"},
    {"libpmpi.so.12", "MPICH's own binary interface, not the standard one"},
    {"libmpi.so.", "Open MPI's own binary interface, not the standard one"},
};

int cor_run_abi_has(const char *library)
{
    for (size_t i = 0; i < sizeof abi_names / sizeof *abi_names; i++)
        if (strcmp(library, abi_names[i]) == 0)
            return 1;
    return 0;
}

const char *cor_run_abi_why_not(const char *library)
{
    for (size_t i = 0; i < sizeof abi_others / sizeof *abi_others; i++)
        if (strncmp(library, abi_others[i].begin, strlen(abi_others[i].begin)) == 0)
            return abi_others[i].why;
    return "";
}

static int abi_take_needed(void *context, const char *library)
{
    const char *why = cor_run_abi_why_not(library);
    if (*why)
        snprintf(context, RUN_ABI_WHY_MAX, "%.40s, %s", library, why);
    return *why != '\0';
}

int cor_run_abi_may_run(const char *program, char why[RUN_ABI_WHY_MAX])
{
    char path[PATH_MAX];
    return !cor_run_path_find(program, path) || !cor_run_elf_needed(path, abi_take_needed, why);
}

int cor_run_abi_apply(void)
{
    const char *others = getenv("LD_LIBRARY_PATH");
    char folder[PATH_MAX], *all = NULL;
    if (!getenv(RUN_ABI_VARIABLE))
        return 0;
    if (!cor_run_path_abi(folder)) {
        errno = ENOENT;
        return -1;
    }
    size_t room = strlen(folder) + (others ? strlen(others) : 0) + 2;
    all = malloc(room);
    if (!all)
        return -1;
    snprintf(all, room, "%s%s%s", folder, others && *others ? ":" : "", others ? others : "");
    int code = setenv("LD_LIBRARY_PATH", all, 1) != 0 || unsetenv(RUN_ABI_VARIABLE) != 0 ? -1 : 0;
    free(all);
    return code;
}
