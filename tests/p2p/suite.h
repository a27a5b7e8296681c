/*
 * The conformance suite for point-to-point: cases are rows of one table (cases.def), each a function that every rank
 * runs. The same cases run over every configuration (ranks as processes, as threads, under another launcher, alone);
 * they are written with mpi.h only and know nothing of the library beneath.
 *
 * A case fails by telling rank, case, seed, what was expected and what came, and ends the process at once: the other
 * ranks are then the launcher's to end. Nothing here is global, because a process may hold all ranks.
 */
#ifndef TESTS_P2P_SUITE_H
#define TESTS_P2P_SUITE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* Sanitized programs run some ten times slower; cases of volume then do less. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SUITE_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SUITE_IS_SANITIZED 1
#endif
#endif
#ifndef SUITE_IS_SANITIZED
#define SUITE_IS_SANITIZED 0
#endif

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

/* ---- checks: the first that does not hold ends the run ---------------------------------------------------------- */

void suite_expect(const suite *s, const char *file, int line, const char *what, long long expected, long long got);
void suite_fail(const suite *s, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5), noreturn));

#define EXPECT(s, expected, got) suite_expect(s, __FILE__, __LINE__, #got, (long long)(expected), (long long)(got))
#define OK(s, call) EXPECT(s, MPI_SUCCESS, call)
#define FAIL(s, ...) suite_fail(s, __FILE__, __LINE__, __VA_ARGS__)

/* Source, tag and number of bytes. */
void suite_expect_status(const suite *s, const char *file, int line, const MPI_Status *status, int source, int tag,
                         size_t bytes);
#define EXPECT_STATUS(s, status, source, tag, bytes)                                                                  \
    suite_expect_status(s, __FILE__, __LINE__, status, source, tag, bytes)

/* The class of an error code. */
int suite_class(const suite *s, int code);

/* ---- contents: bytes that only this key yields ------------------------------------------------------------------ */

uint64_t suite_mix(uint64_t value);
/* A key of up to four numbers and the seed. */
uint64_t suite_key(const suite *s, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void suite_fill(void *buffer, size_t bytes, uint64_t key);
void suite_expect_bytes(const suite *s, const char *file, int line, const void *buffer, size_t bytes, uint64_t key);
#define EXPECT_BYTES(s, buffer, bytes, key) suite_expect_bytes(s, __FILE__, __LINE__, buffer, bytes, key)

/* A buffer with canaries before and behind. suite_free tells whoever wrote over them. */
void *suite_alloc(const suite *s, size_t bytes);
void suite_expect_canaries(const suite *s, const char *file, int line, const void *buffer);
#define EXPECT_CANARIES(s, buffer) suite_expect_canaries(s, __FILE__, __LINE__, buffer)
void suite_free(const suite *s, void *buffer);

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
