/* SPDX-License-Identifier: Apache-2.0 */
/* Groups, intercommunicators and topologies. Java has checked every argument. */
#include "jni/jni_face.h"
#include "jni/jni_natives.h"
#include "jni/jni_numbers.h"

#include "mp/create/comm.h"
#include "mp/create/intercomm.h"
#include "mp/topology.h"

#include <stdlib.h>

/* ---- groups ----------------------------------------------------------------------------------------------------- */

jintArray JNICALL jni_native_commPeers(JNIEnv *env, jclass native, jlong handle, jboolean is_remote)
{
    (void)native;
    const cor_comm *comm = jni_comm_at(handle);
    const cor_group *group = is_remote ? cor_comm_remote_group(comm) : cor_comm_group(comm);
    int *peers = malloc(((size_t)group->size + 1) * sizeof *peers);
    if (!peers) {
        jni_fail_status(env, jni_rank_of(comm), "Group", COR_ERR_MEMORY, NULL);
        return NULL;
    }
    for (int i = 0; i < group->size; i++)
        peers[i] = cor_group_number(group, i);
    jintArray array = jni_ints(env, peers, group->size);
    free(peers);
    return array;
}

/* Java names members by numbers that hold in all jobs of this process (mp/group.h). */
cor_group *jni_group_of(JNIEnv *env, cor_comm *comm, jintArray members, int *code_p)
{
    cor_group *group = NULL;
    int count;
    int *numbers = jni_ints_copy(env, members, &count);
    *code_p = numbers ? cor_comm_pick(comm, count, numbers, &group) : COR_ERR_MEMORY;
    free(numbers);
    return group;
}

jlong JNICALL jni_native_commCreate(JNIEnv *env, jclass native, jlong handle, jintArray members)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    int code;
    cor_group *group = jni_group_of(env, comm, members, &code);
    if (group) {
        code = cor_comm_create(comm, group, &made);
        cor_group_unref(group);
    }
    return jni_made(env, comm, "Create", code, made);
}

/* ---- intercommunicators ----------------------------------------------------------------------------------------- */

jint JNICALL jni_native_commRemoteSize(JNIEnv *env, jclass native, jlong comm)
{
    (void)env, (void)native;
    return cor_comm_remote_size(jni_comm_at(comm));
}

jboolean JNICALL jni_native_commIsInter(JNIEnv *env, jclass native, jlong comm)
{
    (void)env, (void)native;
    return cor_comm_is_inter(jni_comm_at(comm)) != 0;
}

jlong JNICALL jni_native_intercommCreate(JNIEnv *env, jclass native, jlong local, jint local_leader, jlong bridge,
                                         jint remote_leader, jint tag)
{
    (void)native;
    cor_comm *made = NULL;
    int code = cor_intercomm_create(jni_comm_at(local), local_leader, jni_comm_at(bridge), remote_leader, tag, &made);
    return jni_made(env, jni_comm_at(local), "Create_intercomm", code, made);
}

jlong JNICALL jni_native_intercommMerge(JNIEnv *env, jclass native, jlong inter, jboolean is_high)
{
    (void)native;
    cor_comm *made = NULL;
    int code = cor_intercomm_merge(jni_comm_at(inter), is_high != 0, &made);
    return jni_made(env, jni_comm_at(inter), "Merge", code, made);
}

/* ---- grids ------------------------------------------------------------------------------------------------------ */

/* Java's numbers: no topology is UNDEFINED, a graph 1, a grid 2, a graph of parts 3. */
jint JNICALL jni_native_topologyKind(JNIEnv *env, jclass native, jlong comm)
{
    (void)env, (void)native;
    static const jint java_numbers[] = {
        [COR_TOPOLOGY_NONE] = JNI_UNDEFINED,
        [COR_TOPOLOGY_CART] = 2,
        [COR_TOPOLOGY_GRAPH] = 1,
        [COR_TOPOLOGY_DIST_GRAPH] = 3,
    };
    return java_numbers[cor_topology_kind_of(jni_comm_at(comm))];
}

jboolean JNICALL jni_native_dimsCreate(JNIEnv *env, jclass native, jint nodes, jintArray array)
{
    (void)native;
    int count;
    int *dims = jni_ints_copy(env, array, &count);
    int is_fine = dims && cor_dims_create(nodes, count, dims) == COR_OK;
    if (is_fine)
        (*env)->SetIntArrayRegion(env, array, 0, count, dims);
    free(dims);
    return is_fine != 0;
}

jlong JNICALL jni_native_cartCreate(JNIEnv *env, jclass native, jlong handle, jintArray array, jbooleanArray rings)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    int count, code = COR_ERR_MEMORY;
    int *dims = jni_ints_copy(env, array, &count), *periods = jni_booleans_copy(env, rings);
    if (dims && periods)
        code = cor_cart_create(comm, count, dims, periods, &made);
    free(dims);
    free(periods);
    return jni_made(env, comm, "Create_cart", code, made);
}

