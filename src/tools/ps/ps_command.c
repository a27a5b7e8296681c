/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna ps`: the jobs of this user on this host, and what the ranks of one are doing. */
#define _GNU_SOURCE
#include "launch/run_plan.h"
#include "tools/tools.h"
#include "trace/picture.h"
#include "trace/record_file.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int ps_usage(void)
{
    puts("usage: corunna ps [JOB]\n"
         "Lists the jobs that this user runs from this host; root sees those of all users. JOB is a name from that\n"
         "list, the beginning of one, or the process id of its launcher: then a line for each rank tells what it is\n"
         "doing, and a last line why nothing moves, if nothing does.");
    return 0;
}

/* The command line of a process, as far as it fits, or "?" once it has ended. */
static void ps_command_line(int pid, char *out, size_t out_bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(out, 1, out_bytes - 1, file) : 0;
    if (file)
        fclose(file);
    out[length] = '\0';
    for (size_t i = 0; i + 1 < length; i++) /* words are separated by zeros; nothing goes to the terminal unseen */
        if ((unsigned char)out[i] < ' ' || out[i] == 127)
            out[i] = ' ';
    if (length == 0)
        snprintf(out, out_bytes, "?");
}

static double ps_age_s(const cor_record_header *header)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double age_s = (double)now.tv_sec + (double)now.tv_nsec / 1e9 - (double)header->started_ns / 1e9;
    return age_s > 0 ? age_s : 0;
}

static int ps_hosts(const cor_picture *picture)
{
    int count = 0;
    for (uint32_t rank = 0; rank < picture->size; rank++) {
        uint32_t first = 0;
        while (first < rank && strcmp(picture->ranks[first].host, picture->ranks[rank].host) != 0)
            first++;
        count += first == rank && picture->ranks[rank].host[0];
    }
    return count;
}

static void ps_list(const cor_record_list *jobs)
{
    if (jobs->count == 0) {
        puts("no jobs");
        return;
    }
    printf("%-24s %8s %6s %6s %8s %10s  %s\n", "JOB", "PID", "RANKS", "HOSTS", "WAITING", "SINCE", "COMMAND");
    for (size_t i = 0; i < jobs->count; i++) {
        const cor_record_found *job = &jobs->items[i];
        cor_picture picture;
        char command[256];
        uint32_t waiting = 0;
        int hosts = 0;
        if (cor_picture_take(&picture, &job->record) == 0) {
            hosts = ps_hosts(&picture);
            for (uint32_t rank = 0; rank < picture.size; rank++)
                waiting += picture.ranks[rank].state == COR_RANK_OPEN && picture.ranks[rank].now.is_waiting;
        }
        cor_picture_fini(&picture);
        ps_command_line(job->pid, command, sizeof command);
        printf("%-24s %8d %6" PRIu32 " %6d %8" PRIu32 " %8.0f s  %s%s\n", job->name, job->pid, job->record.header.size,
               hosts, waiting, ps_age_s(&job->record.header), command,
               job->record.header.flags & COR_RECORD_IS_ROOT ? "" : " (its launcher is on another host)");
    }
}

/* By its name, the beginning of its name, or a process id. NULL after a message. */
static const cor_record_found *ps_find(const cor_record_list *jobs, const char *word)
{
    const cor_record_found *found = NULL;
    char *end;
    long pid = strtol(word, &end, 10);
    for (size_t i = 0; i < jobs->count; i++) {
        const cor_record_found *job = &jobs->items[i];
        int is_pid = *end == '\0' && end != word;
        int is_it = is_pid ? job->pid == pid || strtol(job->name, NULL, 10) == pid
                           : strncmp(job->name, word, strlen(word)) == 0;
        if (is_it && found) {
            fprintf(stderr, "corunna ps: \"%s\" is the beginning of several jobs, %s and %s\n", word, found->name,
                    job->name);
            return NULL;
        }
        if (is_it)
            found = job;
    }
    if (!found)
        fprintf(stderr, "corunna ps: there is no job \"%s\" here; `corunna ps` lists them\n", word);
    return found;
}

static int ps_show(const cor_record_list *jobs, const char *word)
{
    const cor_record_found *job = ps_find(jobs, word);
    cor_picture picture;
    if (!job)
        return 1;
    if (cor_picture_take(&picture, &job->record) != 0) {
        fputs("corunna ps: out of memory\n", stderr);
        return 1;
    }
    cor_picture_print(&picture, stdout, "", UINT32_MAX);
    cor_picture_fini(&picture);
    if (!(job->record.header.flags & COR_RECORD_IS_ROOT))
        puts("only the ranks of this host are known here; on the launcher's host `corunna ps` knows all");
    return 0;
}

int cor_command_ps(int argc, char **argv)
{
    cor_record_list jobs;
    cor_fault fault = {0};
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return ps_usage();
    if (argc > 2 || (argc == 2 && argv[1][0] == '-') || (argc == 2 && !argv[1][0])) {
        fprintf(stderr, "corunna ps: unexpected \"%s\"; it is `corunna ps` or `corunna ps JOB`\n",
                argv[argc > 2 ? 2 : 1]);
        return RUN_STATUS_USAGE;
    }
    if (cor_record_find(&jobs, &fault) != COR_OK) {
        fprintf(stderr, "corunna ps: %s\n", fault.text);
        return 1;
    }
    int status = 0;
    if (argc == 2)
        status = ps_show(&jobs, argv[1]);
    else
        ps_list(&jobs);
    cor_record_list_fini(&jobs);
    return status;
}
