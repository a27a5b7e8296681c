/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What another job claims of itself when two jobs meet (mp/identity.h), groups of numbers (mp/group.h), and what a
 * leader claims of its side when an intercommunicator is made (mp/create/intercomm.c): no claim is believed that cannot
 * be true.
 */
#include "check.h"

#include "coll/coll.h"
#include "mp/create/comm.h"
#include "mp/create/intercomm.h"
#include "mp/internal.h"
#include "mp/mp_state.h"
#include "pmi/boot.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- identities ------------------------------------------------------------------------------------------------- */

enum { HERE = 3, MEMBERS = 4, ME = 1 };
static const uint64_t OWN_JOB = 0x1111, OTHER_JOB = 0x2222, JOINT_JOB = 0x3333;

#define SECRET ",00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* A process that is rank ME of HERE of its own job and rank 0 of MEMBERS of a joined one. */
typedef struct process {
    cor_device device;
    cor_rank origin, joined;
} process;

static process *process_make(void)
{
    process *p = calloc(1, sizeof *p);
    CHECK(p != NULL);
    p->origin.known = (cor_boot){.rank = ME, .size = HERE};
    p->joined.known = (cor_boot){.rank = 0, .size = MEMBERS};
    p->origin.origin = p->joined.origin = &p->origin;
    p->origin.device = p->joined.device = &p->device;
    p->origin.job_id = OWN_JOB;
    cor_list_init(&p->origin.joined);
    cor_list_init(&p->device.unheld);
    return p;
}

static void process_free(process *p)
{
    cor_job_unref(p->joined.job);
    free(p->origin.strangers.known);
    free(p);
}

/* Learn a joint job whose members have these identities; its code and, if not NULL, a part of its sentence are
 * checked. */
static void learn(int expected, const char *part, uint64_t job, const cor_identity members[MEMBERS])
{
    process *p = process_make();
    char texts[MEMBERS][COR_IDENTITY_TEXT_MAX];
    const char *list[MEMBERS];
    cor_fault fault = {0};
    for (int i = 0; i < MEMBERS; i++) {
        snprintf(texts[i], sizeof texts[i], "%016" PRIx64 ",%016" PRIx64 ",%x%s;", job, members[i].job,
                 (unsigned)members[i].rank, i == 0 ? SECRET : "");
        list[i] = texts[i];
    }
    CHECK_EQUAL(expected, cor_identity_learn(&p->joined, list, &fault));
    CHECK(!part || strstr(fault.text, part) != NULL);
    process_free(p);
}

static void learn_all(void)
{
    const cor_identity own = {OWN_JOB, ME}, first = {OTHER_JOB, 0}, second = {OTHER_JOB, 1}, third = {OTHER_JOB, 2};
    learn(COR_OK, NULL, JOINT_JOB, (cor_identity[]){own, first, second, third});
    learn(COR_OK, NULL, JOINT_JOB, (cor_identity[]){own, {OWN_JOB, 0}, second, {OWN_JOB, 2}});
    learn(COR_ERR_PROTOCOL, "sent the identity of another one", JOINT_JOB,
          (cor_identity[]){own, first, second, first});
    learn(COR_ERR_PROTOCOL, "sent the identity of another one", JOINT_JOB, (cor_identity[]){own, first, second, own});
    learn(COR_ERR_PROTOCOL, "mistakes this process", JOINT_JOB, (cor_identity[]){first, own, second, third});
    learn(COR_ERR_PROTOCOL, "no process has the identity", JOINT_JOB,
          (cor_identity[]){own, {OWN_JOB, HERE}, second, third});
    learn(COR_ERR_PROTOCOL, "no process has the identity", JOINT_JOB, (cor_identity[]){own, {0, 0}, second, third});
    learn(COR_ERR_PROTOCOL, "the id of another one", OWN_JOB, (cor_identity[]){own, first, second, third});
    learn(COR_ERR_PROTOCOL, NULL, 0, (cor_identity[]){own, first, second, third});
}

/* What is no identity at all. */
static void learn_garbage(void)
{
    static const char *const garbage[] = {"", ";", ",,;", "1,2,3", "1,2,3,4;", "1,2,x;", "1,2,3 ;", "0,2,3;"};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        process *p = process_make();
        const char *list[MEMBERS] = {"1,1111,1" SECRET ";", "1,2222,0;", "1,2222,1;", garbage[i]};
        cor_fault fault = {0};
        CHECK_EQUAL(COR_ERR_PROTOCOL, cor_identity_learn(&p->joined, list, &fault));
        process_free(p);
    }
}

