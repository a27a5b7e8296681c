/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native methods of corunna.engine.Native, each once: prototypes and the table for RegisterNatives come from here.
 *
 * X(result, name, signature, arguments after JNIEnv * and jclass). B, the buffer, is four arguments of Java: the
 * array or direct buffer, offset and length in bytes, and the kind. Calls with two buffers have the kinds of both in
 * one argument (jni_what in jni_coll.h, jni_kinds_out in jni_p2p.c), and S is what is left of each.
 */
#ifndef COR_JNI_NATIVES_H
#define COR_JNI_NATIVES_H

#include <jni.h>

#define JNI_B "Ljava/lang/Object;JJI"
#define JNI_B_ARGUMENTS(name) jobject name, jlong name##_offset, jlong name##_bytes, jint name##_kind
#define JNI_S "Ljava/lang/Object;JJ"
#define JNI_S_ARGUMENTS(name) jobject name, jlong name##_offset, jlong name##_bytes

#define JNI_NATIVE_LIST(X)                                                                                            \
    X(jlong, teamCreate, "(ILcorunna/engine/Failures;)J", jint size, jobject failures)                                \
    X(void, teamFree, "(J)V", jlong team)                                                                             \
    X(void, watchExit, "(Lcorunna/engine/ExitWatch;)V", jobject watch)                                                \
    X(jlong, open, "(JI[Ljava/lang/String;Lcorunna/engine/Failures;)J", jlong team, jint number,                      \
      jobjectArray overrides, jobject failures)                                                                       \
    X(void, close, "(J)V", jlong rank)                                                                                \
    X(void, abort, "(JILjava/lang/String;)V", jlong rank, jint status, jstring reason)                                \
    X(void, ending, "(J)V", jlong rank)                                                                               \
    X(jstring, host, "(J)Ljava/lang/String;", jlong rank)                                                             \
    X(jlong, clock, "(J)J", jlong rank)                                                                               \
    X(jlong, world, "(J)J", jlong rank)                                                                               \
    X(jlong, self, "(J)J", jlong rank)                                                                                \
    X(void, attach, "(JLjava/lang/Object;J)V", jlong rank, jobject buffer, jlong bytes)                               \
    X(void, detach, "(J)V", jlong rank)                                                                               \
    X(jint, commRank, "(J)I", jlong comm)                                                                             \
    X(jint, commSize, "(J)I", jlong comm)                                                                             \
    X(jint, commCompare, "(JJ)I", jlong one, jlong other)                                                             \
    X(jlong, commDup, "(J)J", jlong comm)                                                                             \
    X(jlong, commSplit, "(JII)J", jlong comm, jint colour, jint key)                                                  \
    X(void, commFree, "(J)V", jlong comm)                                                                             \
    X(void, barrier, "(J)V", jlong comm)                                                                              \
    X(void, collect, "(JII" JNI_S JNI_S ")V", jlong comm, jint what, jint root, JNI_S_ARGUMENTS(out),                 \
      JNI_S_ARGUMENTS(in))                                                                                            \
    X(void, collectParts, "(JIILjava/lang/Object;J[JLjava/lang/Object;J[J)V", jlong comm, jint what, jint root,       \
      jobject out, jlong out_unit, jlongArray out_parts, jobject in, jlong in_unit, jlongArray in_parts)              \
    X(void, collectStores, "(JII[J[J[J[J)V", jlong comm, jint primitive, jint root, jlongArray out,                   \
      jlongArray out_lengths, jlongArray in, jlongArray in_lengths)                                                   \
    X(void, reduce, "(JII" JNI_S JNI_S "J)V", jlong comm, jint what, jint root, JNI_S_ARGUMENTS(out),                 \
      JNI_S_ARGUMENTS(in), jlong op)                                                                                  \
    X(void, reduceScatter, "(JI" JNI_S JNI_S "[IJ)V", jlong comm, jint what, JNI_S_ARGUMENTS(out),                    \
      JNI_S_ARGUMENTS(in), jintArray counts, jlong op)                                                                \
    X(jlong, combinerCreate, "(Lcorunna/engine/Combiner;ZJ)J", jobject combiner, jboolean is_commutative, jlong type) \
    X(void, combinerFree, "(J)V", jlong combiner)                                                                     \
    X(void, send, "(J" JNI_B "III)V", jlong comm, JNI_B_ARGUMENTS(out), jint dest, jint tag, jint mode)               \
    X(jlong, recv, "(J" JNI_B "II[J)J", jlong comm, JNI_B_ARGUMENTS(in), jint source, jint tag, jlongArray envelope)  \
    X(jlong, sendrecv, "(JIJ" JNI_S "J" JNI_S "[J)J", jlong comm, jint kinds, jlong to, JNI_S_ARGUMENTS(out),         \
      jlong from, JNI_S_ARGUMENTS(in), jlongArray envelope)                                                           \
    X(jlong, sendrecvReplace, "(J" JNI_B "JJ[J)J", jlong comm, JNI_B_ARGUMENTS(both), jlong to, jlong from,           \
      jlongArray envelope)                                                                                            \
    X(jlong, isend, "(J" JNI_B "IIILjava/lang/String;)J", jlong comm, JNI_B_ARGUMENTS(out), jint dest, jint tag,      \
      jint mode, jstring call)                                                                                        \
    X(jlong, isendCopy, "(J" JNI_B "IILjava/lang/String;)J", jlong comm, JNI_B_ARGUMENTS(out), jint dest, jint tag,   \
      jstring call)                                                                                                   \
    X(jlong, irecv, "(J" JNI_B "IILjava/lang/String;)J", jlong comm, JNI_B_ARGUMENTS(in), jint source, jint tag,      \
      jstring call)                                                                                                   \
    X(jlong, sendInit, "(J" JNI_B "III)J", jlong comm, JNI_B_ARGUMENTS(out), jint dest, jint tag, jint mode)          \
    X(jlong, recvInit, "(J" JNI_B "II)J", jlong comm, JNI_B_ARGUMENTS(in), jint source, jint tag)                     \
    X(jlong, rankOf, "(J)J", jlong comm)                                                                              \
    X(jboolean, start, "(JJ)Z", jlong rank, jlong request)                                                            \
    X(void, probe, "(JII[J)V", jlong comm, jint source, jint tag, jlongArray envelope)                                \
    X(jboolean, iprobe, "(JII[JLjava/lang/String;)Z", jlong comm, jint source, jint tag, jlongArray envelope,         \
      jstring call)                                                                                                   \
    X(jlong, await, "(JJ[J)J", jlong rank, jlong request, jlongArray envelope)                                        \
    X(jlong, test, "(JJ[JLjava/lang/String;)J", jlong rank, jlong request, jlongArray envelope, jstring call)         \
    X(jlong, peek, "(JJ[J)J", jlong rank, jlong request, jlongArray envelope)                                         \
    X(jint, complete, "(JI[J[J)I", jlong rank, jint how, jlongArray requests, jlongArray envelopes)                   \
    X(void, cancel, "(J)V", jlong request)                                                                            \
    X(void, requestFree, "(J)V", jlong request)                                                                       \
    X(jintArray, commPeers, "(JZ)[I", jlong comm, jboolean is_remote)                                                 \
    X(jlong, commCreate, "(J[I)J", jlong comm, jintArray members)                                                     \
    X(jint, commRemoteSize, "(J)I", jlong comm)                                                                       \
    X(jboolean, commIsInter, "(J)Z", jlong comm)                                                                      \
    X(jlong, intercommCreate, "(JIJII)J", jlong local, jint local_leader, jlong bridge, jint remote_leader, jint tag) \
    X(jlong, intercommMerge, "(JZ)J", jlong inter, jboolean is_high)                                                  \
    X(jint, rankProgram, "(J)I", jlong rank)                                                                          \
    X(jint, rankUniverse, "(J)I", jlong rank)                                                                         \
    X(jstring, portOpen, "(J)Ljava/lang/String;", jlong rank)                                                         \
    X(void, portClose, "(JLjava/lang/String;)V", jlong rank, jstring port)                                            \
    X(void, nameSet, "(JZLjava/lang/String;Ljava/lang/String;)V", jlong rank, jboolean is_there, jstring service,     \
      jstring port)                                                                                                   \
    X(jstring, nameFind, "(JLjava/lang/String;)Ljava/lang/String;", jlong rank, jstring service)                      \
    X(jlong, parent, "(J)J", jlong rank)                                                                              \
    X(jlong, commMeet, "(JZLjava/lang/String;I)J", jlong comm, jboolean accepts, jstring port, jint root)             \
    X(jlong, commJob, "(J)J", jlong comm)                                                                             \
    X(void, jobLeave, "(J)V", jlong job)                                                                              \
    X(jlong, commSpawn, "(JI[Ljava/lang/String;[Ljava/lang/String;[Ljava/lang/String;[I)J", jlong comm, jint root,    \
      jobjectArray commands, jobjectArray arguments, jobjectArray hints, jintArray numbers)                           \
    X(jint, topologyKind, "(J)I", jlong comm)                                                                         \
    X(jboolean, dimsCreate, "(I[I)Z", jint nodes, jintArray dims)                                                     \
    X(jlong, cartCreate, "(J[I[Z)J", jlong comm, jintArray dims, jbooleanArray periods)                               \
    X(jlong, cartSub, "(J[Z)J", jlong cart, jbooleanArray remain)                                                     \
    X(jintArray, cartDims, "(J)[I", jlong cart)                                                                       \
    X(jbooleanArray, cartPeriods, "(J)[Z", jlong cart)                                                                \
    X(jintArray, cartCoords, "(JI)[I", jlong cart, jint rank)                                                         \
    X(jint, cartRank, "(J[I)I", jlong cart, jintArray coords)                                                         \
    X(jintArray, cartShift, "(JII)[I", jlong cart, jint dim, jint distance)                                           \
    X(jint, cartMap, "(J[I)I", jlong comm, jintArray dims)                                                            \
    X(jlong, graphCreate, "(J[I[I)J", jlong comm, jintArray index, jintArray edges)                                   \
    X(jintArray, graphIndex, "(J)[I", jlong graph)                                                                    \
    X(jintArray, graphEdges, "(J)[I", jlong graph)                                                                    \
    X(jintArray, graphNeighbours, "(JI)[I", jlong graph, jint rank)                                                   \
    X(jint, graphMap, "(JI)I", jlong comm, jint node_count)                                                           \
    X(jlong, typeRow, "(II)J", jint kind, jint elements)                                                              \
    X(jlong, typeVector, "(IIJJJJ)J", jint count, jint length, jlong stride, jlong base, jlong lb, jlong extent)      \
    X(jlong, typeIndexed, "([I[JJJJ)J", jintArray lengths, jlongArray displacements, jlong base, jlong lb,            \
      jlong extent)                                                                                                   \
    X(jlong, typeStruct, "([I[J[JJJ)J", jintArray lengths, jlongArray displacements, jlongArray types, jlong lb,      \
      jlong extent)                                                                                                   \
    X(jboolean, typeIsRow, "(J)Z", jlong type)                                                                        \
    X(jint, typeReceiveMax, "(J)I", jlong type)                                                                       \
    X(void, typeFree, "(J)V", jlong type)                                                                             \
    X(void, pack, "(" JNI_B "[BIJ)V", JNI_B_ARGUMENTS(in), jbyteArray packed, jint position, jlong length)            \
    X(void, unpack, "(" JNI_B "[BIJ)V", JNI_B_ARGUMENTS(out), jbyteArray packed, jint position, jlong length)         \
    X(jlong, collectMemory, "(JIIJJJJ)J", jlong comm, jint what, jint root, jlong out, jlong out_bytes, jlong in,     \
      jlong in_bytes)                                                                                                 \
    X(void, reduceMemory, "(JIIJJJI)V", jlong comm, jint primitive, jint root, jlong out, jlong in, jlong bytes,      \
      jint op_and_kind)                                                                                               \
    X(jlong, startCollect, "(JIIZ[J[JLjava/lang/Object;Ljava/lang/String;)J", jlong comm, jint primitive, jint root,  \
      jboolean is_in_place, jlongArray out, jlongArray in, jobject kept, jstring name)                                \
    X(jlong, startReduce, "(JIIZ[J[J[IJLjava/lang/Object;Ljava/lang/String;)J", jlong comm, jint primitive,           \
      jint root, jboolean is_in_place, jlongArray out, jlongArray in, jintArray counts, jlong op, jobject kept,       \
      jstring name)                                                                                                   \
    X(void, combineMemory, "(JJJJJLjava/lang/String;)V", jlong rank, jlong in, jlong inout, jlong bytes, jlong op,    \
      jstring name)                                                                                                   \
    X(jlong, mprobe, "(JIIZ[JLjava/lang/String;)J", jlong comm, jint source, jint tag, jboolean is_waiting,           \
      jlongArray envelope, jstring call)                                                                              \
    X(jlong, mrecv, "(JJ" JNI_B "[JLjava/lang/String;)J", jlong comm, jlong message, JNI_B_ARGUMENTS(in),             \
      jlongArray envelope, jstring call)                                                                              \
    X(jlong, imrecv, "(JJ" JNI_B "Ljava/lang/String;)J", jlong comm, jlong message, JNI_B_ARGUMENTS(in),              \
      jstring call)                                                                                                   \
    X(jlong, commSplitHost, "(JII)J", jlong comm, jint colour, jint key)                                              \
    X(jlong, commCreateGroup, "(J[II)J", jlong comm, jintArray members, jint tag)                                     \
    X(jlong, commIdup, "(J[J)J", jlong comm, jlongArray made)                                                         \
    X(void, commSettle, "(J)V", jlong comm)                                                                           \
    X(jlong, distGraphAdjacent, "(J[I[I[I[I)J", jlong comm, jintArray sources, jintArray source_weights,              \
      jintArray destinations, jintArray destination_weights)                                                          \
    X(jlong, distGraph, "(J[I[I[I[I)J", jlong comm, jintArray sources, jintArray degrees, jintArray destinations,     \
      jintArray weights)                                                                                              \
    X(jintArray, neighbours, "(JZ)[I", jlong comm, jboolean is_source)                                                \
    X(jintArray, neighbourWeights, "(JZ)[I", jlong comm, jboolean is_source)                                          \
    X(void, typeBounds, "(J[J)V", jlong type, jlongArray bounds)                                                      \
    X(jlong, typeElements, "(JJ)J", jlong type, jlong bytes)                                                          \
    X(jobject, zeroCopy, "(J)Ljava/nio/ByteBuffer;", jlong comm)                                                      \
    X(jobject, zeroCopyMemory, "(J)Ljava/nio/ByteBuffer;", jlong comm)                                                \
    X(jlong, address, "(Ljava/nio/Buffer;)J", jobject direct)                                                         \
    X(jlong, storeTake, "(J)J", jlong rank)                                                                           \
    X(void, storeGive, "(J)V", jlong store)                                                                           \
    X(jobject, storeView, "(JJ)Ljava/nio/ByteBuffer;", jlong store, jlong bytes)                                      \
    X(void, registerNet, "(Ljava/lang/Class;)V", jclass type)

#define JNI_PROTOTYPE(result, name, signature, ...) result JNICALL jni_native_##name(JNIEnv *, jclass, __VA_ARGS__);
JNI_NATIVE_LIST(JNI_PROTOTYPE)
#undef JNI_PROTOTYPE

#endif
