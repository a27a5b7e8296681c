/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and other parts with requirements that may be missing: whether they work on this host, and if not, why. */
#ifndef COR_TOOLS_INFO_PARTS_H
#define COR_TOOLS_INFO_PARTS_H

#include "mp/config.h"

/* Print those of this name, in any case; NULL: all. Returns how many. */
int cor_info_parts(const cor_config *config, const char *word);

#endif
