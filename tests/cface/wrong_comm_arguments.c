/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong arguments to functions of groups, communicators, attributes, info, topologies and generalized requests. */
#include "wrong.h"

#include <stdint.h>

#define OTHER_GROUP ((MPI_Group)MPI_INT)
#define OTHER_INFO ((MPI_Info)MPI_INT)
#define OTHER_TYPE ((MPI_Datatype)MPI_COMM_WORLD)

static int number, flag, room[8], dims[2] = {1, 1}, zeros[2];
static MPI_Comm comm, grid, graph, dist;
static MPI_Group group, world_group;
static MPI_Info info;
static void *value;

/* ---- groups ----------------------------------------------------------------------------------------------------- */

#define WRONG_PICK(name)                                                                                              \
    WRONG(MPI_ERR_RANK, "ranks[0] is 1, but the group has 1 members (0..0)", name(world_group, 1, dims, &group));     \
    WRONG(MPI_ERR_RANK, "ranks[1] is 0, which appears twice", name(world_group, 2, zeros, &group))

#define WRONG_RANGE(name)                                                                                             \
    WRONG(MPI_ERR_ARG, "ranges[0] has the stride 0", name(world_group, 1, (int[1][3]){{0, 0, 0}}, &group));           \
    WRONG(MPI_ERR_RANK, "ranges[1] is (0, 0, 1)", name(world_group, 2, (int[2][3]){{0, 0, 1}, {0, 0, 1}}, &group));   \
    WRONG(MPI_ERR_RANK, "ranges[0] is (0, 1, 1)", name(world_group, 1, (int[1][3]){{0, 1, 1}}, &group))

static void wrong_groups(void)
{
    group = MPI_GROUP_NULL;
    WRONG_PICK(MPI_Group_incl);
    WRONG_PICK(MPI_Group_excl);
    WRONG_RANGE(MPI_Group_range_incl);
    WRONG_RANGE(MPI_Group_range_excl);
    WRONG(MPI_ERR_RANK, "ranks1[0] is 1", MPI_Group_translate_ranks(world_group, 1, dims, world_group, room));
    CHECK_OK(MPI_Comm_group(MPI_COMM_SELF, &group));
    MPI_Group freed = group;
    CHECK(MPI_Group_free(&group) == MPI_SUCCESS && group == MPI_GROUP_NULL);
    WRONG(MPI_ERR_GROUP, "was freed", MPI_Group_size(freed, &number));
}

/* ---- communicators ---------------------------------------------------------------------------------------------- */

static void wrong_comms(void)
{
    CHECK_OK(MPI_Info_create(&info));
    WRONG(MPI_ERR_ARG, "split_type is 5", MPI_Comm_split_type(MPI_COMM_WORLD, 5, 0, MPI_INFO_NULL, &comm));
    MPI_Comm world = MPI_COMM_WORLD;
    WRONG(MPI_ERR_COMM, "*comm is MPI_COMM_WORLD", MPI_Comm_disconnect(&world));
    WRONG(MPI_ERR_COMM, "peer_comm is", MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0, &comm));
    WRONG(MPI_ERR_RANK, "remote_leader is 1", MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1, 0, &comm));
    CHECK_OK(MPI_Info_free(&info));
}

