/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers are four bytes, little-endian; a text is its length, its bytes and a zero, so that it can be used in place;
 * a list is its length and its elements. Fields have a fixed order, the one of job_put and job_decode.
 */
#define _GNU_SOURCE
#include "launch/agent/agent_job.h"

#include "base/cpu.h"
#include "launch/agent/agent_frame.h"

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

static void job_put_list(job_writer *writer, char *const *list)
{
    job_put_number(writer, job_list_length(list));
    for (char *const *each = list; each && *each; each++)
        job_put_text(writer, *each);
}

static void job_put_host(job_writer *writer, const run_host *host)
{
    job_put_text(writer, host->name);
    job_put_text(writer, host->interface ? host->interface : "");
    job_put_number(writer, host->rank_count);
    for (int i = 0; i < host->rank_count; i++)
        job_put_number(writer, host->ranks[i]);
    job_put_list(writer, host->slots);
}

/* A rank file has become the hosts' slots. */
static void job_put_binding(job_writer *writer, const run_binding *binding)
{
    const char *const words[] = {binding->bind_to, binding->map_by, binding->rank_by, binding->cpu_set};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        job_put_text(writer, words[i] ? words[i] : "");
    job_put_number(writer, binding->report_bindings);
    job_put_number(writer, binding->use_hwthreads);
    job_put_number(writer, binding->counted);
}

/* The ranks' directory as other hosts can find it. 0: it does not exist any more. */
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

static int job_put_program(job_writer *writer, const run_program *program)
{
    job_put_number(writer, program->count);
    job_put_number(writer, program->pass);
    job_put_list(writer, program->argv);
    job_put_list(writer, program->settings);
    return job_put_wdir(writer, program->wdir);
}

int cor_agent_job_encode(const run_plan *plan, const char *name, int first, int count, char **bytes_p,
                         size_t *length_p, cor_fault *fault)
{
    job_writer writer = {0};
    job_put_text(&writer, name);
    job_put_text(&writer, plan->command_name);
    job_put_number(&writer, plan->size);
    job_put_number(&writer, plan->universe);
    job_put_binding(&writer, &plan->binding);
    job_put_number(&writer, plan->record_flags);
    job_put_number(&writer, (int)plan->trace.events);
    job_put_number(&writer, plan->input_rank - RUN_INPUT_ALL);
    job_put_list(&writer, plan->environment);
    job_put_list(&writer, plan->settings);
    job_put_list(&writer, plan->wrapper);
    job_put_text(&writer, plan->wrapped ? plan->wrapped : "");
    job_put_number(&writer, plan->program_count);
    for (int i = 0; i < plan->program_count; i++)
        if (!job_put_program(&writer, &plan->programs[i])) {
            free(writer.bytes);
            return cor_fault_set(fault, COR_ERR_SYSTEM,
                                 "the current directory does not exist any more (%s); choose another with --wdir",
                                 strerror(errno));
        }
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

typedef struct job_decoder {
    const unsigned char *at, *end;
    job_block **memory;
    const char *wrong; /* the first invalid field */
} job_decoder;

static void *job_allocate(job_decoder *decoder, size_t count, size_t size)
{
    job_block *block = calloc(1, sizeof *block + count * size);
    if (!block) {
        decoder->wrong = decoder->wrong ? decoder->wrong : "memory";
        return NULL;
    }
    block->next = *decoder->memory;
    *decoder->memory = block;
    return block + 1;
}

static int job_decode_number(job_decoder *decoder, const char *field, int minimum, int maximum)
{
    if (decoder->end - decoder->at < 4)
        decoder->wrong = decoder->wrong ? decoder->wrong : field;
    if (decoder->wrong)
        return minimum;
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t)decoder->at[i] << 8 * i;
    decoder->at += 4;
    if (value > INT_MAX || (int)value < minimum || (int)value > maximum) {
        decoder->wrong = field;
        return minimum;
    }
    return (int)value;
}

/* Not copied. */
static const char *job_decode_text(job_decoder *decoder, const char *field)
{
    int length = job_decode_number(decoder, field, 0, INT_MAX);
    if (decoder->wrong)
        return "";
    const unsigned char *text = decoder->at;
    if (decoder->end - text <= length || memchr(text, '\0', (size_t)length + 1) != text + length) {
        decoder->wrong = field;
        return "";
    }
    decoder->at += length + 1;
    return (const char *)text;
}

static char **job_decode_list(job_decoder *decoder, const char *field, int minimum)
{
    int count = job_decode_number(decoder, field, minimum, JOB_MOST_WORDS);
    /* Each takes at least five bytes, so a larger count is invalid. */
    if (!decoder->wrong && (decoder->end - decoder->at) / 5 < count)
        decoder->wrong = field;
    char **list = decoder->wrong ? NULL : job_allocate(decoder, (size_t)count + 1, sizeof *list);
    for (int i = 0; list && i < count && !decoder->wrong; i++)
        list[i] = (char *)job_decode_text(decoder, field);
    return list;
}

static void job_decode_host(job_decoder *decoder, run_host *host, int size)
{
    host->name = job_decode_text(decoder, "host name");
    host->interface = job_decode_text(decoder, "interface");
    host->rank_count = job_decode_number(decoder, "number of ranks", 0, size);
    if (!decoder->wrong && (decoder->end - decoder->at) / 4 < host->rank_count)
        decoder->wrong = "ranks";
    host->ranks = decoder->wrong ? NULL : job_allocate(decoder, (size_t)host->rank_count + 1, sizeof *host->ranks);
    for (int i = 0; i < host->rank_count && !decoder->wrong; i++)
        host->ranks[i] = job_decode_number(decoder, "ranks", i ? host->ranks[i - 1] + 1 : 0, size - 1);
    char **slots = job_decode_list(decoder, "slots", 0);
    int slot_count = job_list_length(slots);
    if (!decoder->wrong && slot_count > 0 && slot_count != host->rank_count)
        decoder->wrong = "slots";
    host->slots = slot_count > 0 ? slots : NULL;
}

