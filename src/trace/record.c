/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "trace/record.h"

#include "base/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- knobs ------------------------------------------------------------------------------------------------------ */

#define TRACE_FIELD(field) offsetof(cor_trace_config, field)

static const cor_knob trace_rows[] = {
    {"trace.file", COR_KNOB_TEXT, TRACE_FIELD(file), "", "the path of a file", 0, COR_TRACE_PATH_MAX,
     "file for a timeline of all ranks, written at the end as JSON for Perfetto (corunna run --trace)"},
    {"trace.stats", COR_KNOB_BOOL, TRACE_FIELD(has_stats), "no", NULL, 0, 0,
     "print at the end how long ranks communicated, and which with which (corunna run --stats)"},
    {"trace.html", COR_KNOB_TEXT, TRACE_FIELD(html), "", "the path of a file", 0, COR_TRACE_PATH_MAX,
     "file for these statistics as a page (corunna run --html)"},
    {"trace.stall", COR_KNOB_INT, TRACE_FIELD(stall_s), "60", NULL, 0, 1 << 30,
     "seconds without progress after which to print once what all ranks wait for, or 10 at most if ranks wait for "
     "each other; 0: never"},
    {"trace.events", COR_KNOB_SIZE, TRACE_FIELD(events), "128k", NULL, 16, COR_RECORD_EVENTS_MAX,
     "number of calls of a rank that a timeline keeps, the last ones; each takes 48 bytes"},
};

const cor_knob_table cor_trace_knobs = {trace_rows, sizeof trace_rows / sizeof *trace_rows};

uint32_t cor_trace_flags(const cor_trace_config *config)
{
    uint32_t stats = config->has_stats || config->html[0] ? COR_RECORD_STATS : 0;
    return stats | (config->file[0] ? COR_RECORD_EVENTS : 0);
}

/* ---- the layout ------------------------------------------------------------------------------------------------- */

static uint64_t record_pages(uint64_t bytes)
{
    return (bytes + COR_RECORD_PAGE - 1) / COR_RECORD_PAGE * COR_RECORD_PAGE;
}

uint64_t cor_record_slot_at(uint32_t rank)
{
    return COR_RECORD_PAGE + (uint64_t)rank * COR_RECORD_SLOT;
}

uint64_t cor_record_row_bytes(const cor_record_header *header)
{
    int has_row = header->flags & COR_RECORD_STATS && header->size <= COR_RECORD_MATRIX_MAX;
    return has_row ? record_pages(header->size * (uint64_t)sizeof(cor_record_pair)) : 0;
}

uint64_t cor_record_tail_bytes(const cor_record_header *header)
{
    uint64_t events = header->flags & COR_RECORD_EVENTS ? header->event_max : 0;
    return cor_record_row_bytes(header) + record_pages(events * sizeof(cor_event));
}

uint64_t cor_record_tail_at(const cor_record_header *header, uint32_t rank)
{
    return cor_record_slot_at(header->size) + rank * cor_record_tail_bytes(header);
}

uint64_t cor_record_bytes(const cor_record_header *header)
{
    return cor_record_tail_at(header, header->size);
}

/* A process that maps the memory must not lose its pages to another one that has the descriptor. */
enum { RECORD_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* ---- life ------------------------------------------------------------------------------------------------------- */

static int record_map(cor_record *record, int is_writer, cor_fault *fault)
{
    record->bytes = cor_record_slot_at(record->header.size);
    void *memory =
        mmap(NULL, record->bytes, is_writer ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, record->fd, 0);
    if (memory == MAP_FAILED)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot map the record of a job: %s", strerror(errno));
    record->memory = memory;
    return COR_OK;
}

static uint64_t record_real_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int cor_record_create(cor_record *record, const char *name, uint32_t size, uint32_t flags, size_t event_max,
                      cor_fault *fault)
{
    char label[sizeof COR_RECORD_PREFIX + COR_RECORD_NAME_MAX];
    cor_record_header *header = &record->header;
    *record = (cor_record){.fd = -1};
    *header = (cor_record_header){.magic = COR_RECORD_MAGIC,
                                  .size = size,
                                  .flags = flags,
                                  .event_max = flags & COR_RECORD_EVENTS ? (uint32_t)event_max : 0,
                                  .pid = (int32_t)getpid(),
                                  .started_ns = record_real_time()};
    snprintf(header->name, sizeof header->name, "%s", name);
    snprintf(label, sizeof label, COR_RECORD_PREFIX "%s", header->name);
    record->fd = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int cause = record->fd < 0 ? errno : cor_segment_size(record->fd, cor_record_bytes(header), 0);
    if (cause == 0 && fcntl(record->fd, F_ADD_SEALS, RECORD_SEALS) != 0)
        cause = errno;
    if (cause == 0 && pwrite(record->fd, header, sizeof *header, 0) != (ssize_t)sizeof *header)
        cause = errno;
    int rc = cause == 0 ? record_map(record, 1, fault)
                        : cor_fault_set(fault, COR_ERR_SYSTEM, "cannot make the record of a job: %s", strerror(cause));
    if (rc != COR_OK)
        cor_record_close(record);
    return rc;
}

/* The header of another process's memory: read once, checked, and from then on only the copy is used. */
static int record_read_header(int fd, cor_record_header *header, cor_fault *fault)
{
    struct stat facts;
    int is_read = pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header;
    if (!is_read || memcmp(header->magic, COR_RECORD_MAGIC, sizeof header->magic) != 0)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "it is not the record of a job of this version");
    header->name[sizeof header->name - 1] = '\0';
    if (header->size < 1 || header->size > COR_RECORD_RANKS_MAX || header->event_max > COR_RECORD_EVENTS_MAX ||
        fstat(fd, &facts) != 0 || (uint64_t)facts.st_size < cor_record_bytes(header) ||
        (fcntl(fd, F_GET_SEALS) & RECORD_SEALS) != RECORD_SEALS)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "the record of a job has invalid sizes");
    return COR_OK;
}