static void wrong_meetings(void)
{
    char port[MPI_MAX_PORT_NAME] = "x", *commands[] = {"x"};
    int one = 1;
    MPI_Info none = MPI_INFO_NULL;
    WRONG(MPI_ERR_PORT, "is no port that this process has open", MPI_Close_port("x"));
    WRONG(MPI_ERR_SERVICE, "has not published \"x\"", MPI_Unpublish_name("x", MPI_INFO_NULL, port));
    WRONG(MPI_ERR_ARG, "port_name is", MPI_Comm_accept(NULL, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm));
    WRONG(MPI_ERR_INFO, "info is", MPI_Comm_connect(port, OTHER_INFO, 0, MPI_COMM_WORLD, &comm));
    WRONG(MPI_ERR_PORT, "\"x\" is not the name of a port",
          MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm));
    WRONG(MPI_ERR_ARG, "descriptor -1", MPI_Comm_join(-1, &comm));
    WRONG(MPI_ERR_ARG, "command is", MPI_Comm_spawn(NULL, NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, NULL));
    WRONG(MPI_ERR_ARG, "maxprocs is 0", MPI_Comm_spawn("x", NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, NULL));
    WRONG(MPI_ERR_INFO, "info is", MPI_Comm_spawn("x", NULL, 1, OTHER_INFO, 0, MPI_COMM_WORLD, &comm, NULL));
    WRONG(MPI_ERR_ARG, "count is 0",
          MPI_Comm_spawn_multiple(0, commands, NULL, &one, &none, 0, MPI_COMM_WORLD, &comm, NULL));
    WRONG(MPI_ERR_ARG, "array_of_commands is",
          MPI_Comm_spawn_multiple(1, NULL, NULL, &one, &none, 0, MPI_COMM_WORLD, &comm, NULL));
    WRONG(MPI_ERR_ARG, "array_of_info is",
          MPI_Comm_spawn_multiple(1, commands, NULL, &one, NULL, 0, MPI_COMM_WORLD, &comm, NULL));
    WRONG(MPI_ERR_ARG, "maxprocs is 0",
          MPI_Comm_spawn_multiple(1, commands, NULL, zeros, &none, 0, MPI_COMM_WORLD, &comm, NULL));
}

static void wrong_from_groups(void)
{
    char tag[MPI_MAX_STRINGTAG_LEN + 1];
    MPI_Info none = MPI_INFO_NULL;
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    memset(tag, 'x', sizeof tag - 1);
    tag[sizeof tag - 1] = '\0';
    WRONG(MPI_ERR_GROUP, "group is MPI_GROUP_NULL",
          MPI_Comm_create_from_group(MPI_GROUP_NULL, "a", none, handler, &comm));
    WRONG(MPI_ERR_GROUP, "group is not a group", MPI_Comm_create_from_group(OTHER_GROUP, "a", none, handler, &comm));
    WRONG(MPI_ERR_ARG, "stringtag is", MPI_Comm_create_from_group(world_group, NULL, none, handler, &comm));
    WRONG(MPI_ERR_ARG, "longer than 1023", MPI_Comm_create_from_group(world_group, tag, none, handler, &comm));
    WRONG(MPI_ERR_INFO, "info is", MPI_Comm_create_from_group(world_group, "a", OTHER_INFO, handler, &comm));
    WRONG(MPI_ERR_ERRHANDLER, "errhandler is",
          MPI_Comm_create_from_group(world_group, "a", none, MPI_ERRHANDLER_NULL, &comm));
    WRONG(MPI_ERR_ARG, "newcomm is", MPI_Comm_create_from_group(world_group, "a", none, handler, NULL));
    WRONG(MPI_ERR_GROUP, "local_group is",
          MPI_Intercomm_create_from_groups(MPI_GROUP_NULL, 0, world_group, 0, "a", none, handler, &comm));
    WRONG(MPI_ERR_GROUP, "remote_group is",
          MPI_Intercomm_create_from_groups(world_group, 0, MPI_GROUP_NULL, 0, "a", none, handler, &comm));
    WRONG(MPI_ERR_RANK, "local_leader is 1",
          MPI_Intercomm_create_from_groups(world_group, 1, world_group, 0, "a", none, handler, &comm));
    WRONG(MPI_ERR_RANK, "remote_leader is 7",
          MPI_Intercomm_create_from_groups(world_group, 0, world_group, 7, "a", none, handler, &comm));
    WRONG(MPI_ERR_ARG, "newintercomm is",
          MPI_Intercomm_create_from_groups(world_group, 0, world_group, 0, "a", none, handler, NULL));
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

static void wrong_attributes(void)
{
    int freed = 0, key = MPI_KEYVAL_INVALID;
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &freed, NULL));
    int gone = freed;
    CHECK_OK(MPI_Comm_free_keyval(&freed));
    WRONG(MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID", MPI_Comm_free_keyval(&key));
    WRONG(MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID", MPI_Keyval_free(&key));
    WRONG(MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID", MPI_Type_free_keyval(&key));
    WRONG(MPI_ERR_KEYVAL, "was freed", MPI_Comm_set_attr(MPI_COMM_WORLD, gone, room));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Comm_set_attr(MPI_COMM_NULL, gone, room));
    WRONG(MPI_ERR_KEYVAL, "predefined", MPI_Attr_put(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, room));
    WRONG(MPI_ERR_KEYVAL, "was freed", MPI_Comm_delete_attr(MPI_COMM_WORLD, gone));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Attr_delete(MPI_COMM_NULL, gone));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Type_set_attr(MPI_DATATYPE_NULL, gone, room));
    WRONG(MPI_ERR_KEYVAL, "was freed", MPI_Type_set_attr(MPI_INT, gone, room));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Type_get_attr(OTHER_TYPE, gone, &value, &flag));
    WRONG(MPI_ERR_ARG, "flag is", MPI_Type_get_attr(MPI_INT, gone, &value, NULL));
    WRONG(MPI_ERR_KEYVAL, "key is 77", MPI_Type_get_attr(MPI_INT, 77, &value, &flag));
    WRONG(MPI_ERR_KEYVAL, "key is", MPI_Type_delete_attr(MPI_INT, MPI_KEYVAL_INVALID));
}

