/* Which processor a rank is bound to. */
#ifndef COR_RUN_BIND_H
#define COR_RUN_BIND_H

/* Bind this process, the `place`-th rank of its host, to one processor of those it may use: first one of each core,
 * then their siblings, then from the start again. 0 or -1 with errno. */
int cor_run_bind_core(int place);

#endif