int cor_record_open(cor_record *record, int fd, int is_writer, cor_fault *fault)
{
    *record = (cor_record){.fd = fd};
    int rc = record_read_header(fd, &record->header, fault);
    if (rc == COR_OK)
        rc = record_map(record, is_writer, fault);
    if (rc != COR_OK)
        record->fd = -1;
    return rc;
}

void cor_record_close(cor_record *record)
{
    if (record->memory)
        munmap(record->memory, record->bytes);
    if (record->fd >= 0)
        close(record->fd);
    *record = (cor_record){.fd = -1};
}

cor_record_slot *cor_record_slot_of(const cor_record *record, uint32_t rank)
{
    return (cor_record_slot *)(void *)(record->memory + cor_record_slot_at(rank));
}

/* ---- a rank's part ---------------------------------------------------------------------------------------------- */

int cor_record_part_open(cor_record_part *part, int fd, uint32_t rank, uint32_t size, cor_fault *fault)
{
    cor_record_header header;
    *part = (cor_record_part){0};
    int rc = record_read_header(fd, &header, fault);
    if (rc != COR_OK)
        return rc;
    if (header.size != size || rank >= size)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "the record is that of another job");
    void *slot = mmap(NULL, COR_RECORD_SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)cor_record_slot_at(rank));
    void *tail = NULL;
    size_t tail_bytes = cor_record_tail_bytes(&header);
    if (slot != MAP_FAILED && tail_bytes > 0)
        tail =
            mmap(NULL, tail_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)cor_record_tail_at(&header, rank));
    if (slot == MAP_FAILED || tail == MAP_FAILED) {
        rc = cor_fault_set(fault, COR_ERR_SYSTEM, "cannot map the record of a job: %s", strerror(errno));
        if (slot != MAP_FAILED)
            munmap(slot, COR_RECORD_SLOT);
        return rc;
    }
    part->flags = header.flags;
    part->size = size;
    part->event_max = header.event_max;
    part->slot = slot;
    part->tail = tail;
    part->tail_bytes = tail_bytes;
    size_t row_bytes = cor_record_row_bytes(&header);
    if (row_bytes > 0)
        part->row = tail;
    if (tail_bytes > row_bytes)
        part->events = (cor_event *)(void *)(part->tail + row_bytes);
    return COR_OK;
}

void cor_record_part_close(cor_record_part *part)
{
    if (part->tail)
        munmap(part->tail, part->tail_bytes);
    if (part->slot)
        munmap(part->slot, COR_RECORD_SLOT);
    *part = (cor_record_part){0};
}

/* ---- now -------------------------------------------------------------------------------------------------------- */

void cor_record_tell(cor_record_slot *slot, const cor_now *now)
{
    uint64_t words[COR_NOW_WORDS];
    memcpy(words, now, sizeof words);
    uint32_t version = atomic_load_explicit(&slot->version, memory_order_relaxed);
    atomic_store_explicit(&slot->version, version + 1, memory_order_relaxed);
    /* The odd version is seen before any of the words, so that a reader of a word finds it changed. */
    atomic_thread_fence(memory_order_release);
    for (int i = 0; i < COR_NOW_WORDS; i++)
        atomic_store_explicit(&slot->now[i], words[i], memory_order_relaxed);
    /* release: all words are seen before the even version. */
    atomic_store_explicit(&slot->version, version + 2, memory_order_release);
}