/* ---- info ------------------------------------------------------------------------------------------------------- */

static void wrong_infos(void)
{
    char text[16], long_key[MPI_MAX_INFO_KEY + 1], long_value[MPI_MAX_INFO_VAL + 1];
    memset(long_key, 'k', sizeof long_key);
    memset(long_value, 'v', sizeof long_value);
    long_key[MPI_MAX_INFO_KEY] = long_value[MPI_MAX_INFO_VAL] = '\0';
    CHECK(MPI_Info_create(&info) == MPI_SUCCESS && MPI_Info_set(info, "a", "b") == MPI_SUCCESS);
    WRONG(MPI_ERR_INFO_KEY, "key is empty", MPI_Info_set(info, "", "b"));
    WRONG(MPI_ERR_INFO_KEY, "longer than 255", MPI_Info_set(info, long_key, "b"));
    WRONG(MPI_ERR_INFO_VALUE, "longer than 1023", MPI_Info_set(info, "a", long_value));
    WRONG(MPI_ERR_INFO, "MPI_INFO_ENV, which cannot be changed", MPI_Info_set(MPI_INFO_ENV, "a", "b"));
    WRONG(MPI_ERR_INFO_NOKEY, "the info has no key \"c\"", MPI_Info_delete(info, "c"));
    number = -1;
    WRONG(MPI_ERR_ARG, "*buflen is -1", MPI_Info_get_string(info, "a", &number, text, &flag));
    number = 3;
    WRONG(MPI_ERR_ARG, "value is a NULL pointer", MPI_Info_get_string(info, "a", &number, NULL, &flag));
    WRONG(MPI_ERR_ARG, "n is 1, but the info has 1 keys", MPI_Info_get_nthkey(info, 1, text));
    MPI_Info freed = info, env = MPI_INFO_ENV;
    CHECK(MPI_Info_free(&info) == MPI_SUCCESS && info == MPI_INFO_NULL);
    WRONG(MPI_ERR_INFO, "was freed", MPI_Info_get_nkeys(freed, &number));
    WRONG(MPI_ERR_INFO, "*info is MPI_INFO_ENV, which cannot be freed", MPI_Info_free(&env));
}

/* ---- topologies ------------------------------------------------------------------------------------------------- */

