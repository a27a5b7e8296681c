/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/job/run_foreign.h"

#include "launch/run_elf.h"
#include "launch/run_path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* When ranks are checked, after their start; programs started by scripts run later. */
static const int foreign_look_ms[] = {300, 1000, 3000, 10000, 30000};
enum {
    FOREIGN_LOOKS = sizeof foreign_look_ms / sizeof *foreign_look_ms,
    FOREIGN_MOST_RANKS = 8,
    FOREIGN_TEXT = 1 << 10
};

/* Libraries whose programs do not use this launcher, by the beginning of their file names. */
static const char *const foreign_libraries[] = {"libmpi.so.20", "libmpi.so.40", "libmpi.so.80", "liboshmem.so."};

static int foreign_is_known(const char *name)
{
    for (size_t i = 0; i < sizeof foreign_libraries / sizeof *foreign_libraries; i++)
        if (strncmp(name, foreign_libraries[i], strlen(foreign_libraries[i])) == 0)
            return 1;
    return 0;
}

void cor_run_foreign_found(run_job *job, int rank, const char *library)
{
    size_t length = strlen(library);
    if (job->foreign.is_told)
        return;
    job->foreign.is_told = 1;
    if (job->up)
        cor_run_link_send(job->up, AGENT_FOREIGN, rank, 0, library, length < FOREIGN_TEXT ? length : FOREIGN_TEXT);
    else
        cor_run_job_print(job,
                          "rank %d on host %s runs with %s, a library of Open MPI: each process is a job of one rank; "
                          "start it with Open MPI's mpirun (mpirun.openmpi), or compile it with Corunna's mpicc",
                          rank, job->ranks[rank].host, library);
}

/* ---- by what is mapped ------------------------------------------------------------------------------------------ */

/* The path of a known library that the process has mapped: 1, or 0. */
static int foreign_find_mapped(int pid, char *path_p, size_t room)
{
    char name[64], line[PATH_MAX + 128];
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *maps = fopen(name, "re");
    int is_found = 0;
    while (maps && !is_found && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/'), *slash = strrchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        is_found = path && foreign_is_known(slash + 1);
        if (is_found)
            snprintf(path_p, room, "%s", path);
    }
    if (maps)
        fclose(maps);
    return is_found;
}

/* The rank's process and, where that is a script, its children. */
static int foreign_find(int pid, char *path_p, size_t room)
{
    char name[64];
    int child, is_found = foreign_find_mapped(pid, path_p, room);
    snprintf(name, sizeof name, "/proc/%d/task/%d/children", pid, pid);
    FILE *children = is_found ? NULL : fopen(name, "re");
    while (children && !is_found && fscanf(children, "%d", &child) == 1)
        is_found = foreign_find_mapped(child, path_p, room);
    if (children)
        fclose(children);
    return is_found;
}

static void foreign_look(run_job *job)
{
    char path[PATH_MAX];
    int looked = 0;
    for (int i = 0; i < job->here_count && looked < FOREIGN_MOST_RANKS && !job->foreign.is_told; i++) {
        const run_rank *self = &job->ranks[job->here[i]];
        if (self->pid <= 0 || self->has_spoken)
            continue;
        looked++;
        if (foreign_find(self->pid, path, sizeof path))
            cor_run_foreign_found(job, job->here[i], path);
    }
}

/* One rank alone is a job of one rank by right. */
static int foreign_is_done(const run_job *job)
{
    return job->foreign.is_told || job->plan->size < 2 || job->here_count == 0;
}

void cor_run_foreign_time(run_job *job, uint64_t now_ns, uint64_t *when_ns)
{
    run_foreign *foreign = &job->foreign;
    if (foreign_is_done(job) || foreign->looks >= FOREIGN_LOOKS || job->phase != RUN_RUNNING)
        return;
    uint64_t due_ns = foreign->start_ns + (uint64_t)foreign_look_ms[foreign->looks] * 1000000;
    if (now_ns >= due_ns) {
        foreign->looks++;
        foreign_look(job);
    } else if (*when_ns > due_ns) {
        *when_ns = due_ns;
    }
}

/* ---- by what the program names ---------------------------------------------------------------------------------- */

typedef struct foreign_needed {
    char name[80];
} foreign_needed;

static int foreign_take_needed(void *context, const char *name)
{
    foreign_needed *needed = context;
    if (!foreign_is_known(name))
        return 0;
    snprintf(needed->name, sizeof needed->name, "%s", name);
    return 1;
}

void cor_run_foreign_ended(run_job *job, int rank)
{
    const run_program *program = &job->plan->programs[cor_run_program_of(job->plan, rank)];
    char path[PATH_MAX], joined[2 * PATH_MAX];
    foreign_needed needed;
    if (foreign_is_done(job) || job->ranks[rank].has_spoken || job->phase != RUN_RUNNING)
        return;
    const char *file = program->argv[0];
    if (strchr(file, '/') && file[0] != '/' && program->wdir) {
        snprintf(joined, sizeof joined, "%s/%s", program->wdir, file);
        file = joined;
    }
    if (cor_run_path_find(file, path) && cor_run_elf_needed(path, foreign_take_needed, &needed))
        cor_run_foreign_found(job, rank, needed.name);
}
