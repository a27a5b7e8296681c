/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All errors of the engine, in one list.
 *
 * 0 is success. Positive is not a failure: try again, still pending. Negative is a failure, grouped by what it ruins:
 * the call (-1..-19), the request (-20..-39), the link to a peer (-40..-59), the process (-60..-79), a file (-80..).
 *
 * The function that detects a failure writes the message, once, into a cor_fault; its callers pass the code up.
 */
#ifndef COR_BASE_ERROR_H
#define COR_BASE_ERROR_H

#include <stdarg.h>

/* X(name, number, text) */
#define COR_ERROR_LIST(X)                                                                                             \
    X(OK, 0, "success")                                                                                               \
    X(AGAIN, 1, "try again")                                                                                          \
    X(ERR_ARG, -1, "invalid argument")                                                                                \
    X(ERR_COUNT, -2, "invalid count")                                                                                 \
    X(ERR_TYPE, -3, "invalid datatype")                                                                               \
    X(ERR_TAG, -4, "invalid tag")                                                                                     \
    X(ERR_RANK, -5, "invalid rank")                                                                                   \
    X(ERR_COMM, -6, "invalid communicator")                                                                           \
    X(ERR_REQUEST, -7, "invalid request")                                                                             \
    X(ERR_BUFFER, -8, "no room in the attached buffer")                                                               \
    X(ERR_UNSUPPORTED, -9, "not supported")                                                                           \
    X(ERR_KNOB, -10, "invalid setting")                                                                               \
    X(ERR_INFO, -11, "invalid info object")                                                                           \
    X(ERR_RMA_SYNC, -12, "wrong synchronization of a window")                                                         \
    X(ERR_RMA_RANGE, -13, "target memory outside the window")                                                         \
    X(ERR_RMA_ATTACH, -14, "memory cannot be attached")                                                               \
    X(ERR_RMA_SHARED, -15, "memory cannot be shared")                                                                 \
    X(ERR_RMA_CONFLICT, -16, "conflicting accesses to a window")                                                      \
    X(ERR_RMA_ASSERT, -17, "assertion about a window that is not true")                                               \
    X(ERR_TRUNCATE, -20, "message does not fit the receive buffer")                                                   \
    X(ERR_MISMATCH, -21, "message and receive have different types")                                                  \
    X(ERR_PEER, -40, "peer lost")                                                                                     \
    X(ERR_PROTOCOL, -41, "malformed packet")                                                                          \
    X(ERR_UNREACHABLE, -42, "no wire reaches the peer")                                                               \
    X(ERR_MEMORY, -60, "out of memory")                                                                               \
    X(ERR_SYSTEM, -61, "system call failed")                                                                          \
    X(ERR_BOOT, -62, "unexpected answer from the launcher")                                                           \
    X(ERR_EXHAUSTED, -63, "out of context ids")                                                                       \
    X(ERR_PORT, -64, "invalid port name")                                                                             \
    X(ERR_SPAWN, -65, "processes cannot be started")                                                                  \
    X(ERR_NAME, -66, "no such service name")                                                                          \
    X(ERR_SERVICE, -67, "invalid service name")                                                                       \
    X(ERR_FINALIZED, -68, "MPI has been finalised by another thread")                                                 \
    X(ERR_FILE_MODE, -80, "invalid access mode")                                                                      \
    X(ERR_FILE_NAME, -81, "invalid file name")                                                                        \
    X(ERR_FILE_MISSING, -82, "no such file")                                                                          \
    X(ERR_FILE_EXISTS, -83, "file exists")                                                                            \
    X(ERR_FILE_ACCESS, -84, "permission denied")                                                                      \
    X(ERR_FILE_READ_ONLY, -85, "read-only file or file system")                                                       \
    X(ERR_FILE_IO, -86, "input or output failed")                                                                     \
    X(ERR_FILE_SPACE, -87, "no space left")                                                                           \
    X(ERR_FILE_QUOTA, -88, "quota exceeded")                                                                          \
    X(ERR_FILE_IN_USE, -89, "file is in use")                                                                         \
    X(ERR_FILE_BUSY, -90, "a split collective access has not ended")                                                  \
    X(ERR_FILE_LOCKS, -91, "the file system has no locks")                                                            \
    X(ERR_FILE_CONVERSION, -92, "data conversion failed")                                                             \
    X(ERR_FILE_OPERATION, -93, "operation not possible with this file")                                               \
    X(ERR_NOT_SAME, -94, "argument differs between the ranks")                                                        \
    X(ERR_FILE_FORMAT, -95, "unknown data representation")

enum cor_error {
#define COR_ERROR_ENUM(name, number, text) COR_##name = number,
    COR_ERROR_LIST(COR_ERROR_ENUM)
#undef COR_ERROR_ENUM
};

/* The text of a code, never NULL. */
const char *cor_error_text(int code);

/* A failure: code and message. Zero-initialised means "no failure". */
typedef struct cor_fault {
    int code;
    int lost;            /* N + 1 if the sentence begins with "rank N", a lost rank of the job; else 0 */
    const void *lost_by; /* with `lost`: the losses that noticed it; identifies the job */
    char text[248];
} cor_fault;

/* Write the message and return the code, so that a function can end with `return cor_fault_set(...)`. `fault` may be
 * NULL. */
int cor_fault_set(cor_fault *fault, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
