/*
 * Numbers are four bytes, little-endian; a text is its length, its bytes and a zero, so that it can be used where it
 * lies; a list is its length and its elements. Fields have a fixed order, the one of job_put and job_take.
 */
#define _GNU_SOURCE
#include "run/agent_job.h"

#include "run/agent_frame.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOB_MOST_RANKS = 1 << 24, JOB_MOST_HOSTS = 1 << 20, JOB_MOST_WORDS = 1 << 20 };

/* ---- writing ---------------------------------------------------------------------------------------------------- */

typedef struct job_writer {
    char *bytes;
    size_t filled, room;
    int has_failed; /* out of memory */
} job_writer;

static void job_put_bytes(job_writer *writer, const void *bytes, size_t length)
{
    if (!writer->has_failed && writer->room - writer->filled < length) {
        size_t room = 2 * (writer->filled + length);
        char *grown = realloc(writer->bytes, room);
        writer->has_failed = !grown;
        if (grown) {
            writer->bytes = grown;
            writer->room = room;
        }
    }
    if (writer->has_failed)
        return;
    memcpy(writer->bytes + writer->filled, bytes, length);
    writer->filled += length;
}

static void job_put_number(job_writer *writer, int value)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)((uint32_t)value >> 8 * i);
    job_put_bytes(writer, bytes, sizeof bytes);
}

static void job_put_text(job_writer *writer, const char *text)
{
    size_t length = strlen(text);
    job_put_number(writer, length > INT_MAX ? INT_MAX : (int)length);
    job_put_bytes(writer, text, length + 1);
}

static int job_list_length(char *const *list)
{
    int length = 0;
    while (list && list[length])
        length++;
    return length;
}

/* Several lists as one. */
static void job_put_lists(job_writer *writer, char *const *first, char *const *second)
{
    job_put_number(writer, job_list_length(first) + job_list_length(second));
    for (char *const *each = first; each && *each; each++)
        job_put_text(writer, *each);
    for (char *const *each = second; each && *each; each++)
        job_put_text(writer, *each);
}

static void job_put_host(job_writer *writer, const run_host *host)
{
    job_put_text(writer, host->name);
    job_put_text(writer, host->interface ? host->interface : "");
    job_put_number(writer, host->rank_count);
    for (int i = 0; i < host->rank_count; i++)
        job_put_number(writer, host->ranks[i]);
}

/* The ranks' directory as other hosts can find it. 0: it is gone. */
static int job_put_wdir(job_writer *writer, const char *wdir)
{
    char path[PATH_MAX + 1], joined[2 * PATH_MAX + 2];
    if (wdir && wdir[0] == '/') {
        job_put_text(writer, wdir);
        return 1;
    }
    if (!getcwd(path, sizeof path))
        return 0;
    size_t length = strlen(path), more = wdir ? strnlen(wdir, PATH_MAX) : 0;
    memcpy(joined, path, length);
    if (wdir) {
        joined[length++] = '/';
        memcpy(joined + length, wdir, more);
    }
    joined[length + more] = '\0';
    job_put_text(writer, joined);
    return 1;
}

int cor_agent_job_encode(const run_plan *plan, const char *name, int first, int count, char **bytes_p,
                         size_t *length_p, cor_fault *fault)
{
    job_writer writer = {0};
    job_put_text(&writer, name);
    job_put_text(&writer, plan->speaker);
    job_put_number(&writer, plan->size);
    job_put_number(&writer, plan->bind);
    if (!job_put_wdir(&writer, plan->wdir)) {
        free(writer.bytes);
        return cor_fault_set(fault, COR_ERR_SYSTEM,
                             "the current directory does not exist any more (%s); choose another with --wdir",
                             strerror(errno));
    }
    job_put_lists(&writer, plan->argv, NULL);
    job_put_lists(&writer, plan->environment, plan->settings);
    job_put_text(&writer, plan->reach.launcher);
    job_put_text(&writer, plan->reach.program);
    job_put_number(&writer, plan->reach.fan);
    job_put_number(&writer, plan->reach.timeout_s);
    job_put_number(&writer, plan->first_host + first);
    job_put_number(&writer, count);
    for (int i = 0; i < count; i++)
        job_put_host(&writer, &plan->hosts[first + i]);
    if (writer.has_failed) {
        free(writer.bytes);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the job of host %s", plan->hosts[first].name);
    }
    if (writer.filled > 64 << 20) {
        free(writer.bytes);
        return cor_fault_set(fault, COR_ERR_ARG, "program and environment have more than 64 MiB, the limit of a job");
    }
    *bytes_p = writer.bytes;
    *length_p = writer.filled;
    return COR_OK;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

typedef struct job_block {
    struct job_block *next;
} job_block;

typedef struct job_taker {
    const unsigned char *at, *end;
    job_block **memory;
    const char *wrong; /* the first field that cannot be */
} job_taker;

static void *job_allocate(job_taker *taker, size_t count, size_t size)
{
    job_block *block = calloc(1, sizeof *block + count * size);
    if (!block) {
        taker->wrong = taker->wrong ? taker->wrong : "memory";
        return NULL;
    }
    block->next = *taker->memory;
    *taker->memory = block;
    return block + 1;
}

static int job_take_number(job_taker *taker, const char *field, int minimum, int maximum)
{
    if (taker->end - taker->at < 4)
        taker->wrong = taker->wrong ? taker->wrong : field;
    if (taker->wrong)
        return minimum;
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t)taker->at[i] << 8 * i;
    taker->at += 4;
    if (value > INT_MAX || (int)value < minimum || (int)value > maximum) {
        taker->wrong = field;
        return minimum;
    }
    return (int)value;
}

