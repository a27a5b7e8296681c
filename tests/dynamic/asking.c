/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asking UNIVERSE: what programs ask before they start others, and what the others ask; UNIVERSE is the value that
 * MPI_UNIVERSE_SIZE must have, 0 that it must not be set. And what is wrong at the root alone, of which all members
 * must hear.
 */
#define _GNU_SOURCE
#include "check.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static int attribute(int key, int unset)
{
    int *value, is_set;
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &is_set));
    return is_set ? *value : unset;
}

/* The number of processes that MPI_INFO_ENV has, at any time. */
static int maxprocs(void)
{
    char text[32] = "";
    int room = sizeof text, is_there;
    CHECK_OK(MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &room, text, &is_there));
    CHECK(is_there);
    MPI_Info own;
    CHECK_OK(MPI_Info_create_env(0, NULL, &own));
    CHECK_OK(MPI_Info_get_string(own, "maxprocs", &room, text, &is_there));
    CHECK(is_there);
    CHECK_OK(MPI_Info_free(&own));
    return atoi(text);
}

static void check_class(int expected, int error)
{
    int class = -1;
    CHECK_OK(MPI_Error_class(error, &class));
    CHECK_EQUAL(expected, class);
}

/* Arguments that count at the last rank only, and are wrong there. */
static void ask_wrongly(char *self)
{
    MPI_Comm made;
    int root = size - 1, is_root = rank == root, counts[2] = {1, is_root ? -1 : 1},
        huge[2] = {is_root ? INT_MAX : 1, 1};
    char *commands[2] = {self, self};
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL}, wrong = is_root ? (MPI_Info)&made : MPI_INFO_NULL;
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    check_class(MPI_ERR_ARG, MPI_Comm_spawn(self, MPI_ARGV_NULL, is_root ? 0 : 1, MPI_INFO_NULL, root, MPI_COMM_WORLD,
                                            &made, MPI_ERRCODES_IGNORE));
    check_class(MPI_ERR_ARG, MPI_Comm_spawn(is_root ? NULL : self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, root,
                                            MPI_COMM_WORLD, &made, MPI_ERRCODES_IGNORE));
    check_class(MPI_ERR_INFO,
                MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, wrong, root, MPI_COMM_WORLD, &made, MPI_ERRCODES_IGNORE));
    check_class(MPI_ERR_ARG, MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, counts, infos, root, MPI_COMM_WORLD,
                                                     &made, MPI_ERRCODES_IGNORE));
    check_class(MPI_ERR_ARG, MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, huge, infos, root, MPI_COMM_WORLD,
                                                     &made, MPI_ERRCODES_IGNORE));
    check_class(MPI_ERR_ARG, MPI_Comm_spawn_multiple(is_root ? 0 : 2, commands, MPI_ARGVS_NULL, counts, infos, root,
                                                     MPI_COMM_WORLD, &made, MPI_ERRCODES_IGNORE));
    check_class(MPI_ERR_ARG, MPI_Comm_accept(NULL, MPI_INFO_NULL, root, MPI_COMM_WORLD, &made));
    check_class(MPI_ERR_INFO, MPI_Comm_connect("a port", wrong, root, MPI_COMM_WORLD, &made));
    check_class(MPI_ERR_PORT, MPI_Comm_connect("a port", MPI_INFO_NULL, root, MPI_COMM_WORLD, &made));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

static void parent(char *self, int universe)
{
    char *first[] = {"1", ":", NULL}, *second[] = {"1", "\\:", NULL}, **arguments[] = {first, second};
    char *commands[] = {self, self};
    int counts[] = {1, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm children;
    CHECK_EQUAL(universe, attribute(MPI_UNIVERSE_SIZE, 0));
    CHECK_EQUAL(0, attribute(MPI_APPNUM, -1));
    ask_wrongly(self);
    CHECK_OK(MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, MPI_COMM_WORLD, &children,
                                     MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Comm_disconnect(&children));
}

static void child(MPI_Comm from, const char *argument)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    CHECK_OK(MPI_Comm_get_name(from, name, &length));
    CHECK_TEXT("MPI_COMM_PARENT", name);
    CHECK_EQUAL(rank, attribute(MPI_APPNUM, -1));
    CHECK_TEXT(rank == 0 ? ":" : "\\:", argument);
    CHECK_OK(MPI_Comm_disconnect(&from));
}

int main(int argc, char **argv)
{
    char self[4096];
    MPI_Comm from;
    CHECK(argc > 1 && realpath("/proc/self/exe", self) != NULL);
    int before = maxprocs();
    CHECK_OK(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQUAL(size, before);
    CHECK_EQUAL(size, maxprocs());
    CHECK_OK(MPI_Comm_get_parent(&from));
    if (from == MPI_COMM_NULL)
        parent(self, atoi(argv[1]));
    else
        child(from, argc > 2 ? argv[2] : "");
    CHECK_OK(MPI_Finalize());
    CHECK_EQUAL(size, maxprocs());
    return 0;
}