cor_now cor_record_now(const cor_record_slot *slot)
{
    enum { TRIES = 1000 }; /* a writer takes some ten nanoseconds, unless it was killed meanwhile */
    cor_now now;
    uint64_t words[COR_NOW_WORDS];
    for (int i = 0; i < TRIES; i++) {
        /* acquire: the words are read after the version that they belong to. */
        uint32_t before = atomic_load_explicit(&slot->version, memory_order_acquire);
        for (int word = 0; word < COR_NOW_WORDS; word++)
            words[word] = atomic_load_explicit(&slot->now[word], memory_order_relaxed);
        /* and before the second look, which finds another version if one of them is newer. */
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 == 0 && atomic_load_explicit(&slot->version, memory_order_relaxed) == before) {
            memcpy(&now, words, sizeof now);
            return now;
        }
    }
    memset(&now, 0, sizeof now);
    return now;
}

cor_record_state cor_record_state_of(const cor_record_slot *slot)
{
    /* acquire: host, pid and clocks were written before. */
    uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
    return state < COR_RANK_STATES ? (cor_record_state)state : COR_RANK_ABSENT;
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

/* Printable characters only: what goes to a terminal comes from another process. */
static void record_text(const char *from, size_t bytes, char *out)
{
    size_t at = 0;
    for (; at + 1 < bytes && from[at]; at++)
        out[at] = from[at] > ' ' && from[at] < 127 && from[at] != '"' && from[at] != '\\' ? from[at] : '?';
    out[at] = '\0';
}

void cor_record_host(const cor_record_slot *slot, char out[COR_RECORD_HOST_MAX])
{
    record_text(slot->host, COR_RECORD_HOST_MAX, out);
}

void cor_record_algorithm(const cor_record_slot *slot, unsigned number, char out[COR_RECORD_ALGORITHM_MAX])
{
    out[0] = '\0';
    if (number >= 1 && number <= COR_RECORD_ALGORITHMS)
        record_text(slot->algorithms[number - 1], COR_RECORD_ALGORITHM_MAX, out);
}

void cor_record_clocks(const cor_record_slot *slot, cor_ticks_pair *first_p, cor_ticks_pair *last_p)
{
    *first_p = slot->first;
    *last_p = slot->last;
    if (last_p->ticks == 0)
        *last_p = cor_ticks_look(slot->has_counter != 0);
}

/* Read, not mapped: the memory may be shorter than its header says by now. */
static void *record_copy(const cor_record *record, uint64_t at, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    size_t got = 0;
    while (copy && got < bytes) {
        ssize_t more = pread(record->fd, copy + got, bytes - got, (off_t)(at + got));
        if (more <= 0)
            break;
        got += (size_t)more;
    }
    if (copy && got < bytes)
        memset(copy + got, 0, bytes - got);
    return copy;
}

cor_record_pair *cor_record_copy_row(const cor_record *record, uint32_t rank)
{
    const cor_record_header *header = &record->header;
    if (cor_record_row_bytes(header) == 0)
        return NULL;
    return record_copy(record, cor_record_tail_at(header, rank), header->size * sizeof(cor_record_pair));
}

cor_event *cor_record_copy_events(const cor_record *record, uint32_t rank, size_t *count_p, uint64_t *dropped_p)
{
    const cor_record_header *header = &record->header;
    *count_p = 0;
    *dropped_p = 0;
    if (!(header->flags & COR_RECORD_EVENTS) || header->event_max == 0)
        return malloc(sizeof(cor_event));
    /* acquire: the events were written before. */
    uint64_t written = atomic_load_explicit(&cor_record_slot_of(record, rank)->event_count, memory_order_acquire);
    size_t count = written < header->event_max ? (size_t)written : header->event_max;
    uint64_t at = cor_record_tail_at(header, rank) + cor_record_row_bytes(header);
    size_t oldest = (size_t)(written % header->event_max);
    if (count < header->event_max)
        oldest = 0;
    cor_event *raw = record_copy(record, at, count * sizeof *raw), *events = malloc(count * sizeof *events + 1);
    if (raw && events) {
        memcpy(events, raw + oldest, (count - oldest) * sizeof *events);
        memcpy(events + (count - oldest), raw, oldest * sizeof *events);
        *count_p = count;
        *dropped_p = written - count;
    } else {
        free(events);
        events = NULL;
    }
    free(raw);
    return events;
}
