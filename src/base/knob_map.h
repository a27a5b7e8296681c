/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knobs that hold a value for each of several names, "bcast:mst segment=64k,allreduce:bde". The text that a config
 * struct has is in the order of the names and has no empty values, so that equal settings are equal texts.
 *
 * Each name may be set by itself as well: coll.bcast=mst is coll.force=bcast:mst, for a knob called coll.force. The
 * setting of one name has priority over the list from the same origin. A list has a name once.
 *
 * `corunna run --tune` sets variables of the ranks, as the user may have; of a list it therefore sets those of its
 * names as well.
 */
#ifndef COR_BASE_KNOB_MAP_H
#define COR_BASE_KNOB_MAP_H

#include "base/knob.h"

/* The value of the name in such a text, and its length; NULL: there is none. */
const char *cor_knob_map_find(const char *map, const char *name, size_t *length_p);

/* The name of this number among "barrier|bcast|...", and its length; NULL: the list is shorter. */
const char *cor_knob_map_name(const char *names, size_t i, size_t *length_p);

/* The setting of a name by itself, "coll.bcast". `out` has room for 64 bytes. */
void cor_knob_map_setting(const cor_knob *knob, const char *name, size_t length, char *out);

/* cor_knobs_load for one such knob. */
int cor_knob_map_load(const cor_knob *knob, const char *const *overrides, void *config, cor_knob_origin *origin_p,
                      cor_fault *fault);

#endif
