/* SPDX-License-Identifier: Apache-2.0 */
/* A job of threads: exchange, fence, and that an abort or a rank that leaves early releases all. */
#include "check.h"
#include "pmi/boot.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEAM_SIZE = 16, TEAM_ROUNDS = 50 };

typedef enum team_plan { PLAN_WORK, PLAN_ABORT, PLAN_DESERT, PLAN_AGAIN } team_plan;

typedef struct team_member {
    cor_team *team;
    team_plan plan;
    int rank;
    atomic_int *arrived; /* how many have come to the fence under test */
} team_member;

static void work(const team_member *self, cor_boot *boot)
{
    for (int round = 0; round < TEAM_ROUNDS; round++) {
        char value[32], other[32];
        const char *const *values = NULL;
        cor_fault fault = {0};
        snprintf(value, sizeof value, "%d-%d", round, self->rank);
        CHECK(boot->ops->exchange(boot, "round", value, &values, &fault) == COR_OK);
        memset(value, 'x', sizeof value); /* the exchange must not look at it any more */
        for (int rank = 0; rank < boot->size; rank++) {
            snprintf(other, sizeof other, "%d-%d", round, rank);
            CHECK_TEXT(other, values[rank]);
        }
        /* No rank passes before all have come. */
        atomic_fetch_add(&self->arrived[round], 1);
        CHECK(boot->ops->fence(boot, "come", &fault) == COR_OK);
        CHECK(atomic_load(&self->arrived[round]) % TEAM_SIZE == 0);
        CHECK(boot->ops->fence(boot, "come", &fault) == COR_OK);
    }
}

static void *member_main(void *argument)
{
    team_member *self = argument;
    cor_boot *boot = NULL;
    cor_fault fault = {0};
    for (int turn = 0; turn < (self->plan == PLAN_AGAIN ? 3 : 1); turn++) {
        CHECK_OK(cor_team_boot(self->team, self->rank, &boot, &fault));
        CHECK(boot->rank == self->rank && boot->size == TEAM_SIZE);
        if (self->plan == PLAN_WORK || self->plan == PLAN_AGAIN) {
            work(self, boot);
            CHECK(boot->ops->finalize(boot, &fault) == COR_OK);
        } else if (self->rank == TEAM_SIZE / 2) {
            usleep(20000); /* the others wait by then, or are yet to come: both must end alike */
            if (self->plan == PLAN_ABORT)
                boot->ops->abort(boot, 9, "enough is enough");
        } else {
            CHECK(boot->ops->fence(boot, "come", &fault) == COR_ERR_PEER);
            const char *cause = self->plan == PLAN_ABORT ? "enough is enough" : "rank 8, which has ended";
            CHECK(strstr(fault.text, cause) != NULL);
            CHECK(boot->ops->fence(boot, "come", &fault) == COR_ERR_PEER);
        }
        boot->ops->close(boot);
    }
    return NULL;
}

typedef struct abort_seen {
    atomic_int count, status;
} abort_seen;

static void on_abort(void *context, int status, const char *reason)
{
    abort_seen *seen = context;
    atomic_fetch_add(&seen->count, 1);
    atomic_store(&seen->status, strcmp(reason, "enough is enough") == 0 ? status : -1);
}

static void run_team(team_plan plan)
{
    cor_fault fault = {0};
    cor_team *team = NULL;
    team_member members[TEAM_SIZE];
    pthread_t threads[TEAM_SIZE];
    atomic_int arrived[TEAM_ROUNDS] = {0};
    abort_seen seen = {0};
    const char *reason = NULL;
    CHECK_OK(cor_team_create(TEAM_SIZE, &team, &fault));
    cor_team_on_abort(team, on_abort, &seen);
    CHECK(cor_team_aborted(team, &reason) == -1 && reason == NULL);
    for (int rank = 0; rank < TEAM_SIZE; rank++) {
        members[rank] = (team_member){team, plan, rank, arrived};
        pthread_create(&threads[rank], NULL, member_main, &members[rank]);
    }
    for (int rank = 0; rank < TEAM_SIZE; rank++)
        pthread_join(threads[rank], NULL);
    CHECK(atomic_load(&seen.count) == (plan == PLAN_ABORT));
    CHECK(cor_team_aborted(team, &reason) == (plan == PLAN_ABORT ? 9 : -1));
    if (plan == PLAN_ABORT) {
        CHECK(atomic_load(&seen.status) == 9);
        CHECK_TEXT("enough is enough", reason);
    }
    cor_team_destroy(team);
}

static void test_arguments(void)
{
    cor_fault fault = {0};
    cor_team *team = NULL;
    cor_boot *boot = NULL;
    const char *const *values = NULL;
    CHECK(cor_team_create(0, &team, &fault) == COR_ERR_ARG);
    CHECK_OK(cor_team_create(1, &team, &fault));
    CHECK(cor_team_boot(team, 1, &boot, &fault) == COR_ERR_RANK);
    CHECK(cor_team_boot(team, -1, &boot, &fault) == COR_ERR_RANK);
    CHECK_OK(cor_team_boot(team, 0, &boot, &fault));
    char longest[COR_BOOT_VALUE_MAX + 2];
    memset(longest, 'v', sizeof longest);
    longest[COR_BOOT_VALUE_MAX + 1] = '\0';
    CHECK(boot->ops->exchange(boot, "key", longest, &values, &fault) == COR_ERR_ARG);
    CHECK(boot->ops->exchange(boot, "key", "two words", &values, &fault) == COR_ERR_ARG);
    CHECK(boot->ops->exchange(boot, "key=", "v", &values, &fault) == COR_ERR_ARG);
    CHECK(boot->ops->exchange(boot, "", "v", &values, &fault) == COR_ERR_ARG);
    CHECK(values == NULL);
    longest[COR_BOOT_VALUE_MAX] = '\0';
    CHECK(boot->ops->exchange(boot, "key", longest, &values, &fault) == COR_OK);
    CHECK_TEXT(longest, values[0]);
    CHECK(boot->ops->finalize(boot, &fault) == COR_OK);
    boot->ops->close(boot);
    cor_team_destroy(team);
}

int main(void)
{
    alarm(600);
    test_arguments();
    run_team(PLAN_WORK);
    run_team(PLAN_ABORT);
    run_team(PLAN_DESERT);
    run_team(PLAN_AGAIN);
    return 0;
}
