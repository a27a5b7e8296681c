/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna info --coll`: the algorithms of a primitive, and when each is chosen. */
#ifndef COR_TOOLS_INFO_COLL_H
#define COR_TOOLS_INFO_COLL_H

/* `name`: a primitive, or "all". Returns the exit status. */
int cor_info_coll(const char *name, int ranks);

#endif
