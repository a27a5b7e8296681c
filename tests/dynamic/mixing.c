/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mixing CASE COUNT: groups and communicators of processes that began in different jobs. The program starts COUNT
 * copies of itself, by the argument `child`, and does the case with them.
 */
#define _GNU_SOURCE
#include "check.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static char self[4096];
static int rank, size, is_child;

/* The children of comm's members, or the parents' side: an intercommunicator, and one communicator of all, parents
 * first. */
static void begin(const char *name, int count, MPI_Comm comm, MPI_Comm *inter, MPI_Comm *all)
{
    char *arguments[] = {"child", (char *)(uintptr_t)name, NULL};
    if (is_child)
        CHECK_OK(MPI_Comm_get_parent(inter));
    else
        CHECK_OK(MPI_Comm_spawn(self, arguments, count, MPI_INFO_NULL, 0, comm, inter, MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Intercomm_merge(*inter, is_child, all));
}

static void end(MPI_Comm *inter, MPI_Comm *all)
{
    CHECK_OK(MPI_Comm_disconnect(all));
    CHECK_OK(MPI_Comm_disconnect(inter));
}

/* Every member of an intercommunicator sends to every member of the other side, and all add up. */
static void talk(MPI_Comm inter)
{
    int there, me, sum;
    MPI_Request requests[128];
    int in[64], out;
    CHECK_OK(MPI_Comm_rank(inter, &me));
    CHECK_OK(MPI_Comm_remote_size(inter, &there));
    out = 100 + me;
    for (int i = 0; i < there; i++) {
        CHECK_OK(MPI_Irecv(&in[i], 1, MPI_INT, i, 3, inter, &requests[2 * i]));
        CHECK_OK(MPI_Isend(&out, 1, MPI_INT, i, 3, inter, &requests[2 * i + 1]));
    }
    CHECK_OK(MPI_Waitall(2 * there, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < there; i++)
        CHECK_EQUAL(100 + i, in[i]);
    CHECK_OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_EQUAL(there * (there - 1) / 2, sum);
}

static void add_up(MPI_Comm comm, int expected_size)
{
    int me, count, sum;
    CHECK_OK(MPI_Comm_rank(comm, &me));
    CHECK_OK(MPI_Comm_size(comm, &count));
    CHECK_EQUAL(expected_size, count);
    CHECK_OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQUAL(count * (count - 1) / 2, sum);
}

static MPI_Group group_of(MPI_Comm comm)
{
    MPI_Group group;
    CHECK_OK(MPI_Comm_group(comm, &group));
    return group;
}

static int group_size(MPI_Group group)
{
    int count;
    CHECK_OK(MPI_Group_size(group, &count));
    return count;
}

static int compared(MPI_Group a, MPI_Group b)
{
    int result;
    CHECK_OK(MPI_Group_compare(a, b, &result));
    return result;
}

/* ---- groups
 * ------------------------------------------------------------------------------------------------------- */

static void case_groups(int count)
{
    MPI_Comm inter, all;
    begin("groups", count, MPI_COMM_WORLD, &inter, &all);
    MPI_Group world = group_of(MPI_COMM_WORLD), merged = group_of(all), remote, made, empty, again;
    int there, me, back;
    CHECK_OK(MPI_Comm_remote_group(inter, &remote));
    CHECK_OK(MPI_Comm_remote_size(inter, &there));
    /* The union with what has all is that, in another order. */
    CHECK_OK(MPI_Group_union(world, merged, &made));
    CHECK_EQUAL(size + there, group_size(made));
    CHECK_EQUAL(is_child ? MPI_SIMILAR : MPI_IDENT, compared(made, merged));
    CHECK_OK(MPI_Group_rank(made, &me));
    CHECK_EQUAL(rank, me);
    CHECK_OK(MPI_Group_free(&made));
    CHECK_OK(MPI_Group_union(merged, world, &made));
    CHECK_EQUAL(MPI_IDENT, compared(made, merged));
    CHECK_OK(MPI_Group_free(&made));
    /* Two jobs, each other's strangers. */
    CHECK_OK(MPI_Group_union(world, remote, &made));
    CHECK_EQUAL(is_child ? MPI_SIMILAR : MPI_IDENT, compared(made, merged));
    for (int i = 0; i < there; i++) {
        int in_made = size + i;
        CHECK_OK(MPI_Group_translate_ranks(made, 1, &in_made, remote, &back));
        CHECK_EQUAL(i, back);
        CHECK_OK(MPI_Group_translate_ranks(made, 1, &in_made, world, &back));
        CHECK_EQUAL(MPI_UNDEFINED, back);
    }
    CHECK_OK(MPI_Group_difference(made, world, &again));
    CHECK_EQUAL(MPI_IDENT, compared(again, remote));
    CHECK_OK(MPI_Group_free(&again));
    CHECK_OK(MPI_Group_intersection(made, remote, &again));
    CHECK_EQUAL(MPI_IDENT, compared(again, remote));
    CHECK_OK(MPI_Group_free(&again));
    CHECK_OK(MPI_Group_intersection(world, remote, &empty));
    CHECK_EQUAL(0, group_size(empty));
    CHECK_OK(MPI_Group_union(empty, made, &again));
    CHECK_EQUAL(MPI_IDENT, compared(again, made));
    CHECK_OK(MPI_Group_free(&again));
    /* Communicators of the union, in the communicator of all; this side first. */
    MPI_Comm ours, both;
    CHECK_OK(MPI_Comm_create_group(all, world, 1, &ours));
    add_up(ours, size);
    CHECK_OK(MPI_Comm_create(all, merged, &both));
    add_up(both, size + there);
    CHECK_OK(MPI_Comm_free(&both));
    CHECK_OK(MPI_Comm_create_from_group(merged, "both", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &both));
    add_up(both, size + there);
    CHECK_OK(MPI_Comm_free(&both));
    CHECK_OK(MPI_Comm_free(&ours));
    MPI_Group *groups[] = {&world, &merged, &remote, &made, &empty};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        CHECK_OK(MPI_Group_free(groups[i]));
    end(&inter, &all);
}

/* ---- intercommunicators
 * ------------------------------------------------------------------------------------------- */

/* The two worlds, over the communicator of all. */
static void case_worlds(int count)
{
    MPI_Comm inter, all, again, merged;
    int there;
    begin("worlds", count, MPI_COMM_WORLD, &inter, &all);
    CHECK_OK(MPI_Comm_remote_size(inter, &there));
    CHECK_OK(MPI_Intercomm_create(MPI_COMM_WORLD, 0, all, is_child ? 0 : size, 5, &again));
    talk(again);
    CHECK_OK(MPI_Intercomm_merge(again, is_child, &merged));
    add_up(merged, size + there);
    CHECK_OK(MPI_Comm_free(&merged));
    CHECK_OK(MPI_Comm_free(&again));
    /* The last ranks as leaders, over the intercommunicator. */
    CHECK_OK(MPI_Intercomm_create(MPI_COMM_WORLD, size - 1, inter, there - 1, 6, &again));
    talk(again);
    CHECK_OK(MPI_Comm_free(&again));
    /* A side of both jobs and a side of one. */
    MPI_Comm part;
    int me, has_left = is_child && rank == size - 1;
    CHECK_OK(MPI_Comm_rank(all, &me));
    CHECK_OK(MPI_Comm_split(all, has_left, me, &part));
    CHECK_OK(MPI_Intercomm_create(part, 0, all, has_left ? 0 : size + there - 1, 7, &again));
    talk(again);
    CHECK_OK(MPI_Comm_free(&again));
    CHECK_OK(MPI_Comm_free(&part));
    end(&inter, &all);
}

/* From groups alone. */
static void case_from_groups(int count)
{
    MPI_Comm inter, all, again;
    MPI_Group remote, world = group_of(MPI_COMM_WORLD);
    begin("from_groups", count, MPI_COMM_WORLD, &inter, &all);
    CHECK_OK(MPI_Comm_remote_group(inter, &remote));
    CHECK_OK(MPI_Intercomm_create_from_groups(world, 0, remote, 0, "two worlds", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                              &again));
    talk(again);
    CHECK_OK(MPI_Comm_free(&again));
    CHECK_OK(MPI_Group_free(&remote));
    CHECK_OK(MPI_Group_free(&world));
    end(&inter, &all);
}

/* The children belong to rank 0 alone. It brings them to the others, whom they have never met. */
static void case_introduced(int count)
{
    MPI_Comm inter, family, stranger, both, rest = MPI_COMM_NULL;
    int is_host = !is_child && rank == 0;
    if (!is_child)
        CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &rest));
    if (is_child || is_host) {
        begin("introduced", count, MPI_COMM_SELF, &inter, &family);
        CHECK_OK(MPI_Intercomm_create(family, 0, MPI_COMM_WORLD, 1, 8, &stranger));
    } else {
        CHECK_OK(MPI_Intercomm_create(rest, 0, MPI_COMM_WORLD, 0, 8, &stranger));
    }
    talk(stranger);
    CHECK_OK(MPI_Intercomm_merge(stranger, !is_child && !is_host, &both));
    int host_size = size;
    CHECK_OK(MPI_Bcast(&host_size, 1, MPI_INT, 0, both));
    add_up(both, host_size + (is_child ? size : count));
    /* What the new communicator says of old acquaintances. */
    MPI_Group group = group_of(both), world = group_of(MPI_COMM_WORLD), shared;
    CHECK_OK(MPI_Group_intersection(world, group, &shared));
    CHECK_EQUAL(MPI_IDENT, compared(shared, world));
    CHECK_OK(MPI_Group_free(&shared));
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Comm_disconnect(&both));
    CHECK_OK(MPI_Comm_disconnect(&stranger));
    if (is_child || is_host)
        end(&inter, &family);
    if (rest != MPI_COMM_NULL)
        CHECK_OK(MPI_Comm_free(&rest));
}

