/* SPDX-License-Identifier: Apache-2.0 */
/* Settings with their values, where these come from, and what they mean. */
#ifndef COR_TOOLS_INFO_KNOBS_H
#define COR_TOOLS_INFO_KNOBS_H

#include "mp/config.h"

/*
 * Print the settings that a word names, in either case: one by its name or its variable, those of a topic by what their
 * names begin with ("tcp") or by its title ("shared memory"). NULL: all. Returns how many; negative: a value of one of
 * these topics is wrong, which the fault says.
 */
int cor_info_knobs(const char *word, cor_fault *fault);

/* For a word that names none: the nearest name. */
cor_hint cor_info_knob_hint(const char *word);

#endif
