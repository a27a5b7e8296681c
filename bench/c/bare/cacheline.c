/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor under every message in shared memory: how long data take from one core to another. Two processes, each
 * bound to a core, take turns in writing a number to each cache line that the data would fill, without any library.
 *
 *   cacheline CPU CPU pingpong:TYPE::SIZES
 *
 * BENCH_MS: the time for one size, in milliseconds.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 64, BATCHES_MAX = 1000, BATCH_BYTES = 1 << 20, BATCH_TURNS = 20000 };

typedef struct line {
    _Alignas(LINE_BYTES) atomic_long turn;
} line;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int bind_to(const char *cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)strtoul(cpu, NULL, 10), &set);
    if (sched_setaffinity(0, sizeof set, &set)) {
        fprintf(stderr, "cacheline: cannot bind to CPU %s\n", cpu);
        return -1;
    }
    return 0;
}

/* Acquire and release pair the two cores' turns, as the data of a message need it; the number is the data. */
static void take(line *lines, long count, long turn)
{
    for (long i = 0; i < count; i++)
        while (atomic_load_explicit(&lines[i].turn, memory_order_acquire) != turn) {
        }
}

static void put(line *lines, long count, long turn)
{
    for (long i = 0; i < count; i++)
        atomic_store_explicit(&lines[i].turn, turn, memory_order_release);
}

static void answer(line *lines, long count)
{
    for (long turn = 1;; turn += 2) {
        take(lines, count, turn);
        put(lines, count, turn + 1);
    }
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return first < second ? -1 : first > second;
}

static void measure(line *lines, long count, double budget_s, const char *type, long bytes)
{
    static double each_us[BATCHES_MAX];
    double end = now_s() + budget_s;
    long turn = 0, turns = BATCH_BYTES / LINE_BYTES / count + 1;
    int batches = 0;
    if (turns > BATCH_TURNS)
        turns = BATCH_TURNS;
    do {
        double start = now_s();
        for (long i = 0; i < turns; i++, turn += 2) {
            put(lines, count, turn + 1);
            take(lines, count, turn + 2);
        }
        each_us[batches++] = (now_s() - start) / (double)turns / 2 * 1e6;
    } while (now_s() < end && batches < BATCHES_MAX);
    qsort(each_us, (size_t)batches, sizeof each_us[0], compare);
    printf("pingpong\t%s\t\t%ld\tus\t%.6g\t%.6g\t%d\n", type, bytes, each_us[0], each_us[batches / 2], batches);
}

/* A process that answers, for as long as one size is measured. */
static int run_size(char **cpus, double budget_s, const char *type, long bytes)
{
    long count = bytes > LINE_BYTES ? (bytes + LINE_BYTES - 1) / LINE_BYTES : 1;
    size_t room = (size_t)count * sizeof(line);
    line *lines = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (lines == MAP_FAILED) {
        perror("cacheline: mmap");
        return 1;
    }
    memset(lines, 0, room);
    /* Bound before the fork, so that the child starts on its CPU and only one process can fail to bind. */
    if (bind_to(cpus[1]))
        return 1;
    fflush(stdout);
    pid_t other = fork();
    if (other < 0) {
        perror("cacheline: fork");
        return 1;
    }
    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it spins for ever otherwise */
        answer(lines, count);
    }
    int status = bind_to(cpus[0]) != 0;
    if (status == 0)
        measure(lines, count, budget_s, type, bytes);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    munmap(lines, room);
    return status;
}

int main(int argc, char **argv)
{
    char type[32], sizes[1200], *rest = NULL;
    const char *budget_ms = getenv("BENCH_MS");
    int status = 0;
    if (argc != 4 || sscanf(argv[3], "pingpong:%31[a-z]::%1199[0-9,]", type, sizes) != 2) {
        fprintf(stderr, "usage: cacheline CPU CPU pingpong:TYPE::SIZES\n");
        return 2;
    }
    for (char *size = strtok_r(sizes, ",", &rest); size && status == 0; size = strtok_r(NULL, ",", &rest))
        status = run_size(argv + 1, (budget_ms ? atof(budget_ms) : 200) / 1e3, type, atol(size));
    return status;
}
