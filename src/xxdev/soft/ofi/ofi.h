/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire over libfabric: packets by its plain messages, long messages and shared memory by its remote memory. Its
 * bridge (ofi_state.h) is a plugin, which is opened when the wire is.
 */
#ifndef COR_OFI_H
#define COR_OFI_H

#include "xxdev/soft/fabric/fabric.h"

extern const cor_knob_table cor_ofi_knobs;
extern const cor_fabric_kind cor_ofi_kind;
extern const cor_wire_ops cor_ofi_wire; /* the config is a cor_fabric_config */

#endif
