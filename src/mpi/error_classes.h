/* SPDX-License-Identifier: Apache-2.0 */
/* X(class, text): the text of MPI_Error_string for each error class. */
#ifndef COR_MPI_ERROR_CLASSES_H
#define COR_MPI_ERROR_CLASSES_H

#define FACE_ERROR_CLASSES(X)                                                                                         \
    X(MPI_SUCCESS, "no error")                                                                                        \
    X(MPI_ERR_BUFFER, "invalid buffer")                                                                               \
    X(MPI_ERR_COUNT, "invalid count")                                                                                 \
    X(MPI_ERR_TYPE, "invalid datatype")                                                                               \
    X(MPI_ERR_TAG, "invalid tag")                                                                                     \
    X(MPI_ERR_COMM, "invalid communicator")                                                                           \
    X(MPI_ERR_RANK, "invalid rank")                                                                                   \
    X(MPI_ERR_REQUEST, "invalid request")                                                                             \
    X(MPI_ERR_ROOT, "invalid root")                                                                                   \
    X(MPI_ERR_GROUP, "invalid group")                                                                                 \
    X(MPI_ERR_OP, "invalid reduction operator")                                                                       \
    X(MPI_ERR_TOPOLOGY, "invalid topology")                                                                           \
    X(MPI_ERR_DIMS, "invalid dimensions")                                                                             \
    X(MPI_ERR_ARG, "invalid argument")                                                                                \
    X(MPI_ERR_UNKNOWN, "unknown error")                                                                               \
    X(MPI_ERR_TRUNCATE, "message does not fit the receive buffer")                                                    \
    X(MPI_ERR_OTHER, "other error")                                                                                   \
    X(MPI_ERR_INTERN, "error inside the library")                                                                     \
    X(MPI_ERR_PENDING, "request neither failed nor complete")                                                         \
    X(MPI_ERR_IN_STATUS, "the error is in the status")                                                                \
    X(MPI_ERR_ACCESS, "permission denied")                                                                            \
    X(MPI_ERR_AMODE, "invalid access mode")                                                                           \
    X(MPI_ERR_ASSERT, "invalid assertion")                                                                            \
    X(MPI_ERR_BAD_FILE, "invalid file name")                                                                          \
    X(MPI_ERR_BASE, "invalid base address")                                                                           \
    X(MPI_ERR_CONVERSION, "data conversion failed")                                                                   \
    X(MPI_ERR_DISP, "invalid displacement")                                                                           \
    X(MPI_ERR_DUP_DATAREP, "data representation already defined")                                                     \
    X(MPI_ERR_FILE_EXISTS, "file exists")                                                                             \
    X(MPI_ERR_FILE_IN_USE, "file is in use")                                                                          \
    X(MPI_ERR_FILE, "invalid file")                                                                                   \
    X(MPI_ERR_INFO_KEY, "info key too long")                                                                          \
    X(MPI_ERR_INFO_NOKEY, "no such info key")                                                                         \
    X(MPI_ERR_INFO_VALUE, "info value too long")                                                                      \
    X(MPI_ERR_INFO, "invalid info")                                                                                   \
    X(MPI_ERR_IO, "input or output failed")                                                                           \
    X(MPI_ERR_KEYVAL, "invalid attribute key")                                                                        \
    X(MPI_ERR_LOCKTYPE, "invalid lock type")                                                                          \
    X(MPI_ERR_NAME, "no such service name")                                                                           \
    X(MPI_ERR_NO_MEM, "out of memory")                                                                                \
    X(MPI_ERR_NOT_SAME, "argument differs between the ranks")                                                         \
    X(MPI_ERR_NO_SPACE, "no space left")                                                                              \
    X(MPI_ERR_NO_SUCH_FILE, "no such file")                                                                           \
    X(MPI_ERR_PORT, "invalid port name")                                                                              \
    X(MPI_ERR_QUOTA, "quota exceeded")                                                                                \
    X(MPI_ERR_READ_ONLY, "read-only file or file system")                                                             \
    X(MPI_ERR_RMA_ATTACH, "memory cannot be attached")                                                                \
    X(MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window")                                                       \
    X(MPI_ERR_RMA_RANGE, "target memory outside the window")                                                          \
    X(MPI_ERR_RMA_SHARED, "memory cannot be shared")                                                                  \
    X(MPI_ERR_RMA_SYNC, "wrong synchronization of a window")                                                          \
    X(MPI_ERR_SERVICE, "invalid service name")                                                                        \
    X(MPI_ERR_SIZE, "invalid size")                                                                                   \
    X(MPI_ERR_SPAWN, "processes cannot be started")                                                                   \
    X(MPI_ERR_UNSUPPORTED_DATAREP, "unsupported data representation")                                                 \
    X(MPI_ERR_UNSUPPORTED_OPERATION, "unsupported operation")                                                         \
    X(MPI_ERR_WIN, "invalid window")                                                                                  \
    X(MPI_ERR_RMA_FLAVOR, "wrong flavour of window")                                                                  \
    X(MPI_ERR_PROC_ABORTED, "a peer has ended")                                                                       \
    X(MPI_ERR_VALUE_TOO_LARGE, "value too large to store")                                                            \
    X(MPI_ERR_SESSION, "invalid session")                                                                             \
    X(MPI_ERR_ERRHANDLER, "invalid error handler")                                                                    \
    X(MPI_ERR_ABI, "unsupported binary interface")                                                                    \
    X(MPI_T_ERR_CANNOT_INIT, "the tool interface cannot be initialized")                                              \
    X(MPI_T_ERR_NOT_ACCESSIBLE, "not accessible now")                                                                 \
    X(MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialized")                                             \
    X(MPI_T_ERR_NOT_SUPPORTED, "not supported by the tool interface")                                                 \
    X(MPI_T_ERR_MEMORY, "out of memory in the tool interface")                                                        \
    X(MPI_T_ERR_INVALID, "invalid use of the tool interface")                                                         \
    X(MPI_T_ERR_INVALID_INDEX, "invalid index")                                                                       \
    X(MPI_T_ERR_INVALID_ITEM, "invalid item")                                                                         \
    X(MPI_T_ERR_INVALID_SESSION, "invalid tool session")                                                              \
    X(MPI_T_ERR_INVALID_HANDLE, "invalid tool handle")                                                                \
    X(MPI_T_ERR_INVALID_NAME, "invalid variable or category name")                                                    \
    X(MPI_T_ERR_OUT_OF_HANDLES, "no tool handle left")                                                                \
    X(MPI_T_ERR_OUT_OF_SESSIONS, "no tool session left")                                                              \
    X(MPI_T_ERR_CVAR_SET_NOT_NOW, "control variable cannot be set now")                                               \
    X(MPI_T_ERR_CVAR_SET_NEVER, "control variable cannot be set")                                                     \
    X(MPI_T_ERR_PVAR_NO_WRITE, "performance variable cannot be written")                                              \
    X(MPI_T_ERR_PVAR_NO_STARTSTOP, "performance variable cannot be started or stopped")                               \
    X(MPI_T_ERR_PVAR_NO_ATOMIC, "performance variable cannot be read and reset at once")

#endif
