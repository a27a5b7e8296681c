/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/identity.h"

#include "base/hex.h"
#include "mp/mp_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- in addresses ----------------------------------------------------------------------------------------------- */

/* <id that this rank would give to the job>,<job of its origin, 0: this one>,<rank there>; and rank 0's has ,<secret>
 * at the end. */
int cor_identity_write(const cor_rank *rank, char text[COR_IDENTITY_TEXT_MAX], cor_fault *fault)
{
    const cor_rank *origin = rank->origin;
    uint64_t id = 0;
    uint8_t secret[COR_SHA256_BYTES];
    char digits[1 + 2 * sizeof secret + 1] = "";
    int rc = COR_OK;
    while (id == 0 && rc == COR_OK)
        rc = cor_random_bytes(&id, sizeof id);
    if (rank->known.rank == 0 && rc == COR_OK) {
        rc = cor_random_bytes(secret, sizeof secret);
        digits[0] = ',';
        cor_hex_print(secret, sizeof secret, digits + 1);
    }
    if (rc != COR_OK)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "no random numbers: %s", strerror(errno));
    snprintf(text, COR_IDENTITY_TEXT_MAX, "%016" PRIx64 ",%016" PRIx64 ",%x%s;", id,
             origin == rank ? 0 : origin->job_id, (unsigned)origin->known.rank, digits);
    return COR_OK;
}

/* Rank 0's; the others' end after the rank. */
static int identity_parse_secret(const char *text, uint8_t secret[COR_SHA256_BYTES])
{
    return *text == ',' && cor_hex_parse(text + 1, COR_SHA256_BYTES, secret) && text[1 + 2 * COR_SHA256_BYTES] == ';';
}

static int identity_parse(const char *text, uint64_t *id_p, cor_identity *home_p, const char **end_p)
{
    unsigned rank;
    int length = 0;
    if (sscanf(text, "%16" SCNx64 ",%16" SCNx64 ",%8x%n", id_p, &home_p->job, &rank, &length) != 3 || length == 0)
        return 0;
    home_p->rank = rank;
    *end_p = text + length;
    return *id_p != 0;
}

/* A process is only one member of a job, even if the other side sends otherwise. */
static int identity_check_members(const cor_rank *rank, const cor_job *job, cor_fault *fault)
{
    int size = rank->known.size;
    uint8_t *is_seen = calloc((size_t)(rank->origin->known.size + rank->origin->strangers.count), 1);
    if (!is_seen)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the numbers of %d ranks", size);
    int i = 0;
    while (i < size && !is_seen[job->numbers[i]])
        is_seen[job->numbers[i++]] = 1;
    free(is_seen);
    if (i < size)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "rank %d of the joined job sent the identity of another one", i);
    if (job->numbers[rank->known.rank] != rank->origin->known.rank)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "the joined job mistakes this process for another one");
    return COR_OK;
}

/* The numbers of a joined job's members. */
static int identity_learn_members(cor_rank *rank, const char *const *texts, cor_fault *fault)
{
    int size = rank->known.size, rc = COR_OK;
    cor_job *job = malloc(sizeof *job + (size_t)size * sizeof *job->numbers);
    if (!job)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the numbers of %d ranks", size);
    atomic_init(&job->references, 1);
    for (int i = 0; i < size && rc == COR_OK; i++) {
        uint64_t id;
        cor_identity home;
        const char *end;
        if (identity_parse(texts[i], &id, &home, &end) && (i == 0 || *end == ';'))
            rc = cor_identity_number(rank, home, &job->numbers[i], fault);
        else
            rc = cor_fault_set(fault, COR_ERR_PROTOCOL, "rank %d of the joined job sent no identity", i);
    }
    if (rc == COR_OK)
        rc = identity_check_members(rank, job, fault);
    if (rc == COR_OK)
        rank->job = job;
    else
        free(job);
    return rc;
}

int cor_identity_learn(cor_rank *rank, const char *const *texts, cor_fault *fault)
{
    cor_identity home;
    const char *end;
    if (!identity_parse(texts[0], &rank->job_id, &home, &end) || !identity_parse_secret(end, rank->job_secret))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "rank 0 sent no id and secret of the job");
    if (rank->origin == rank)
        return COR_OK;
    if (cor_rank_in_job(rank, rank->job_id))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "the joined job has the id of another one");
    return identity_learn_members(rank, texts, fault);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* A linear search: a process knows few others, and connecting to them costs far more. */