/* ---- requests
 * ----------------------------------------------------------------------------------------------------- */

/* What the checker (CORUNNA_CHECK) keeps of handles knows those of a joined job too. */
static void case_requests(int count)
{
    MPI_Comm inter, all, dup;
    MPI_Request request;
    int me, both, token = 0;
    begin("requests", count, MPI_COMM_WORLD, &inter, &all);
    CHECK_OK(MPI_Comm_rank(all, &me));
    CHECK_OK(MPI_Comm_size(all, &both));
    CHECK_OK(MPI_Irecv(&token, 1, MPI_INT, (me + both - 1) % both, 2, all, &request));
    CHECK_OK(MPI_Send(&me, 1, MPI_INT, (me + 1) % both, 2, all));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL((me + both - 1) % both, token);
    CHECK_OK(MPI_Ibarrier(all, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_idup(all, &dup, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Recv_init(&token, 1, MPI_INT, (me + both - 1) % both, 4, dup, &request));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Send(&me, 1, MPI_INT, (me + 1) % both, 4, dup));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Comm_free(&dup));
    end(&inter, &all);
}

static const struct {
    const char *name;
    void (*run)(int count);
} cases[] = {
    {"groups", case_groups},         {"worlds", case_worlds},     {"from_groups", case_from_groups},
    {"introduced", case_introduced}, {"requests", case_requests},
};

/* mixing CASE COUNT | mixing child CASE */
int main(int argc, char **argv)
{
    CHECK(realpath("/proc/self/exe", self) != NULL);
    CHECK_OK(MPI_Init(&argc, &argv));
    CHECK(argc > 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    is_child = strcmp(argv[1], "child") == 0;
    const char *name = is_child ? argv[2] : argv[1];
    size_t i = 0;
    while (i < sizeof cases / sizeof *cases && strcmp(cases[i].name, name) != 0)
        i++;
    CHECK(i < sizeof cases / sizeof *cases);
    cases[i].run(is_child ? 0 : atoi(argv[2]));
    MPI_Finalize();
    return 0;
}
