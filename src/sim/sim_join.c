/* SPDX-License-Identifier: Apache-2.0 */
/* Every send is joined with its receive, and what is sent is counted. */
#include "sim/sim_program.h"

#include <stdlib.h>

/* Receives of one rank in the order of their senders, and of one sender in the order in which they are posted: the
 * sender above, the number of the transfer below. */
static int join_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void join_count(cor_sim_program *program)
{
    for (int rank = 0; rank < program->ranks; rank++) {
        uint64_t messages = 0, bytes = 0, reduced = 0;
        for (size_t i = program->transfer_starts[rank]; i < program->transfer_starts[rank + 1]; i++)
            if (program->is_send[i]) {
                messages++;
                bytes += program->transfers[i].bytes;
            }
        for (size_t i = program->op_starts[rank]; i < program->op_starts[rank + 1]; i++) {
            uint64_t value = program->ops[i] & (((uint64_t)1 << COR_SIM_OP_SHIFT) - 1);
            if (program->ops[i] >> COR_SIM_OP_SHIFT == COR_SIM_REDUCE)
                reduced += value;
            if (program->ops[i] >> COR_SIM_OP_SHIFT == COR_SIM_COPY)
                program->copied_bytes += value;
        }
        program->messages += messages;
        program->bytes += bytes;
        program->reduced_bytes += reduced;
        if (messages > program->messages_most)
            program->messages_most = messages;
        if (bytes > program->bytes_most)
            program->bytes_most = bytes;
        if (reduced > program->reduced_most)
            program->reduced_most = reduced;
    }
}

/* For every rank, the sends to it: rising by sender, and of one sender in their order. */
typedef struct join_sends {
    size_t *starts;   /* of each receiver */
    uint32_t *from;   /* sender */
    uint32_t *number; /* of its transfer */
} join_sends;

static void join_sends_free(join_sends *sends)
{
    free(sends->starts);
    free(sends->from);
    free(sends->number);
}

static int join_sends_make(join_sends *sends, const cor_sim_program *program)
{
    size_t ranks = (size_t)program->ranks, count = program->transfer_starts[ranks], all = 0;
    for (size_t i = 0; i < count; i++)
        all += program->is_send[i];
    sends->starts = calloc(ranks + 2, sizeof *sends->starts);
    sends->from = malloc((all + 1) * sizeof *sends->from);
    sends->number = malloc((all + 1) * sizeof *sends->number);
    if (!sends->starts || !sends->from || !sends->number)
        return 0;
    size_t *next = sends->starts + 1; /* ends as where the next receiver's begin */
    for (size_t i = 0; i < count; i++)
        if (program->is_send[i])
            next[program->transfers[i].peer + 1]++;
    for (size_t rank = 0; rank < ranks; rank++)
        next[rank + 1] += next[rank];
    for (size_t rank = 0; rank < ranks; rank++)
        for (size_t i = program->transfer_starts[rank]; i < program->transfer_starts[rank + 1]; i++)
            if (program->is_send[i]) {
                size_t at = next[program->transfers[i].peer]++;
                sends->from[at] = (uint32_t)rank;
                sends->number[at] = (uint32_t)(i - program->transfer_starts[rank]);
            }
    return 1;
}

static int join_unequal(const char *what, uint32_t from, int to, cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_ARG, "the plans do not fit together: rank %u %s rank %d", from, what, to);
}

/* One receiver. `keys` has room for all its receives. */
static int join_rank(cor_sim_program *program, const join_sends *sends, int rank, uint64_t *keys, cor_fault *fault)
{
    size_t first = program->transfer_starts[rank], end = program->transfer_starts[rank + 1], count = 0;
    int is_sorted = 1;
    for (size_t i = first; i < end; i++)
        if (!program->is_send[i]) {
            keys[count] = (uint64_t)program->transfers[i].peer << 32 | (i - first);
            is_sorted &= count == 0 || keys[count - 1] < keys[count];
            count++;
        }
    if (!is_sorted)
        qsort(keys, count, sizeof *keys, join_compare);
    size_t at = sends->starts[rank], sent = sends->starts[rank + 1] - at;
    for (size_t i = 0; i < count || i < sent; i++) {
        uint32_t expected = i < count ? (uint32_t)(keys[i] >> 32) : UINT32_MAX;
        uint32_t from = i < sent ? sends->from[at + i] : UINT32_MAX;
        if (from < expected)
            return join_unequal("sends more than is expected by", from, rank, fault);
        if (from > expected)
            return join_unequal("sends less than is expected by", expected, rank, fault);
        cor_sim_transfer *in = &program->transfers[first + (uint32_t)keys[i]];
        cor_sim_transfer *out = &program->transfers[program->transfer_starts[from] + sends->number[at + i]];
        if (in->bytes != out->bytes)
            return join_unequal("sends messages of other lengths than are expected by", from, rank, fault);
        in->partner = sends->number[at + i];
        out->partner = (uint32_t)keys[i];
    }
    return COR_OK;
}

int cor_sim_program_join(cor_sim_program *program, cor_fault *fault)
{
    join_sends sends = {0};
    size_t most = 1;
    for (int rank = 0; rank < program->ranks; rank++) {
        size_t count = program->transfer_starts[rank + 1] - program->transfer_starts[rank];
        most = count > most ? count : most;
    }
    uint64_t *keys = malloc(most * sizeof *keys);
    int rc = keys && join_sends_make(&sends, program)
                 ? COR_OK
                 : cor_fault_set(fault, COR_ERR_MEMORY, "no memory to join the messages of %d simulated ranks",
                                 program->ranks);
    for (int rank = 0; rank < program->ranks && rc == COR_OK; rank++)
        rc = join_rank(program, &sends, rank, keys, fault);
    join_sends_free(&sends);
    free(keys);
    if (rc == COR_OK)
        join_count(program);
    return rc;
}
