/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of PMIx's binary interface that Corunna uses, as its standard defines it, so that its headers and library
 * are not needed to build. tests/schedulers/pmix_abi_test.c compares every line of this with the real headers where
 * those are installed.
 *
 * The names differ from PMIx's: a file may include this and pmix.h.
 */
#ifndef COR_PMI_PMIX_ABI_H
#define COR_PMI_PMIX_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PMIX_ABI_SPACE_MAX = 255, PMIX_ABI_KEY_MAX = 511 };

/* A rank: all of its namespace. */
#define PMIX_ABI_RANK_WILDCARD (UINT32_MAX - 1)

enum { /* of a status, an int */
       PMIX_ABI_SUCCESS = 0,
       PMIX_ABI_NOT_FOUND = -46,
       PMIX_ABI_PARTIAL = -52,
       PMIX_ABI_LOST_CONNECTION = -61,
       PMIX_ABI_LOST_SERVER = -101, /* the same, from the library's versions 2 and 3 */
       PMIX_ABI_DONE_AT_ONCE = -157,
       PMIX_ABI_EVENT_HANDLED = -334,
};
enum { PMIX_ABI_BOOL = 1, PMIX_ABI_STRING = 3, PMIX_ABI_UINT32 = 14, PMIX_ABI_POINTER = 31 }; /* of a value's type */
enum { PMIX_ABI_GLOBAL = 3 }; /* of a scope: for ranks of every node */

#define PMIX_ABI_JOB_SIZE "pmix.job.size"
#define PMIX_ABI_UNIVERSE_SIZE "pmix.univ.size"
#define PMIX_ABI_APPNUM "pmix.appnum"
#define PMIX_ABI_COLLECT_DATA "pmix.collect"
#define PMIX_ABI_IMMEDIATE "pmix.immediate"
#define PMIX_ABI_EVENT_OBJECT "pmix.evobject"

typedef struct pmix_abi_proc {
    char space[PMIX_ABI_SPACE_MAX + 1];
    uint32_t rank;
} pmix_abi_proc;

typedef struct pmix_abi_value {
    uint16_t type;
    union {
        bool flag;
        char *string;
        uint32_t uint32;
        void *pointer;
        void *words[3]; /* the largest value it may have */
    } data;
} pmix_abi_value;

typedef struct pmix_abi_info {
    char key[PMIX_ABI_KEY_MAX + 1];
    uint32_t flags;
    pmix_abi_value value;
} pmix_abi_info;

typedef void (*pmix_abi_done_fn)(int status, void *context);
typedef void (*pmix_abi_handled_fn)(int status, pmix_abi_info *results, size_t count, pmix_abi_done_fn done,
                                    void *done_context, void *context);
typedef void (*pmix_abi_event_fn)(size_t handler, int status, const pmix_abi_proc *source, pmix_abi_info *infos,
                                  size_t count, pmix_abi_info *results, size_t result_count,
                                  pmix_abi_handled_fn handled, void *context);
typedef void (*pmix_abi_registered_fn)(int status, size_t handler, void *context);

/* X(field, name in the library, result, arguments) */
#define PMIX_ABI_FUNCTIONS(X)                                                                                         \
    X(init, PMIx_Init, int, (pmix_abi_proc * me, pmix_abi_info * infos, size_t count))                                \
    X(finalize, PMIx_Finalize, int, (const pmix_abi_info *infos, size_t count))                                       \
    X(abort, PMIx_Abort, int, (int status, const char *message, pmix_abi_proc *procs, size_t count))                  \
    X(put, PMIx_Put, int, (uint8_t scope, const char *key, pmix_abi_value *value))                                    \
    X(commit, PMIx_Commit, int, (void))                                                                               \
    X(fence, PMIx_Fence_nb, int,                                                                                      \
      (const pmix_abi_proc *procs, size_t count, const pmix_abi_info *infos, size_t info_count,                       \
       pmix_abi_done_fn done, void *context))                                                                         \
    X(get, PMIx_Get, int,                                                                                             \
      (const pmix_abi_proc *proc, const char *key, const pmix_abi_info *infos, size_t count,                          \
       pmix_abi_value **value_p))                                                                                     \
    X(on_event, PMIx_Register_event_handler, int,                                                                     \
      (int *statuses, size_t status_count, pmix_abi_info *infos, size_t count, pmix_abi_event_fn event,               \
       pmix_abi_registered_fn registered, void *context))                                                             \
    X(off_event, PMIx_Deregister_event_handler, int, (size_t handler, pmix_abi_done_fn done, void *context))          \
    X(error_string, PMIx_Error_string, const char *, (int status))                                                    \
    X(version, PMIx_Get_version, const char *, (void))

typedef struct pmix_abi {
#define PMIX_ABI_FIELD(field, name, result, arguments) result(*field) arguments;
    PMIX_ABI_FUNCTIONS(PMIX_ABI_FIELD)
#undef PMIX_ABI_FIELD
} pmix_abi;

#endif
