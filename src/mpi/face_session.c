/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: life, what is in force, process sets. What is derived from one is in face_scope.c. */
#include "mpi/face_session.h"

#include "mpi/face_comm.h"
#include "mpi/face_errhandler.h"
#include "mpi/face_life.h"

#include "base/knob.h"
#include "mp/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- thread levels ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int level;
} session_levels[] = {
    {"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
    {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
    {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
    {"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE},
};

enum { SESSION_LEVELS = sizeof session_levels / sizeof *session_levels };

static const char session_level_key[] = "thread_level";

/* The level that an info asks for; without one, as many threads as may be. -1: there is no such level. */
static int session_ask_level(const cor_info *info)
{
    const char *asked = info ? cor_info_get(info, session_level_key) : NULL;
    if (!asked)
        return MPI_THREAD_MULTIPLE;
    for (int i = 0; i < SESSION_LEVELS; i++)
        if (strcmp(session_levels[i].name, asked) == 0)
            return session_levels[i].level;
    return -1;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* An error of MPI_Session_init goes to the handler that the session would have. */
static int session_fail_init(const char *call, MPI_Errhandler errhandler, int error_class, const char *sentence)
{
    const face_rank *rank = face_get();
    MPI_Session none = MPI_SESSION_NULL;
    face_note(call, error_class, "%s", sentence);
    if (face_handler_is_fatal(errhandler) && !rank->rank) { /* there is no job to end */
        fprintf(stderr, "corunna: %s: %s\n", call, sentence);
        face_quit(error_class);
    }
    return face_run_handler(errhandler, &none, error_class);
}

static int session_make(const char *call, int level, MPI_Errhandler errhandler, MPI_Session *session)
{
    face_rank *rank = face_get();
    face_session *made = face_object_create(rank, FACE_SESSION, call);
    cor_session *core = made ? cor_session_create(rank->rank, made) : NULL;
    if (!core) {
        if (made)
            face_object_destroy(rank, made);
        return MPI_ERR_NO_MEM;
    }
    made->as.owner = rank;
    made->as.handle = (MPI_Comm)(void *)made;
    made->as.errhandler = errhandler;
    face_errhandler_ref(rank, errhandler);
    face_scope_init(&made->scope, core);
    made->thread_level = level;
    *session = (MPI_Session)made;
    return MPI_SUCCESS;
}

static int session_init(const char *call, MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    char room[FACE_SENTENCE_BYTES];
    face_rank *rank = face_get();
    cor_fault fault = {0};
    if (!face_errhandler_is_for(errhandler, FACE_FOR_SESSION))
        return face_fail_early(call, MPI_ERR_ERRHANDLER, "errhandler is %s",
                               face_errhandler_describe(errhandler, FACE_FOR_SESSION, room, sizeof room));
    if (!session)
        return session_fail_init(call, errhandler, MPI_ERR_ARG, "session is a NULL pointer");
    const cor_info *asked = info == MPI_INFO_NULL ? NULL : face_info_find(rank, info);
    if (!asked && info != MPI_INFO_NULL) {
        snprintf(room, sizeof room, "info is %p, which is not an info", (void *)info);
        return session_fail_init(call, errhandler, MPI_ERR_INFO, room);
    }
    int level = session_ask_level(asked);
    if (level < 0) {
        snprintf(room, sizeof room,
                 "thread_level is \"%.40s\", but must be MPI_THREAD_SINGLE, _FUNNELED, _SERIALIZED or "
                 "_MULTIPLE",
                 cor_info_get(asked, session_level_key));
        return session_fail_init(call, errhandler, MPI_ERR_INFO_VALUE, room);
    }
    int code = face_life_enter(rank, call, FACE_USER_SESSION, &level, &fault);
    if (code != COR_OK)
        return session_fail_init(call, errhandler, face_class_of(code),
                                 fault.text[0] ? fault.text : cor_error_text(code));
    if (session_make(call, level, errhandler, session) == MPI_SUCCESS)
        return MPI_SUCCESS;
    face_life_leave(rank);
    return session_fail_init(call, errhandler, MPI_ERR_NO_MEM, "no memory for a session");
}

FACE_API(Session_init, session_init)

static int session_finalize(const char *call, MPI_Session *session)
{
    face_session *face = face_session_find(face_get(), *session);
    face_rank *rank = face->as.owner;
    int error = face_scope_end(call, rank, &face->scope);
    if (error != MPI_SUCCESS)
        return error;
    cor_session_end(face->scope.session);
    face_errhandler_unref(rank, face->as.errhandler);
    face_object_destroy(rank, face);
    *session = MPI_SESSION_NULL;
    face_life_leave(rank);
    return MPI_SUCCESS;
}

FACE_API(Session_finalize, session_finalize)

static int session_get_info(const char *call, face_session *session, MPI_Info *info_used)
{
    cor_info *info = cor_info_create();
    for (int i = 0; info && i < SESSION_LEVELS; i++)
        if (session_levels[i].level == session->thread_level &&
            cor_info_set(info, session_level_key, session_levels[i].name) != COR_OK) {
            cor_info_destroy(info);
            info = NULL;
        }
    return face_info_used(call, info, info_used);
}

FACE_API(Session_get_info, session_get_info)

/* ---- process sets ----------------------------------------------------------------------------------------------- */

/* mpi://WORLD, mpi://SELF, a set for each host, and one for each program if there are several: the same on all ranks,
 * in this order. */
enum { PSET_WORLD, PSET_SELF, PSET_FIRST_HOST };
enum { PSET_NAME_MAX = 32 + COR_PLACE_NAME_MAX };

typedef struct pset {
    char name[PSET_NAME_MAX];
    int size;
    const int *of; /* rank of the job -> number of its host or program; NULL: the first two sets */
    int number;
} pset;

static int pset_count(const cor_rank *rank)
{
    const cor_places *places = cor_rank_places(rank);
    return PSET_FIRST_HOST + places->host_count + (places->program_count > 1 ? places->program_count : 0);
}

static void pset_name(const cor_rank *rank, int n, pset *set)
{
    const cor_places *places = cor_rank_places(rank);
    int host = n - PSET_FIRST_HOST, program = host - places->host_count;
    *set = (pset){.size = cor_rank_size(rank)};
    if (n == PSET_WORLD) {
        strcpy(set->name, "mpi://WORLD");
    } else if (n == PSET_SELF) {
        strcpy(set->name, "mpi://SELF");
        set->size = 1;
    } else if (program < 0) {
        snprintf(set->name, sizeof set->name, "corunna://host/%s", places->hosts[host]);
        set->of = places->host_of;
        set->number = host;
    } else {
        snprintf(set->name, sizeof set->name, "corunna://program/%d", places->programs[program]);
        set->of = places->program_of;
        set->number = program;
    }
}

static int pset_has(const pset *set, int rank)
{
    return set->of[rank] == set->number;
}

/* The standard's own sets are known in any case of letters, as in other libraries. */
static int pset_is_called(const pset *set, const char *name)
{
    return set->of ? strcmp(set->name, name) == 0 : strcasecmp(set->name, name) == 0;
}

/* The set of this name; else the error is reported in *error_p. */
static int pset_find(const char *call, face_session *session, const char *name, pset *set, int *error_p)
{
    const cor_rank *rank = session->as.owner->rank;
    int count = pset_count(rank);
    for (int n = 0; n < count; n++) {
        pset_name(rank, n, set);
        if (pset_is_called(set, name))
            return 1;
    }
    char(*names)[PSET_NAME_MAX] = malloc((size_t)count * sizeof *names);
    const char **candidates = malloc((size_t)count * sizeof *candidates);
    for (int n = 0; names && candidates && n < count; n++) {
        pset_name(rank, n, set);
        candidates[n] = strcpy(names[n], set->name);
    }
    const char *nearest = names && candidates ? cor_nearest(name, candidates, (size_t)count) : NULL;
    *error_p = face_fail(call, face_session_hearer(session), MPI_ERR_ARG,
                         "pset_name is \"%.100s\", which is none of %d "
                         "process sets%s",
                         name, count, cor_hint_at(nearest).text);
    free(names);
    free(candidates);
    return 0;
}

static int session_num_psets(const char *call, face_session *session, cor_info *info, int *npset_names)
{
    *npset_names = pset_count(session->as.owner->rank);
    return MPI_SUCCESS;
}

FACE_API(Session_get_num_psets, session_num_psets)

static int session_nth_pset(const char *call, face_session *session, cor_info *info, int n, int *pset_len, char *name)
{
    const cor_rank *rank = session->as.owner->rank;
    int count = pset_count(rank);
    pset set;
    if (n < 0 || n >= count)
        return face_fail(call, face_session_hearer(session), MPI_ERR_ARG,
                         "n is %d, but there are %d process sets "
                         "(0..%d)",
                         n, count, count - 1);
    if (*pset_len < 0)
        return face_fail_negative(call, face_session_hearer(session), MPI_ERR_ARG, "*pset_len", *pset_len);
    if (*pset_len > 0 && !name)
        return face_fail_null(call, face_session_hearer(session), "pset_name");
    pset_name(rank, n, &set);
    if (*pset_len > 0)
        snprintf(name, (size_t)*pset_len, "%s", set.name);
    *pset_len = (int)strlen(set.name) + 1;
    return MPI_SUCCESS;
}

FACE_API(Session_get_nth_pset, session_nth_pset)

static int session_pset_info(const char *call, face_session *session, const char *name, MPI_Info *info)
{
    char digits[16];
    pset set;
    int error;
    if (!pset_find(call, session, name, &set, &error))
        return error;
    int size = set.size;
    for (int i = 0; set.of && i < set.size; i++)
        size -= !pset_has(&set, i);
    snprintf(digits, sizeof digits, "%d", size);
    cor_info *made = cor_info_create();
    if (made && cor_info_set(made, "mpi_size", digits) != COR_OK) {
        cor_info_destroy(made);
        made = NULL;
    }
    return face_info_handle(call, made, info);
}

FACE_API(Session_get_pset_info, session_pset_info)

/* Its members, in the order of the job; NULL: no memory. */
static cor_group *pset_group(const cor_rank *rank, const pset *set, int is_self)
{
    int me = cor_rank_number(rank), size = 0;
    if (is_self)
        return cor_rank_make_group(rank, 1, &me);
    if (!set->of)
        return cor_rank_make_group(rank, set->size, NULL);
    int *members = malloc((size_t)set->size * sizeof *members);
    for (int i = 0; members && i < set->size; i++)
        if (pset_has(set, i))
            members[size++] = i;
    cor_group *group = members ? cor_rank_make_group(rank, size, members) : NULL;
    free(members);
    return group;
}

static int session_group(const char *call, face_session *session, const char *name, MPI_Group *newgroup)
{
    pset set;
    int error;
    if (!pset_find(call, session, name, &set, &error)) {
        *newgroup = MPI_GROUP_NULL; /* the standard says so for a set that does not exist */
        return error;
    }
    cor_group *plain = pset_group(session->as.owner->rank, &set, strcmp(set.name, "mpi://SELF") == 0);
    cor_group *group = plain ? cor_group_in_session(plain, session->scope.session) : NULL;
    if (plain)
        cor_group_unref(plain);
    return group ? face_group_handle(call, face_session_hearer(session), group, newgroup)
                 : face_fail(call, face_session_hearer(session), MPI_ERR_NO_MEM, "no memory for a group");
}

FACE_API(Group_from_session_pset, session_group)