/* Rank 0 sends the job's secret. */
static void learn_secret(void)
{
    static const char *const texts[] = {"1,1111,1;", "1,1111,1,;", "1,1111,1,00112233;", "1,1111,1" SECRET "00;",
                                        "1,1111,1" SECRET};
    for (size_t i = 0; i <= sizeof texts / sizeof *texts; i++) {
        process *p = process_make();
        int is_right = i == sizeof texts / sizeof *texts;
        const char *list[MEMBERS] = {is_right ? "1,1111,1" SECRET ";" : texts[i], "1,2222,0;", "1,2222,1;",
                                     "1,2222,2;"};
        cor_fault fault = {0};
        CHECK_EQUAL(is_right ? COR_OK : COR_ERR_PROTOCOL, cor_identity_learn(&p->joined, list, &fault));
        CHECK(!is_right || (p->joined.job_secret[1] == 0x11 && p->joined.job_secret[31] == 0xff));
        process_free(p);
    }
}

/* ---- groups of numbers ------------------------------------------------------------------------------------------ */

/* The maker's number may be larger than that of any member. */
static void group_without_maker(void)
{
    const int peers[] = {2, 0};
    for (int me = 0; me < 5000; me += 7) {
        cor_group *group = cor_group_make(NULL, 3, me, 2, peers);
        CHECK(group != NULL);
        CHECK_EQUAL(me == 0 ? 1 : COR_UNDEFINED, group->rank);
        CHECK_EQUAL(COR_UNDEFINED, cor_group_rank_of(group, 1));
        CHECK_EQUAL(COR_UNDEFINED, cor_group_rank_of(group, me + 3));
        CHECK_EQUAL(0, cor_group_rank_of(group, 2));
        cor_group_unref(group);
    }
}

/* ---- a leader that lies ----------------------------------------------------------------------------------------- */

enum { TAG = 5, LIAR = 2 };

/* What the leader of the other side sends: its hello, and identities if it comes to that. */
typedef struct lie {
    uint64_t hello[3];
    size_t hello_bytes;
    uint64_t identity[2];
    int code; /* of all members of the honest side */
} lie;

static const lie lies[] = {
    {{UINT64_C(1) << 40, 1, 0}, 24, {0}, COR_ERR_PROTOCOL},
    {{UINT64_MAX, 1, 0}, 24, {0}, COR_ERR_PROTOCOL},
    {{0, 1, 0}, 24, {0}, COR_ERR_PROTOCOL},
    {{1, 1, 0}, 8, {0}, COR_ERR_PROTOCOL},
    {{1, 1, 0}, 24, {0, 7}, COR_ERR_PROTOCOL},
};
enum { LIES = sizeof lies / sizeof *lies };

typedef struct member {
    cor_team *team;
    int number;
    pthread_t thread;
} member;

static void liar_tell(cor_comm *world, const void *data, size_t bytes)
{
    cor_device *device = world->device;
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_transfer t = {0};
    cor_device_enter(device);
    CHECK_OK(device->ops->isend(device, &t, 0, world->context | COR_CONTEXT_BRIDGE, TAG, &payload));
    cor_device_wait(device, &t);
    cor_device_leave(device);
}

static void *member_main(void *argument)
{
    member *me = argument;
    cor_fault fault = {0};
    cor_rank *rank;
    cor_rank_options options = {.team = me->team, .team_rank = me->number, .is_threaded = 1, .prepare = cor_coll_open};
    if (cor_rank_open(&options, &rank, &fault) != COR_OK)
        CHECK_FAIL("cor_rank_open: %s", fault.text);
    cor_comm *world = cor_rank_world(rank), *side, *inter;
    CHECK_OK(cor_comm_split(world, me->number == LIAR, 0, &side));
    for (int i = 0; i < LIES; i++) {
        CHECK_OK(cor_barrier(world));
        if (me->number == LIAR) {
            liar_tell(world, lies[i].hello, lies[i].hello_bytes);
            if (lies[i].hello[0] == 1 && lies[i].hello_bytes == 24)
                liar_tell(world, lies[i].identity, sizeof lies[i].identity);
        } else {
            CHECK_EQUAL(lies[i].code, cor_intercomm_create(side, 0, world, LIAR, TAG, &inter));
        }
        CHECK_OK(cor_barrier(world));
    }
    cor_comm_unref(side);
    if (cor_coll_close(rank, &fault) != COR_OK || cor_rank_close(rank, &fault) != COR_OK)
        CHECK_FAIL("the end: %s", fault.text);
    return NULL;
}

static void leader_lies(void)
{
    cor_team *team;
    cor_fault fault = {0};
    member all[LIAR + 1];
    if (cor_team_create(LIAR + 1, &team, &fault) != COR_OK)
        CHECK_FAIL("cor_team_create: %s", fault.text);
    for (int i = 0; i <= LIAR; i++) {
        all[i] = (member){.team = team, .number = i};
        CHECK_EQUAL(0, pthread_create(&all[i].thread, NULL, member_main, &all[i]));
    }
    for (int i = 0; i <= LIAR; i++)
        pthread_join(all[i].thread, NULL);
    cor_team_destroy(team);
}

int main(void)
{
    learn_all();
    learn_garbage();
    learn_secret();
    group_without_maker();
    leader_lies();
    return 0;
}