jlong JNICALL jni_native_cartSub(JNIEnv *env, jclass native, jlong handle, jbooleanArray array)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    int *remain = jni_booleans_copy(env, array);
    int code = remain ? cor_cart_sub(comm, remain, &made) : COR_ERR_MEMORY;
    free(remain);
    return jni_made(env, comm, "Sub", code, made);
}

jintArray JNICALL jni_native_cartDims(JNIEnv *env, jclass native, jlong comm)
{
    (void)native;
    return jni_ints(env, cor_cart_dims(jni_comm_at(comm)), cor_cart_dim_count(jni_comm_at(comm)));
}

jbooleanArray JNICALL jni_native_cartPeriods(JNIEnv *env, jclass native, jlong comm)
{
    (void)native;
    int count = cor_cart_dim_count(jni_comm_at(comm));
    const int *periods = cor_cart_periods(jni_comm_at(comm));
    jbooleanArray array = (*env)->NewBooleanArray(env, count);
    for (int i = 0; array && i < count; i++) {
        jboolean one = periods[i] != 0;
        (*env)->SetBooleanArrayRegion(env, array, i, 1, &one);
    }
    return array;
}

jintArray JNICALL jni_native_cartCoords(JNIEnv *env, jclass native, jlong handle, jint rank)
{
    (void)native;
    const cor_comm *comm = jni_comm_at(handle);
    int count = cor_cart_dim_count(comm);
    int *coords = malloc(((size_t)count + 1) * sizeof *coords);
    if (!coords) {
        jni_fail_status(env, jni_rank_of(comm), "Coords", COR_ERR_MEMORY, NULL);
        return NULL;
    }
    cor_cart_coords(comm, rank, coords);
    jintArray array = jni_ints(env, coords, count);
    free(coords);
    return array;
}

jint JNICALL jni_native_cartRank(JNIEnv *env, jclass native, jlong handle, jintArray array)
{
    (void)native;
    const cor_comm *comm = jni_comm_at(handle);
    int count;
    int *coords = jni_ints_copy(env, array, &count);
    if (!coords) {
        jni_fail_status(env, jni_rank_of(comm), "Rank", COR_ERR_MEMORY, NULL);
        return 0;
    }
    int rank = cor_cart_rank(comm, coords);
    free(coords);
    return rank;
}

jintArray JNICALL jni_native_cartShift(JNIEnv *env, jclass native, jlong comm, jint dim, jint distance)
{
    (void)native;
    int ranks[2];
    cor_cart_shift(jni_comm_at(comm), dim, distance, &ranks[0], &ranks[1]);
    return jni_ints(env, ranks, 2);
}

jint JNICALL jni_native_cartMap(JNIEnv *env, jclass native, jlong handle, jintArray array)
{
    (void)native;
    const cor_comm *comm = jni_comm_at(handle);
    int count;
    int *dims = jni_ints_copy(env, array, &count);
    if (!dims) {
        jni_fail_status(env, jni_rank_of(comm), "Map", COR_ERR_MEMORY, NULL);
        return 0;
    }
    int rank = cor_cart_map(comm, count, dims);
    free(dims);
    return jni_rank_number(rank);
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

jlong JNICALL jni_native_graphCreate(JNIEnv *env, jclass native, jlong handle, jintArray ends, jintArray neighbours)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    int node_count, edge_count, code = COR_ERR_MEMORY;
    int *index = jni_ints_copy(env, ends, &node_count), *edges = jni_ints_copy(env, neighbours, &edge_count);
    if (index && edges)
        code = cor_graph_create(comm, node_count, index, edges, &made);
    free(index);
    free(edges);
    return jni_made(env, comm, "Create_graph", code, made);
}

jintArray JNICALL jni_native_graphIndex(JNIEnv *env, jclass native, jlong comm)
{
    (void)native;
    return jni_ints(env, cor_graph_index(jni_comm_at(comm)), cor_graph_node_count(jni_comm_at(comm)));
}

jintArray JNICALL jni_native_graphEdges(JNIEnv *env, jclass native, jlong comm)
{
    (void)native;
    return jni_ints(env, cor_graph_edges(jni_comm_at(comm)), cor_graph_edge_count(jni_comm_at(comm)));
}

jintArray JNICALL jni_native_graphNeighbours(JNIEnv *env, jclass native, jlong comm, jint rank)
{
    (void)native;
    const int *neighbours;
    int count = cor_graph_neighbours(jni_comm_at(comm), rank, &neighbours);
    return jni_ints(env, neighbours, count);
}

jint JNICALL jni_native_graphMap(JNIEnv *env, jclass native, jlong comm, jint node_count)
{
    (void)env, (void)native;
    return jni_rank_number(cor_graph_map(jni_comm_at(comm), node_count));
}