/* NULL: it was not given. */
static const char *job_decode_word(job_decoder *decoder, const char *field)
{
    const char *word = job_decode_text(decoder, field);
    return *word ? word : NULL;
}

static void job_decode_binding(job_decoder *decoder, run_binding *binding)
{
    binding->bind_to = job_decode_word(decoder, "binding");
    binding->map_by = job_decode_word(decoder, "mapping");
    binding->rank_by = job_decode_word(decoder, "ranking");
    binding->cpu_set = job_decode_word(decoder, "set of CPUs");
    binding->report_bindings = job_decode_number(decoder, "report of bindings", 0, 1);
    binding->use_hwthreads = job_decode_number(decoder, "kind of CPUs", 0, 1);
    binding->counted = job_decode_number(decoder, "number of objects", 0, COR_CPU_MAX);
}

static void job_decode_hosts(job_decoder *decoder, run_plan *plan)
{
    plan->first_host = job_decode_number(decoder, "first host", 0, JOB_MOST_HOSTS);
    plan->host_count = job_decode_number(decoder, "number of hosts", 1, JOB_MOST_HOSTS);
    if (!decoder->wrong && (decoder->end - decoder->at) / 18 < plan->host_count)
        decoder->wrong = "number of hosts";
    run_host *hosts = decoder->wrong ? NULL : job_allocate(decoder, (size_t)plan->host_count, sizeof *hosts);
    plan->hosts = hosts;
    for (int i = 0; hosts && i < plan->host_count && !decoder->wrong; i++)
        job_decode_host(decoder, &hosts[i], plan->size);
}

/* "NAME=value" with a name, as putenv requires. */
static void job_check_settings(job_decoder *decoder, char **settings)
{
    for (; settings && *settings && !decoder->wrong; settings++)
        if (**settings == '=' || !strchr(*settings, '='))
            decoder->wrong = "environment";
}

static void job_decode_programs(job_decoder *decoder, run_plan *plan)
{
    plan->program_count = job_decode_number(decoder, "number of programs", 1, plan->size);
    if (!decoder->wrong && (decoder->end - decoder->at) / 26 < plan->program_count)
        decoder->wrong = "number of programs";
    run_program *programs =
        decoder->wrong ? NULL : job_allocate(decoder, (size_t)plan->program_count, sizeof *programs);
    plan->programs = programs;
    for (int i = 0; programs && i < plan->program_count && !decoder->wrong; i++) {
        programs[i].count = job_decode_number(decoder, "ranks of a program", 0, plan->size);
        programs[i].pass = (run_pass)job_decode_number(decoder, "environment", RUN_PASS_ALL, RUN_PASS_NAMED);
        programs[i].argv = job_decode_list(decoder, "program", 1);
        programs[i].settings = job_decode_list(decoder, "environment", 0);
        job_check_settings(decoder, programs[i].settings);
        programs[i].wdir = job_decode_text(decoder, "directory");
    }
}

static void job_decode(job_decoder *decoder, run_plan *plan)
{
    plan->name = job_decode_text(decoder, "name of the job");
    plan->command_name = job_decode_text(decoder, "command name");
    plan->size = job_decode_number(decoder, "size", 1, JOB_MOST_RANKS);
    plan->universe = job_decode_number(decoder, "number of slots", 0, INT_MAX);
    job_decode_binding(decoder, &plan->binding);
    plan->record_flags = job_decode_number(decoder, "what to record", 0, COR_RECORD_STATS | COR_RECORD_EVENTS);
    plan->trace.events = (size_t)job_decode_number(decoder, "number of events", 0, COR_RECORD_EVENTS_MAX);
    plan->input_rank =
        job_decode_number(decoder, "rank with stdin", 0, plan->size - 1 - RUN_INPUT_ALL) + RUN_INPUT_ALL;
    plan->environment = job_decode_list(decoder, "environment", 0);
    job_check_settings(decoder, plan->environment);
    plan->settings = job_decode_list(decoder, "environment", 0);
    job_check_settings(decoder, plan->settings);
    plan->wrapper = job_decode_list(decoder, "wrapper", 0);
    plan->wrapped = job_decode_text(decoder, "wrapped ranks");
    job_decode_programs(decoder, plan);
    plan->reach.launcher = job_decode_text(decoder, "launcher");
    plan->reach.program = job_decode_text(decoder, "path of corunna");
    plan->reach.fan = job_decode_number(decoder, "fan", 1, INT_MAX);
    plan->reach.timeout_s = job_decode_number(decoder, "time limit", 0, INT_MAX);
    job_decode_hosts(decoder, plan);
    if (!decoder->wrong && decoder->at != decoder->end)
        decoder->wrong = "end";
}

int cor_agent_job_decode(const char *bytes, size_t length, agent_job *job_p, cor_fault *fault)
{
    memset(job_p, 0, sizeof *job_p);
    job_block *memory = NULL;
    job_decoder decoder = {.memory = &memory};
    unsigned char *copy = job_allocate(&decoder, length + 1, 1);
    if (copy) {
        memcpy(copy, bytes, length);
        decoder.at = copy;
        decoder.end = copy + length;
        job_decode(&decoder, &job_p->plan);
    }
    job_p->memory = memory;
    if (!decoder.wrong)
        return COR_OK;
    cor_agent_job_fini(job_p);
    return cor_fault_set(fault, COR_ERR_PROTOCOL, "the job has an invalid %s", decoder.wrong);
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
