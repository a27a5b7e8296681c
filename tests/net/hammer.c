/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host of the hammer (hammer.h).
 *
 *   hammer [--corunna COMMAND] [--seed N] [--rounds N | --seconds N] [--phase NAME] [--mix ff|fp|pf|pp]
 *          [--splice yes|no] [--patience SECONDS]
 *
 * Server and client are fast (f) or plain (p): all four mixes where there is a COMMAND, which is `corunna`. Round after
 * round has the next seed. A failure prints the seed, phase and mix that repeat it.
 */
#define _GNU_SOURCE
#include "hammer.h"

#include "check.h"
#include "sanitized.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HOST_NAP_MS = 20, HOST_ENDS_NAMED = 3 };

/* Volume by phase: so much that rings are full and empty again and again, and with the first numbers soon done. */
static const struct host_volume {
    int connections;
    size_t short_bytes, short_chunk, bytes, chunk;
} host_volumes[] = {
    [HAMMER_PHASE_threads] = {2 * HAMMER_KIND_COUNT * HAMMER_KIND_COUNT, 300000, 300000, 4 << 20, 1 << 20},
    [HAMMER_PHASE_forks] = {HAMMER_KIND_COUNT * HAMMER_KIND_COUNT, 300000, 300000, 4 << 20, 1 << 20},
    [HAMMER_PHASE_turns] = {10, 9 << 20, 8 << 20, 36 << 20, 8 << 20},
    [HAMMER_PHASE_loops] = {300, 60000, 60000, 1 << 20, 1 << 20},
};

#define HOST_NAME(name) #name,
static const char *const host_phases[] = {HAMMER_PHASES(HOST_NAME)};
static const char *const host_ends[] = {HAMMER_ENDS(HOST_NAME)};
static const char *const host_mixes[] = {"ff", "fp", "pf", "pp"};

typedef struct host {
    const char *corunna;     /* NULL: no fast ends */
    const char *phase, *mix; /* NULL: all */
    int may_splice;
    uint64_t seed;
    long rounds, seconds, patience_s;
    char self[4096];
    hammer_board *board;
    int board_fd;
    pid_t ends[HAMMER_END_COUNT]; /* 0: has ended */
} host;

/* ---- one run ----------------------------------------------------------------------------------------------------- */

static pid_t host_start(const host *this, hammer_end end, int is_fast)
{
    char fd[16];
    snprintf(fd, sizeof fd, "%d", this->board_fd);
    const char *words[] = {this->corunna, "sock", this->self, "--end", host_ends[end], fd, NULL};
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child > 0)
        return child;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char **first = is_fast ? words : words + 2;
    execv(*first, (char *const *)(uintptr_t)first);
    _exit(127);
}

static void host_kill(host *this)
{
    for (int end = 0; end < HAMMER_END_COUNT; end++)
        if (this->ends[end] > 0) {
            kill(-this->ends[end], SIGKILL);
            kill(this->ends[end], SIGKILL);
            waitpid(this->ends[end], NULL, 0);
            this->ends[end] = 0;
        }
}

static _Noreturn void host_fail(host *this, const char *mix, const char *what)
{
    fprintf(stderr, "FAILED: %s. Again with: --seed %llu --rounds 1 --phase %s --mix %s --splice %s\n", what,
            (unsigned long long)this->board->seed, host_phases[this->board->phase], mix,
            this->may_splice ? "yes" : "no");
    hammer_board_tell(this->board);
    host_kill(this);
    exit(1);
}

/* The ends that have ended are noted; a failed one ends the test. */
static void host_reap(host *this, const char *mix)
{
    for (int end = 0; end < HAMMER_END_COUNT; end++) {
        int status;
        if (this->ends[end] <= 0 || waitpid(this->ends[end], &status, WNOHANG) <= 0)
            continue;
        this->ends[end] = 0;
        char what[80];
        snprintf(what, sizeof what, "the %s ended with status %x", host_ends[end], (unsigned)status);
        if (status != 0)
            host_fail(this, mix, what);
    }
}

/* Until both have ended. Time is counted in naps: where the machine stands still or is busy, so does the count. */
static void host_watch(host *this, const char *mix)
{
    uint64_t before = 0;
    for (long naps = 0; this->ends[HAMMER_END_server] > 0 || this->ends[HAMMER_END_client] > 0; naps++) {
        const struct timespec nap = {0, HOST_NAP_MS * 1000000l};
        nanosleep(&nap, NULL);
        host_reap(this, mix);
        uint64_t now = hammer_board_moved(this->board) + (uint64_t)this->board->row_count;
        if (now != before)
            naps = 0;
        before = now;
        if (naps * HOST_NAP_MS > this->patience_s * 1000)
            host_fail(this, mix, "a hang: nothing moves");
    }
}

