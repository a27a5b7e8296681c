/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an agent, or a process that pretends to be one, may send to the launcher, and what the launcher may send to an
 * agent: any bytes, in any pieces.
 *
 * FUZZ_SOURCES: src/launch/agent/agent_frame.c src/launch/agent/agent_job.c src/base/error.c
 */
#include "launch/agent/agent_frame.h"
#include "launch/agent/agent_job.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Touch everything a frame claims to have. */
static unsigned fuzz_use(const agent_frame *frame)
{
    unsigned sum = (unsigned)cor_agent_frame_of(frame->kind) + (unsigned)strlen(cor_agent_frame_name(frame->kind));
    for (size_t i = 0; i < frame->length; i++)
        sum += (unsigned char)frame->bytes[i];
    return sum;
}

/* Other directories are written as they are seen from here. */
static int fuzz_is_absolute(const run_plan *plan)
{
    for (int i = 0; i < plan->program_count; i++)
        if (plan->programs[i].wdir[0] != '/')
            return 0;
    return 1;
}

/* A job that was read must be one that can be told again, and is then the same. */
static void fuzz_job(const char *bytes, size_t length)
{
    agent_job job, again;
    cor_fault fault = {0};
    if (cor_agent_job_decode(bytes, length, &job, &fault) != COR_OK)
        return;
    char *told;
    size_t told_length;
    const run_plan *plan = &job.plan;
    if (fuzz_is_absolute(plan) &&
        cor_agent_job_encode(plan, plan->name, 0, plan->host_count, &told, &told_length, &fault) == COR_OK) {
        if (told_length != length || memcmp(told, bytes, length) != 0 ||
            cor_agent_job_decode(told, told_length, &again, &fault) != COR_OK)
            abort();
        cor_agent_job_fini(&again);
        free(told);
    }
    cor_agent_job_fini(&job);
}

static void fuzz_stream(const unsigned char *data, size_t size, int sender, int is_greeted, size_t piece)
{
    agent_reader reader = {.sender = sender, .is_greeted = is_greeted};
    agent_frame frame;
    cor_fault fault = {0};
    volatile unsigned sum = 0;
    int code = COR_AGAIN;
    for (size_t at = 0; at < size && code == COR_AGAIN; at += piece) {
        size_t length = size - at < piece ? size - at : piece;
        char *room = cor_agent_reader_room(&reader, length);
        if (!room)
            break;
        memcpy(room, data + at, length);
        cor_agent_reader_filled(&reader, length);
        while ((code = cor_agent_reader_next(&reader, &frame, &fault)) == COR_OK) {
            sum += fuzz_use(&frame);
            if (frame.kind == AGENT_JOB)
                fuzz_job(frame.bytes, frame.length);
        }
    }
    cor_agent_reader_fini(&reader);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t piece = 1 + data[1];
    switch (data[0] % 4) {
    case 0:
        fuzz_stream(data + 2, size - 2, FROM_AGENT, 0, piece);
        break;
    case 1:
        fuzz_stream(data + 2, size - 2, FROM_AGENT, 1, piece);
        break;
    case 2:
        fuzz_stream(data + 2, size - 2, FROM_PARENT, 1, piece);
        break;
    default:
        fuzz_job((const char *)data + 2, size - 2);
        break;
    }
    return 0;
}
