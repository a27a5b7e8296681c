/* SPDX-License-Identifier: Apache-2.0 */
/* Instead of bind_hwloc.c, where Corunna is built without the header of hwloc. */
#include "run/bind_machine.h"

int cor_bind_machine_ask_hwloc(bind_machine *machine_p, cor_fault *fault)
{
    (void)machine_p;
    return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "Corunna was built without hwloc (Debian package libhwloc-dev)");
}
