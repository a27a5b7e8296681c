/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conformance suite for point-to-point: cases are rows of one table (cases.def), each a function that every rank
 * runs. The same cases run over every configuration (ranks as processes, as threads, under another launcher, alone);
 * they are written with mpi.h only and know nothing of the library beneath.
 *
 * A check that fails tells rank, case and seed too (check_me). Nothing here is global, because a process may hold all
 * ranks.
 */
#ifndef TESTS_P2P_SUITE_H
#define TESTS_P2P_SUITE_H

#include "check.h"
#include "sanitized.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* What a case knows; one a rank. */
typedef struct suite {
    MPI_Comm comm; /* of the case alone, with MPI_ERRORS_RETURN */
    int rank, size;
    uint64_t seed; /* the same in every rank */
    const char *case_name;
    int ranks_are_threads;
} suite;

typedef void (*suite_case_fn)(suite *s);

typedef struct suite_case {
    const char *group, *name;
    suite_case_fn run;
    int min_ranks, max_ranks; /* where the case makes sense; max 0: no limit */
} suite_case;

extern const suite_case suite_cases[];
extern const size_t suite_case_count;

#define SUITE_CASE(group, name, min_ranks, max_ranks) void case_##group##_##name(suite *s);
#include "cases.def"
#undef SUITE_CASE

/* ---- checks ----------------------------------------------------------------------------------------------------- */

/* For check_me; the context is the rank's suite. */
void suite_tell(FILE *to, const void *context);

/* Source, tag and number of bytes. */
void suite_check_status(const char *file, int line, const MPI_Status *status, int source, int tag, size_t bytes);
#define CHECK_STATUS(status, source, tag, bytes) suite_check_status(__FILE__, __LINE__, status, source, tag, bytes)

/* The class of an error code. */
int suite_class(int code);

/* ---- contents: bytes that only this key yields ------------------------------------------------------------------ */

uint64_t suite_mix(uint64_t value);
/* A key of up to four numbers and the seed. */
uint64_t suite_key(const suite *s, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void suite_fill(void *buffer, size_t bytes, uint64_t key);
void suite_check_bytes(const char *file, int line, const void *buffer, size_t bytes, uint64_t key);
#define CHECK_BYTES(buffer, bytes, key) suite_check_bytes(__FILE__, __LINE__, buffer, bytes, key)

/* A buffer with canaries before and behind. suite_free reports if they were overwritten. */
void *suite_alloc(size_t bytes);
void suite_check_canaries(const char *file, int line, const void *buffer);
#define CHECK_CANARIES(buffer) suite_check_canaries(__FILE__, __LINE__, buffer)
void suite_free(void *buffer);

/* A random number of a sequence; `state` is the sequence's own. */
uint64_t suite_random(uint64_t *state);

/* ---- the ways to send ------------------------------------------------------------------------------------------- */

typedef enum suite_mode {
    MODE_SEND,
    MODE_SSEND,
    MODE_BSEND,
    MODE_RSEND,
    MODE_ISEND,
    MODE_ISSEND,
    MODE_IBSEND,
    MODE_IRSEND,
    MODE_SEND_INIT,
    MODE_SSEND_INIT,
    MODE_BSEND_INIT,
    MODE_RSEND_INIT,
    MODE_COUNT
} suite_mode;

const char *suite_mode_name(suite_mode mode);
int suite_mode_is_buffered(suite_mode mode);
int suite_mode_is_ready(suite_mode mode); /* needs its receive posted before */
/* Send bytes in this mode and see it complete. */
void suite_send(const suite *s, suite_mode mode, const void *buffer, size_t bytes, int dest, int tag);

/* ---- this and that ---------------------------------------------------------------------------------------------- */

double suite_seconds(void);
/* Processor time of the calling thread: what it did, whatever else the machine does meanwhile. */
double suite_thread_seconds(void);
void suite_sleep_ms(int milliseconds);
/* Resident memory of this process in KiB. */
long suite_resident_kib(void);
/* A barrier of plain messages in MPI_COMM_WORLD, out of reach of the case's wildcards. */
void suite_meet(const suite *s);

/* Sizes around every protocol threshold, ascending; *count_p of them, none above max_bytes. */
const size_t *suite_sizes(size_t max_bytes, size_t *count_p);

#endif