static void host_run(host *this, uint64_t seed, hammer_phase phase, const char *mix)
{
    const struct host_volume *volume = &host_volumes[phase];
    hammer_board *board = this->board;
    memset(board, 0, sizeof *board);
    board->seed = seed;
    board->phase = phase;
    board->connections = volume->connections;
    board->may_splice = this->may_splice;
    board->bytes = test_is_slow() ? volume->short_bytes : volume->bytes;
    board->chunk = test_is_slow() ? volume->short_chunk : volume->chunk;
    this->ends[HAMMER_END_server] = host_start(this, HAMMER_END_server, mix[0] == 'f');
    CHECK_UNTIL(board->port != 0, {
        check_nap();
        host_reap(this, mix);
    });
    this->ends[HAMMER_END_client] = host_start(this, HAMMER_END_client, mix[1] == 'f');
    host_watch(this, mix);
    int is_fast = strcmp(mix, "ff") == 0;
    if (board->is_fast[0] != is_fast || board->is_fast[1] != is_fast)
        host_fail(this, mix, is_fast ? "no byte went through shared memory" : "bytes went through shared memory");
    printf("seed %llu, %s, %s: %llu bytes\n", (unsigned long long)seed, host_phases[phase], mix,
           (unsigned long long)hammer_board_moved(board));
}

static void host_round(host *this, uint64_t seed)
{
    for (int phase = 0; phase < HAMMER_PHASE_COUNT; phase++)
        for (int mix = 0; mix < 4; mix++) {
            int needs_command = strcmp(host_mixes[mix], "pp") != 0;
            if ((this->phase && strcmp(this->phase, host_phases[phase]) != 0) ||
                (this->mix && strcmp(this->mix, host_mixes[mix]) != 0) || (needs_command && !this->corunna))
                continue;
            host_run(this, seed, (hammer_phase)phase, host_mixes[mix]);
        }
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static hammer_board *host_map(int fd)
{
    hammer_board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(board != MAP_FAILED);
    return board;
}

static void host_options(host *this, int count, char **words)
{
    const char *seed = getenv("CORUNNA_TEST_SEED");
    this->seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
    for (int i = 1; i < count; i += 2) {
        const char *value = i + 1 < count ? words[i + 1] : NULL;
        if (!value)
            CHECK_FAIL("%s needs a value", words[i]);
        else if (strcmp(words[i], "--corunna") == 0)
            this->corunna = value;
        else if (strcmp(words[i], "--phase") == 0)
            this->phase = value;
        else if (strcmp(words[i], "--mix") == 0)
            this->mix = value;
        else if (strcmp(words[i], "--seed") == 0)
            this->seed = seed ? this->seed : strtoull(value, NULL, 0);
        else if (strcmp(words[i], "--splice") == 0)
            this->may_splice = strcmp(value, "yes") == 0;
        else if (strcmp(words[i], "--rounds") == 0)
            this->rounds = atol(value);
        else if (strcmp(words[i], "--seconds") == 0)
            this->seconds = atol(value);
        else if (strcmp(words[i], "--patience") == 0)
            this->patience_s = atol(value);
        else
            CHECK_FAIL("unknown option %s", words[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc == HOST_ENDS_NAMED + 1 && strcmp(argv[1], "--end") == 0)
        return hammer_end_run(host_map(atoi(argv[3])),
                              strcmp(argv[2], "server") == 0 ? HAMMER_END_server : HAMMER_END_client);
    static host this = {.rounds = 1, .patience_s = 60, .may_splice = 1};
    struct rlimit files;
    host_options(&this, argc, argv);
    CHECK(readlink("/proc/self/exe", this.self, sizeof this.self - 1) > 0);
    CHECK_OK(getrlimit(RLIMIT_NOFILE, &files));
    files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
    CHECK_OK(setrlimit(RLIMIT_NOFILE, &files));
    this.board_fd = memfd_create("hammer", 0);
    CHECK_OK(ftruncate(this.board_fd, sizeof *this.board));
    this.board = host_map(this.board_fd);
    time_t begin = time(NULL);
    for (uint64_t round = 0; this.seconds ? time(NULL) - begin < this.seconds : (long)round < this.rounds; round++)
        host_round(&this, this.seed + round);
    return 0;
}