/* It stays where it lies. */
static const char *job_take_text(job_taker *taker, const char *field)
{
    int length = job_take_number(taker, field, 0, INT_MAX);
    if (taker->wrong)
        return "";
    const unsigned char *text = taker->at;
    if (taker->end - text <= length || memchr(text, '\0', (size_t)length + 1) != text + length) {
        taker->wrong = field;
        return "";
    }
    taker->at += length + 1;
    return (const char *)text;
}

static char **job_take_list(job_taker *taker, const char *field, int minimum)
{
    int count = job_take_number(taker, field, minimum, JOB_MOST_WORDS);
    /* Each takes five bytes at least: a count beyond that is a lie and not believed. */
    if (!taker->wrong && (taker->end - taker->at) / 5 < count)
        taker->wrong = field;
    char **list = taker->wrong ? NULL : job_allocate(taker, (size_t)count + 1, sizeof *list);
    for (int i = 0; list && i < count && !taker->wrong; i++)
        list[i] = (char *)job_take_text(taker, field);
    return list;
}

static void job_take_host(job_taker *taker, run_host *host, int size)
{
    host->name = job_take_text(taker, "host name");
    host->interface = job_take_text(taker, "interface");
    host->rank_count = job_take_number(taker, "number of ranks", 0, size);
    if (!taker->wrong && (taker->end - taker->at) / 4 < host->rank_count)
        taker->wrong = "ranks";
    host->ranks = taker->wrong ? NULL : job_allocate(taker, (size_t)host->rank_count + 1, sizeof *host->ranks);
    for (int i = 0; i < host->rank_count && !taker->wrong; i++)
        host->ranks[i] = job_take_number(taker, "ranks", i ? host->ranks[i - 1] + 1 : 0, size - 1);
}

static void job_take_hosts(job_taker *taker, run_plan *plan)
{
    plan->first_host = job_take_number(taker, "first host", 0, JOB_MOST_HOSTS);
    plan->host_count = job_take_number(taker, "number of hosts", 1, JOB_MOST_HOSTS);
    if (!taker->wrong && (taker->end - taker->at) / 14 < plan->host_count)
        taker->wrong = "number of hosts";
    run_host *hosts = taker->wrong ? NULL : job_allocate(taker, (size_t)plan->host_count, sizeof *hosts);
    plan->hosts = hosts;
    for (int i = 0; hosts && i < plan->host_count && !taker->wrong; i++)
        job_take_host(taker, &hosts[i], plan->size);
}

/* "NAME=value" with a name, or the system would not take it. */
static void job_check_settings(job_taker *taker, char **settings)
{
    for (; settings && *settings && !taker->wrong; settings++)
        if (**settings == '=' || !strchr(*settings, '='))
            taker->wrong = "environment";
}

static void job_take(job_taker *taker, run_plan *plan)
{
    plan->name = job_take_text(taker, "name of the job");
    plan->speaker = job_take_text(taker, "speaker");
    plan->size = job_take_number(taker, "size", 1, JOB_MOST_RANKS);
    plan->bind = (run_bind)job_take_number(taker, "binding", RUN_BIND_NONE, RUN_BIND_CORE);
    plan->wdir = job_take_text(taker, "directory");
    plan->argv = job_take_list(taker, "program", 1);
    plan->settings = job_take_list(taker, "environment", 0);
    job_check_settings(taker, plan->settings);
    plan->reach.launcher = job_take_text(taker, "launcher");
    plan->reach.program = job_take_text(taker, "path of corunna");
    plan->reach.fan = job_take_number(taker, "fan", 1, INT_MAX);
    plan->reach.timeout_s = job_take_number(taker, "time limit", 0, INT_MAX);
    job_take_hosts(taker, plan);
    if (!taker->wrong && taker->at != taker->end)
        taker->wrong = "end";
}

int cor_agent_job_decode(const char *bytes, size_t length, agent_job *job_p, cor_fault *fault)
{
    memset(job_p, 0, sizeof *job_p);
    job_block *memory = NULL;
    job_taker taker = {.memory = &memory};
    unsigned char *copy = job_allocate(&taker, length + 1, 1);
    if (copy) {
        memcpy(copy, bytes, length);
        taker.at = copy;
        taker.end = copy + length;
        job_take(&taker, &job_p->plan);
    }
    job_p->memory = memory;
    if (!taker.wrong)
        return COR_OK;
    cor_agent_job_fini(job_p);
    return cor_fault_set(fault, COR_ERR_PROTOCOL, "the job has an invalid %s", taker.wrong);
}

void cor_agent_job_fini(agent_job *job)
{
    for (job_block *block = job->memory; block;) {
        job_block *next = block->next;
        free(block);
        block = next;
    }
    memset(job, 0, sizeof *job);
}
