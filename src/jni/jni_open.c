/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communicators and topologies that only the Open MPI dialect makes: graphs of which each rank knows a part, the ranks
 * of a host, groups that come alone, and dups in the background. Java has checked every argument.
 */
#include "jni/jni_natives.h"
#include "jni/jni_numbers.h"

#include "mp/create/comm.h"
#include "mp/topology.h"

/* ---- communicators ---------------------------------------------------------------------------------------------- */

jlong JNICALL jni_native_commSplitHost(JNIEnv *env, jclass native, jlong handle, jint colour, jint key)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    int code = cor_comm_split_host(comm, colour == JNI_UNDEFINED ? COR_UNDEFINED : colour, key, &made);
    return jni_made(env, comm, "splitType", code, made);
}

jlong JNICALL jni_native_commCreateGroup(JNIEnv *env, jclass native, jlong handle, jintArray members, jint tag)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    int code;
    cor_group *group = jni_group_of(env, comm, members, &code);
    if (group) {
        code = cor_comm_create_group(comm, group, tag, &made);
        cor_group_unref(group);
    }
    return jni_made(env, comm, "createGroup", code, made);
}

/* Returns the request and writes the communicator into the array. */
jlong JNICALL jni_native_commIdup(JNIEnv *env, jclass native, jlong handle, jlongArray made)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *dup = NULL;
    cor_request *request;
    int code = cor_comm_idup(comm, &dup, &request);
    if (code < 0) {
        jni_fail_status(env, jni_rank_of(comm), "iDup", code, NULL);
        return 0;
    }
    jlong number = jni_handle(dup);
    (*env)->SetLongArrayRegion(env, made, 0, 1, &number);
    return jni_handle(request);
}

void JNICALL jni_native_commSettle(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    int code = cor_comm_settle(jni_comm_at(handle));
    if (code < 0)
        jni_fail_status(env, jni_rank_of(jni_comm_at(handle)), "disconnect", code, NULL);
}

/* ---- graphs of which each rank knows a part --------------------------------------------------------------------- */

/* Java's numbers, or NULL for a null reference. COR_ERR_MEMORY. */
static int jni_optional_ints(JNIEnv *env, jintArray array, int *count_p, int **values_p)
{
    *count_p = 0;
    *values_p = array ? jni_ints_copy(env, array, count_p) : NULL;
    return array && !*values_p ? COR_ERR_MEMORY : COR_OK;
}

jlong JNICALL jni_native_distGraphAdjacent(JNIEnv *env, jclass native, jlong handle, jintArray sources,
                                           jintArray source_weights, jintArray destinations,
                                           jintArray destination_weights)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    jintArray arrays[] = {sources, source_weights, destinations, destination_weights};
    int *values[4] = {NULL}, counts[4], code = COR_OK;
    for (int i = 0; i < 4 && code == COR_OK; i++)
        code = jni_optional_ints(env, arrays[i], &counts[i], &values[i]);
    if (code == COR_OK) {
        cor_neighbours from = {counts[0], values[0], values[1]}, to = {counts[2], values[2], values[3]};
        code = cor_dist_graph_create_adjacent(comm, source_weights != NULL, &from, &to, &made);
    }
    for (int i = 0; i < 4; i++)
        free(values[i]);
    return jni_made(env, comm, "createDistGraphAdjacent", code, made);
}

jlong JNICALL jni_native_distGraph(JNIEnv *env, jclass native, jlong handle, jintArray sources, jintArray degrees,
                                   jintArray destinations, jintArray weights)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    jintArray arrays[] = {sources, degrees, destinations, weights};
    int *values[4] = {NULL}, counts[4], code = COR_OK;
    for (int i = 0; i < 4 && code == COR_OK; i++)
        code = jni_optional_ints(env, arrays[i], &counts[i], &values[i]);
    if (code == COR_OK)
        code =
            cor_dist_graph_create(comm, counts[0], values[0], values[1], values[2], weights != NULL, values[3], &made);
    for (int i = 0; i < 4; i++)
        free(values[i]);
    return jni_made(env, comm, "createDistGraph", code, made);
}

/* ---- neighbourhoods --------------------------------------------------------------------------------------------- */

static cor_neighbours jni_neighbours(jlong comm, jboolean is_source)
{
    return is_source ? cor_topology_sources(jni_comm_at(comm)) : cor_topology_destinations(jni_comm_at(comm));
}

jintArray JNICALL jni_native_neighbours(JNIEnv *env, jclass native, jlong comm, jboolean is_source)
{
    (void)native;
    cor_neighbours neighbours = jni_neighbours(comm, is_source);
    return jni_ints(env, neighbours.ranks, neighbours.count);
}

/* NULL: the graph has no weights. */
jintArray JNICALL jni_native_neighbourWeights(JNIEnv *env, jclass native, jlong comm, jboolean is_source)
{
    (void)native;
    if (!cor_dist_graph_is_weighted(jni_comm_at(comm)))
        return NULL;
    cor_neighbours neighbours = jni_neighbours(comm, is_source);
    return jni_ints(env, neighbours.weights, neighbours.weights ? neighbours.count : 0);
}
