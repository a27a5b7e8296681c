/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wire through UCX or libfabric, for hybdev: our shared memory inside a host, that library between hosts, and one list of
 * receives for both. (The library matches by itself in ucxdev and ofidev, inside a host too.)
 *
 * It uses the same bridge as these (tagged/tagged_bridge.h), but of its matching only this:
 *
 *   Packets     are short messages, which all have one tag but for their sender and number. A few receives for them are
 *               always posted. A library may end two receives in another order than that of their messages: packets are
 *               delivered by their numbers.
 *   Memory      of a long message is written by a message of its own: to enter it posts a receive there, and the key is the
 *               tag; to put is to send with that tag, by whatever protocol the library has for the length. The receive
 *               tells when all is there.
 *   Deaths      are told by the library, or by a send that fails. A rank that has waited for a peer for a second sends it an
 *               empty packet, so that the library has reason to look, and asks whether its process has ended.
 */
#ifndef COR_SOFT_LIBRARY_H
#define COR_SOFT_LIBRARY_H

#include "xxdev/soft/wire.h"

/* The config is a cor_tagged_config. */
extern const cor_wire_ops cor_ucx_wire, cor_ofi_wire;

#endif
