/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna info --routes`: the wire and protocol between each two ranks. */
#ifndef COR_TOOLS_INFO_ROUTES_H
#define COR_TOOLS_INFO_ROUTES_H

/* Collective over the job this is started in, which must have `ranks` ranks if `is_asked`; outside of a job it starts
 * one of `ranks` ranks. Returns the exit status. */
int cor_info_routes(int ranks, int is_asked);

#endif
