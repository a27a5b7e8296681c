/* `corunna info --routes`: which way each rank's messages take to each other. */
#ifndef COR_TOOLS_INFO_ROUTES_H
#define COR_TOOLS_INFO_ROUTES_H

/* Collective over the job this is started in, which is to have so many ranks if that `is_asked`; started in none, over
 * one of so many. Returns the exit status. */
int cor_info_routes(int ranks, int is_asked);

#endif