static void wrong_grids(void)
{
    int large[2] = {2, 3}, bad[2] = {1, 0}, outside[2] = {0, 1};
    WRONG(MPI_ERR_DIMS, "dims[1] is 0, but must be 1 or more",
          MPI_Cart_create(MPI_COMM_WORLD, 2, bad, zeros, 0, &comm));
    WRONG(MPI_ERR_DIMS, "the grid has 6 positions, but the communicator has 1 ranks",
          MPI_Cart_create(MPI_COMM_WORLD, 2, large, zeros, 0, &comm));
    WRONG(MPI_ERR_TOPOLOGY, "comm has no topology", MPI_Cart_sub(MPI_COMM_WORLD, zeros, &comm));
    WRONG(MPI_ERR_ARG, "remain_dims is", MPI_Cart_sub(grid, NULL, &comm));
    WRONG(MPI_ERR_DIMS, "dims[1] is 0", MPI_Cart_map(MPI_COMM_WORLD, 2, bad, zeros, &number));
    WRONG(MPI_ERR_ARG, "nnodes is 0", MPI_Dims_create(0, 2, bad));
    WRONG(MPI_ERR_DIMS, "dims[0] is -2", MPI_Dims_create(4, 1, (int[1]){-2}));
    WRONG(MPI_ERR_DIMS, "nnodes is 7, which is not a multiple", MPI_Dims_create(7, 2, (int[2]){3, 0}));
    WRONG(MPI_ERR_TOPOLOGY, "a graph topology, but the call needs a Cartesian topology",
          MPI_Cartdim_get(graph, &number));
    WRONG(MPI_ERR_DIMS, "maxdims is 1, but the grid has 2 dimensions", MPI_Cart_get(grid, 1, room, room, room));
    WRONG(MPI_ERR_ARG, "coords is", MPI_Cart_get(grid, 2, room, room, NULL));
    WRONG(MPI_ERR_DIMS, "maxdims is 0", MPI_Cart_coords(grid, 0, 0, room));
    WRONG(MPI_ERR_ARG, "coords[1] is 1, but this dimension is not periodic", MPI_Cart_rank(grid, outside, &number));
    WRONG(MPI_ERR_ARG, "coords is", MPI_Cart_rank(grid, NULL, &number));
    WRONG(MPI_ERR_DIMS, "direction is 2", MPI_Cart_shift(grid, 2, 1, &number, &number));
}

