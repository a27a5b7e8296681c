/* SPDX-License-Identifier: Apache-2.0 */
/* Settings with their values, origins and meanings. */
#ifndef COR_TOOLS_INFO_KNOBS_H
#define COR_TOOLS_INFO_KNOBS_H

#include "mp/config.h"

/*
 * Print the settings that a word names, in any case: one by its name or its variable, those of a topic by their prefix
 * ("tcp") or by its title ("shared memory"). NULL: all. Returns how many; negative: a value of one of these topics is
 * invalid, as the fault says.
 */
int cor_info_knobs(const char *word, cor_fault *fault);

/* For a word that names no setting: the nearest name. */
cor_hint cor_info_knob_hint(const char *word);

#endif
