/*
 * The floor under every latency: how long a cache line takes from one core to another. Two processes, each bound to
 * a core, take turns in writing one number on a line that they share; no library is involved.
 * Arguments: the numbers of the two CPUs. BENCH_MS: time to measure, in milliseconds.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CACHELINE_BATCH = 20000 };

static double cacheline_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int cacheline_bind(const char *cpu)
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

/* Acquire and release pair the two cores' turns, as a message's payload would need it; the number is the payload. */
static void cacheline_wait(atomic_long *line, long turn)
{
    while (atomic_load_explicit(line, memory_order_acquire) != turn) {
    }
}

/* Answers every odd number with the next even one until it is ended from outside. */
static void cacheline_answer(atomic_long *line)
{
    for (long turn = 1;; turn += 2) {
        cacheline_wait(line, turn);
        atomic_store_explicit(line, turn + 1, memory_order_release);
    }
}

static double cacheline_measure(atomic_long *line, double budget_s)
{
    double end = cacheline_now() + budget_s;
    double best = 1;
    long turn = 0;
    while (cacheline_now() < end) {
        double start = cacheline_now();
        for (int i = 0; i < CACHELINE_BATCH; i++, turn += 2) {
            atomic_store_explicit(line, turn + 1, memory_order_release);
            cacheline_wait(line, turn + 2);
        }
        double each = (cacheline_now() - start) / CACHELINE_BATCH;
        if (each < best)
            best = each;
    }
    return best;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: cacheline CPU CPU\n");
        return 2;
    }
    const char *budget_ms = getenv("BENCH_MS");
    void *line = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (line == MAP_FAILED) {
        perror("cacheline: mmap");
        return 1;
    }
    /* Bound before the fork, so that the child starts on its CPU and only one process can fail to bind. */
    if (cacheline_bind(argv[2]))
        return 1;
    pid_t other = fork();
    if (other < 0) {
        perror("cacheline: fork");
        return 1;
    }
    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody spins on after a kill of the first process */
        cacheline_answer(line);
    }
    int status = 1;
    if (cacheline_bind(argv[1]) == 0) {
        double round_s = cacheline_measure(line, (budget_ms ? atof(budget_ms) : 200) / 1e3);
        printf("cacheline\t64\t%.4f\tus\n", round_s / 2 * 1e6);
        status = 0;
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    return status;
}
