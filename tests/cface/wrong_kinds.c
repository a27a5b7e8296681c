/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function that is done, with each argument that its kind says is wrong, one at a time: the rows are made from
 * the table of functions (wrong_rows.awk). What is wrong only together with other arguments is in the other wrong_*.c.
 */
#include "wrong.h"

#include <stdint.h>

/* ---- arguments that are right ----------------------------------------------------------------------------------- */

static const int int_ones[] = {1, 1}, int_zeros[] = {0, 0};
static const MPI_Count count_ones[] = {1, 1}, count_zeros[] = {0, 0};
static const MPI_Aint aint_zeros[] = {0, 0};
static int ranges[1][3] = {{0, 0, 1}};

static int room[64], more[64], a_int;
static char text[MPI_MAX_PORT_NAME];
static void *pointer;
static MPI_Aint a_aint, aints[8];
static MPI_Count a_count, counts[8];
static MPI_Status status, statuses[2];
static MPI_Comm cart, graph, dist_graph, a_comm;
static MPI_Group world_group, a_group;
static MPI_Info some_info, a_info, infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
static MPI_Datatype uncommitted, a_datatype, datatypes[] = {MPI_INT, MPI_INT};
static MPI_Op a_op;
static MPI_Win window, a_win;
static MPI_Errhandler a_errhandler;
static MPI_Session session;
static MPI_Message message = MPI_MESSAGE_NO_PROC;
static MPI_File file, a_file;
static MPI_Offset a_offset;
static MPI_Request a_request, requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

static MPI_Comm null_comm = MPI_COMM_NULL;
static MPI_Group null_group = MPI_GROUP_NULL;
static MPI_Info null_info = MPI_INFO_NULL;
static MPI_Datatype null_datatype = MPI_DATATYPE_NULL;
static MPI_Op null_op = MPI_OP_NULL;
static MPI_Win null_win = MPI_WIN_NULL;
static MPI_File null_file = MPI_FILE_NULL;
static MPI_Session null_session = MPI_SESSION_NULL;
static MPI_Errhandler null_errhandler = MPI_ERRHANDLER_NULL;
static MPI_Request null_request = MPI_REQUEST_NULL;

static void nothing(void)
{
}

int main(int argc, char **argv)
{
    int one = 1, zero = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &world_group);
    MPI_Info_create(&some_info);
    MPI_Info_set(some_info, "a", "b");
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &one, 0, &cart);
    MPI_Graph_create(MPI_COMM_WORLD, 1, &one, &zero, 0, &graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &zero, &one, 1, &zero, &one, MPI_INFO_NULL, 0, &dist_graph);
    MPI_Win_create(room, sizeof room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
#include "wrong_rows.inc"
    MPI_Session_finalize(&session);
    MPI_File_close(&file);
    MPI_Win_free(&window);
    MPI_Group_free(&world_group);
    MPI_Info_free(&some_info);
    MPI_Type_free(&uncommitted);
    MPI_Comm_free(&cart);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&dist_graph);
    MPI_Finalize();
    puts("wrong_kinds: passed");
    return 0;
}
