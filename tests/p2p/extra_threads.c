/* SPDX-License-Identifier: Apache-2.0 */
#include "extra_threads.h"

#include "corunna/threads.h"

#include <pthread.h>

enum { EXTRA_MAX = 16 };

typedef struct extra_start {
    extra_thread me;
    void (*body)(const extra_thread *me);
    corunna_thread_rank *rank; /* NULL: the process has but one */
    check_who who;
} extra_start;

static void *extra_main(void *argument)
{
    extra_start *start = argument;
    check_me = start->who;
    corunna_threads_adopt(start->rank);
    start->body(&start->me);
    corunna_threads_adopt(NULL);
    return NULL;
}

void extra_threads_run(const suite *s, int count, void (*body)(const extra_thread *me), void *context)
{
    pthread_t threads[EXTRA_MAX];
    extra_start starts[EXTRA_MAX];
    CHECK(count <= EXTRA_MAX);
    for (int i = 0; i < count; i++) {
        starts[i] = (extra_start){.me = {.s = s, .number = i, .context = context},
                                  .body = body,
                                  .rank = corunna_threads_self(),
                                  .who = check_me};
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, extra_main, &starts[i]));
    }
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
}