static int identity_find(const cor_strangers *strangers, cor_identity identity)
{
    int i = 0;
    while (i < strangers->count &&
           (strangers->known[i].job != identity.job || strangers->known[i].rank != identity.rank))
        i++;
    return i;
}

static int identity_add(cor_strangers *strangers, cor_identity identity)
{
    if (strangers->count == strangers->capacity) {
        int capacity = strangers->capacity ? 2 * strangers->capacity : 16;
        cor_identity *known = realloc(strangers->known, (size_t)capacity * sizeof *known);
        if (!known)
            return COR_ERR_MEMORY;
        strangers->known = known;
        strangers->capacity = capacity;
    }
    strangers->known[strangers->count++] = identity;
    return COR_OK;
}

int cor_identity_number(cor_rank *rank, cor_identity identity, int *number_p, cor_fault *fault)
{
    cor_rank *origin = rank->origin;
    uint64_t size = (uint64_t)origin->known.size;
    if (identity.job == 0 || (identity.job == origin->job_id && identity.rank >= size))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "no process has the identity %" PRIx64 ".%" PRIu64, identity.job,
                             identity.rank);
    if (identity.job == origin->job_id) {
        *number_p = (int)identity.rank;
        return COR_OK;
    }
    cor_strangers *strangers = &origin->strangers;
    cor_device_enter(origin->device);
    int place = identity_find(strangers, identity);
    int rc = place < strangers->count ? COR_OK : identity_add(strangers, identity);
    cor_device_leave(origin->device);
    if (rc != COR_OK)
        return cor_fault_set(fault, rc, "no memory for the numbers of %d processes", place + 1);
    *number_p = (int)size + place;
    return COR_OK;
}

cor_identity cor_identity_of(cor_rank *rank, int number)
{
    cor_rank *origin = rank->origin;
    int size = origin->known.size;
    if (number < size)
        return (cor_identity){origin->job_id, (uint64_t)number};
    cor_device_enter(origin->device);
    cor_identity identity = origin->strangers.known[number - size];
    cor_device_leave(origin->device);
    return identity;
}

/* ---- secrets ---------------------------------------------------------------------------------------------------- */

void cor_comm_seal(const cor_comm *comm, const uint8_t nonce[COR_NONCE_BYTES], cor_seal *seal)
{
    char name[2 * COR_NONCE_BYTES + 1];
    uint8_t key[COR_SHA256_BYTES];
    cor_hmac hmac;
    cor_hex_print(nonce, COR_NONCE_BYTES, name);
    cor_hmac_init(&hmac, comm->owner->job_secret, sizeof comm->owner->job_secret);
    cor_hmac_add(&hmac, &comm->context, sizeof comm->context);
    cor_hmac_end(&hmac, key);
    cor_seal_init(seal, key, name);
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

cor_rank *cor_rank_in_job(cor_rank *rank, uint64_t id)
{
    cor_rank *origin = rank->origin, *found = origin->job_id == id ? origin : NULL;
    cor_device_enter(origin->device);
    for (cor_link *link = origin->joined.next; link != &origin->joined && !found; link = link->next) {
        cor_rank *joined = COR_OWNER(link, cor_rank, joined_link);
        found = joined->job_id == id ? joined : NULL;
    }
    cor_device_leave(origin->device);
    return found;
}

static int identity_has_all(const cor_rank *rank, const cor_group *group)
{
    int i = 0;
    while (i < group->size && cor_group_find(rank->world->group, group, i) != COR_UNDEFINED)
        i++;
    return i == group->size;
}

cor_rank *cor_rank_in_job_of(cor_rank *rank, const cor_group *group)
{
    cor_rank *origin = rank->origin, *found = NULL;
    if (identity_has_all(origin, group))
        return origin;
    cor_device_enter(origin->device);
    for (cor_link *link = origin->joined.next; link != &origin->joined; link = link->next) {
        cor_rank *joined = COR_OWNER(link, cor_rank, joined_link);
        if (identity_has_all(joined, group) && (!found || joined->job_id < found->job_id))
            found = joined;
    }
    cor_device_leave(origin->device);
    return found;
}
