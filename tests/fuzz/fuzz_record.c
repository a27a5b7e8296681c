/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of a job, as another process may have left it: any bytes in the header, the slots and the events. What is
 * opened can be printed, added up and written as a timeline.
 *
 * The first bytes are the header's numbers and which of its bytes are wrong; the rest fills the slots and tails, again
 * and again, so that short inputs reach every field.
 *
 * FUZZ_SOURCES: src/trace/record.c src/trace/calls.c src/trace/ticks.c src/trace/picture.c src/trace/waits.c
 * FUZZ_SOURCES: src/trace/timeline.c src/trace/totals.c src/trace/totals_print.c src/trace/totals_page.c
 * FUZZ_SOURCES: src/base/output.c src/base/segment.c
 * FUZZ_SOURCES: src/base/knob.c src/base/knob_map.c src/base/knob_name.c src/base/log.c src/base/error.c
 */
#define _GNU_SOURCE
#include "trace/picture.h"
#include "trace/timeline.h"
#include "trace/totals.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { FUZZ_HEADER = 8 };

/* Fill the file from `at` on with the input, each time moved by a byte. */
static void fuzz_fill(int fd, uint64_t at, uint64_t end, const unsigned char *data, size_t size)
{
    char room[COR_RECORD_PAGE];
    for (size_t turn = 0; at < end; at += sizeof room, turn++) {
        for (size_t i = 0; i < sizeof room; i++)
            room[i] = (char)data[(i + turn) % size];
        if (pwrite(fd, room, sizeof room, (off_t)at) != (ssize_t)sizeof room)
            abort();
    }
}

static void fuzz_use(const cor_record *record)
{
    cor_picture picture;
    cor_totals totals;
    cor_timeline_gaps gaps;
    cor_fault fault = {0};
    FILE *out = fopen("/dev/null", "w");
    if (!out || cor_picture_take(&picture, record) != 0)
        abort();
    cor_picture_print(&picture, out, "", UINT32_MAX);
    cor_picture_is_stalled(&picture, 1);
    cor_picture_fini(&picture);
    if (cor_totals_add_up(&totals, record, &fault) != COR_OK)
        abort();
    cor_totals_print(&totals, out, "");
    if (cor_totals_write_page(&totals, "/dev/null", &fault) != COR_OK ||
        cor_timeline_write(record, "/dev/null", &gaps, &fault) != COR_OK)
        abort();
    cor_totals_fini(&totals);
    fclose(out);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    cor_record made, record;
    cor_fault fault = {0};
    if (size <= FUZZ_HEADER)
        return 0;
    uint32_t ranks = 1 + data[0] % 5, flags = data[1] & 15, events = 1 + data[2] % 40;
    if (cor_record_create(&made, "fuzz", ranks, flags, events, &fault) != COR_OK)
        abort();
    fuzz_fill(made.fd, COR_RECORD_PAGE, cor_record_bytes(&made.header), data + FUZZ_HEADER, size - FUZZ_HEADER);
    if (data[3] & 1 && pwrite(made.fd, data + 4, 1, data[5] % sizeof(cor_record_header)) != 1)
        abort();
    int fd = dup(made.fd);
    if (cor_record_open(&record, fd, 0, &fault) == COR_OK) {
        fuzz_use(&record);
        cor_record_close(&record);
    } else {
        close(fd);
        if (!fault.text[0])
            abort();
    }
    cor_record_close(&made);
    return 0;
}
