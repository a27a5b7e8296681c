/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire over UCX: packets by its active messages, long messages by its rendezvous, shared memory by its remote
 * memory. Its bridge (ucx_state.h) is a plugin, which is opened when the wire is.
 */
#ifndef COR_UCX_H
#define COR_UCX_H

#include "xxdev/soft/fabric/fabric.h"

extern const cor_knob_table cor_ucx_knobs;
extern const cor_fabric_kind cor_ucx_kind;
extern const cor_wire_ops cor_ucx_wire; /* the config is a cor_fabric_config */

#endif
