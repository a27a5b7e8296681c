/* `corunna info --routes`: which way each rank's messages take to each other. Collective over the job it runs in. */
#ifndef COR_TOOLS_INFO_ROUTES_H
#define COR_TOOLS_INFO_ROUTES_H

int cor_info_routes(void);

#endif
