#include "tools/info_routes.h"

#include "mp/mp.h"

#include <stdio.h>

int cor_info_routes(void)
{
    cor_rank *rank;
    cor_fault fault = {0};
    if (cor_rank_open(&(cor_rank_options){0}, &rank, &fault) != COR_OK) {
        fprintf(stderr, "corunna info: %s\n", fault.text);
        return 1;
    }
    int me = cor_rank_number(rank), size = cor_rank_size(rank);
    for (int peer = 0, last; peer < size; peer = last + 1) {
        char line[COR_ROUTE_MAX];
        last = cor_rank_route(rank, peer, line, sizeof line);
        if (peer == last)
            printf("rank %d on %s to rank %d: %s\n", me, cor_rank_host(rank), peer, line);
        else
            printf("rank %d on %s to ranks %d-%d: %s\n", me, cor_rank_host(rank), peer, last, line);
    }
    fflush(stdout);
    if (cor_rank_close(rank, &fault) != COR_OK) {
        fprintf(stderr, "corunna info: %s\n", fault.text);
        return 1;
    }
    return 0;
}
