/* SPDX-License-Identifier: Apache-2.0 */
/* What pmix_abi.h declares, beside the real thing: sizes, places, numbers and names. */
#include "pmi/pmix_abi.h"

#include <pmix.h>
#include <stdio.h>
#include <string.h>

#define SAME(ours, theirs) _Static_assert((ours) == (theirs), #ours " is " #theirs)

SAME(sizeof(pmix_abi_proc), sizeof(pmix_proc_t));
SAME(offsetof(pmix_abi_proc, rank), offsetof(pmix_proc_t, rank));
SAME(sizeof(pmix_abi_value), sizeof(pmix_value_t));
SAME(offsetof(pmix_abi_value, data), offsetof(pmix_value_t, data));
SAME(sizeof(pmix_abi_info), sizeof(pmix_info_t));
SAME(offsetof(pmix_abi_info, flags), offsetof(pmix_info_t, flags));
SAME(offsetof(pmix_abi_info, value), offsetof(pmix_info_t, value));
SAME(sizeof(pmix_status_t), sizeof(int));
SAME(sizeof(pmix_scope_t), sizeof(uint8_t));
SAME(PMIX_ABI_RANK_WILDCARD, (PMIX_RANK_WILDCARD));
SAME(PMIX_ABI_SUCCESS, PMIX_SUCCESS);
SAME(PMIX_ABI_PARTIAL, PMIX_ERR_PARTIAL_SUCCESS);
SAME(PMIX_ABI_DONE_AT_ONCE, PMIX_OPERATION_SUCCEEDED);
SAME(PMIX_ABI_LOST_CONNECTION, PMIX_ERR_LOST_CONNECTION);
#ifdef PMIX_ERR_LOST_CONNECTION_TO_SERVER
SAME(PMIX_ABI_LOST_SERVER, PMIX_ERR_LOST_CONNECTION_TO_SERVER);
#endif
SAME(PMIX_ABI_EVENT_HANDLED, PMIX_EVENT_ACTION_COMPLETE);
SAME(PMIX_ABI_POINTER, PMIX_POINTER);
SAME(PMIX_ABI_BOOL, PMIX_BOOL);
SAME(PMIX_ABI_STRING, PMIX_STRING);
SAME(PMIX_ABI_UINT32, PMIX_UINT32);
SAME(PMIX_ABI_GLOBAL, PMIX_GLOBAL);

/* Each function of the real header, called as ours are: the compiler tells a difference in number or kind of the
 * arguments. */
int pmix_abi_calls(void);
int pmix_abi_calls(void)
{
    pmix_proc_t proc;
    pmix_info_t info;
    pmix_value_t value, *value_p;
    pmix_op_cbfunc_t done = (pmix_abi_done_fn)NULL;
    const char *text = PMIx_Error_string((int)0);
    const char *version = PMIx_Get_version();
    return PMIx_Init(&proc, &info, (size_t)0) + PMIx_Finalize(&info, (size_t)0) +
           PMIx_Abort((int)0, text, &proc, (size_t)0) + PMIx_Put((uint8_t)0, version, &value) + PMIx_Commit() +
           PMIx_Fence_nb(&proc, (size_t)0, &info, (size_t)0, done, (void *)NULL) +
           PMIx_Get(&proc, text, &info, (size_t)0, &value_p);
}

/* The handler of events. Only the names of structures differ. */
static void pmix_abi_on_event(size_t handler, int status, const pmix_proc_t *source, pmix_info_t *infos, size_t count,
                              pmix_info_t *results, size_t result_count, pmix_event_notification_cbfunc_fn_t handled,
                              void *context)
{
    (void)source;
    (void)infos;
    (void)results;
    handled((int)(handler + count + result_count) + status, NULL, (size_t)0, (pmix_abi_done_fn)NULL, NULL, context);
}

int pmix_abi_registers(void);
int pmix_abi_registers(void)
{
    int status = 0;
    pmix_info_t info;
    return PMIx_Register_event_handler(&status, (size_t)1, &info, (size_t)1, pmix_abi_on_event,
                                       (pmix_abi_registered_fn)NULL, (void *)NULL) +
           PMIx_Deregister_event_handler((size_t)0, (pmix_abi_done_fn)NULL, (void *)NULL);
}

int main(void)
{
    static const char *const names[][2] = {
        {PMIX_ABI_JOB_SIZE, PMIX_JOB_SIZE},
        {PMIX_ABI_COLLECT_DATA, PMIX_COLLECT_DATA},
        {PMIX_ABI_IMMEDIATE, PMIX_IMMEDIATE},
        {PMIX_ABI_EVENT_OBJECT, PMIX_EVENT_RETURN_OBJECT},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i][0], names[i][1]) != 0) {
            fprintf(stderr, "FAILED: PMIx calls \"%s\" what we call \"%s\"\n", names[i][1], names[i][0]);
            return 1;
        }
    }
    return 0;
}