static void wrong_graphs(void)
{
    int falling[2] = {1, 0}, minus = -1, one = 1;
    WRONG(MPI_ERR_ARG, "nnodes is -1", MPI_Graph_create(MPI_COMM_WORLD, -1, zeros, zeros, 0, &comm));
    WRONG(MPI_ERR_ARG, "indx[1] is 0", MPI_Graph_create(MPI_COMM_WORLD, 2, falling, zeros, 0, &comm));
    WRONG(MPI_ERR_ARG, "edges[0] is 1, but the graph has 1 nodes",
          MPI_Graph_create(MPI_COMM_WORLD, 1, dims, dims, 0, &comm));
    WRONG(MPI_ERR_ARG, "the graph has 2 nodes, but the communicator has 1 ranks",
          MPI_Graph_create(MPI_COMM_WORLD, 2, zeros, zeros, 0, &comm));
    WRONG(MPI_ERR_TOPOLOGY, "needs a graph topology", MPI_Graphdims_get(grid, &number, &number));
    WRONG(MPI_ERR_ARG, "maxedges is 0, but the graph has 1 edges", MPI_Graph_get(graph, 1, 0, room, room));
    WRONG(MPI_ERR_ARG, "maxneighbors is 0, but rank 0 has 1", MPI_Graph_neighbors(graph, 0, 0, room));
    WRONG(MPI_ERR_RANK, "sources[0] is 1",
          MPI_Dist_graph_create(MPI_COMM_WORLD, 1, dims, &one, zeros, room, MPI_INFO_NULL, 0, &comm));
    WRONG(MPI_ERR_ARG, "degrees[0] is -1",
          MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zeros, &minus, zeros, room, MPI_INFO_NULL, 0, &comm));
    WRONG(MPI_ERR_RANK, "destinations[0] is 1",
          MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zeros, &one, dims, room, MPI_INFO_NULL, 0, &comm));
    WRONG(MPI_ERR_ARG, "weights[0] is -1",
          MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zeros, &one, zeros, &minus, MPI_INFO_NULL, 0, &comm));
    WRONG(MPI_ERR_RANK, "destinations[0] is 1",
          MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, zeros, MPI_UNWEIGHTED, 1, dims, MPI_UNWEIGHTED,
                                         MPI_INFO_NULL, 0, &comm));
    WRONG(MPI_ERR_ARG, "destweights is MPI_WEIGHTS_EMPTY, but there are 1 edges",
          MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, zeros, room, 1, zeros, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                                         &comm));
    WRONG(MPI_ERR_ARG, "only one of",
          MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, zeros, MPI_UNWEIGHTED, 1, zeros, room, MPI_INFO_NULL, 0,
                                         &comm));
    WRONG(MPI_ERR_TOPOLOGY, "needs a distributed graph",
          MPI_Dist_graph_neighbors_count(graph, &number, &number, &flag));
    WRONG(MPI_ERR_ARG, "sources is", MPI_Dist_graph_neighbors(dist, 1, NULL, room, 1, room, room));
    WRONG(MPI_ERR_ARG, "destweights is a NULL", MPI_Dist_graph_neighbors(dist, 1, room, room, 1, room, NULL));
}

/* ---- requests and codes ----------------------------------------------------------------------------------------- */

static void wrong_buffers(void)
{
    WRONG(MPI_ERR_BUFFER, "buffer is a NULL pointer", MPI_Comm_attach_buffer_c(MPI_COMM_WORLD, NULL, 10));
}

static void wrong_requests(void)
{
    WRONG(MPI_ERR_ARG, "errorclass is 9999", MPI_Add_error_code(9999, &number));
    WRONG(MPI_ERR_ARG, "errorcode is 4", MPI_Add_error_string(4, "x"));
    WRONG(MPI_ERR_ARG, "errorclass is 4", MPI_Remove_error_class(4));
    WRONG(MPI_ERR_ARG, "errorcode is 99999", MPI_Remove_error_code(99999));
    WRONG(MPI_ERR_ARG, "errorcode is 4", MPI_Remove_error_string(4));
}

int main(int argc, char **argv)
{
    /* These may be called before MPI_Init. */
    CHECK(MPI_Info_create(&info) == MPI_SUCCESS && MPI_Info_set(info, "a", "b") == MPI_SUCCESS);
    WRONG_EARLY(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "c"));
    CHECK(MPI_Add_error_class(&number) == MPI_SUCCESS && MPI_Remove_error_class(number) == MPI_SUCCESS);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Info_get_nkeys(info, &number) == MPI_SUCCESS && number == 1 && MPI_Info_free(&info) == MPI_SUCCESS);
    MPI_Comm_group(MPI_COMM_WORLD, &world_group);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, zeros, 0, &grid);
    MPI_Graph_create(MPI_COMM_WORLD, 1, dims, zeros, 0, &graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zeros, dims, 1, zeros, dims, MPI_INFO_NULL, 0, &dist);
    wrong_groups();
    wrong_comms();
    wrong_meetings();
    wrong_from_groups();
    wrong_attributes();
    wrong_infos();
    wrong_grids();
    wrong_graphs();
    wrong_buffers();
    wrong_requests();
    MPI_Group_free(&world_group);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&dist);
    MPI_Finalize();
    CHECK(MPI_Info_create(&info) == MPI_SUCCESS && MPI_Info_free(&info) == MPI_SUCCESS);
    puts("wrong_comm_arguments: passed");
    return 0;
}
