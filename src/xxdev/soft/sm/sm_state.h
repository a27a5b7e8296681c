/* One rank's end of the wire: private memory, used under the rank's lock. */
#ifndef COR_SM_STATE_H
#define COR_SM_STATE_H

#include "base/process.h"
#include "xxdev/soft/sm/sm.h"
#include "xxdev/soft/sm/sm_layout.h"

#include <sys/types.h>

/* The writing end of a channel in a peer's inbox. */
typedef struct sm_writer {
    sm_slot *slots;
    char *ring;
    sm_channel *channel;
    sm_inbox *inbox;
    uint32_t sent;       /* packets */
    uint32_t taken_seen; /* slots_taken as last read */
    uint64_t bytes_sent; /* position in the byte ring */
    uint64_t bytes_taken_seen;
    int is_announced;
    int is_closed; /* the reader is gone */
} sm_writer;

/* The reading end of a channel in our inbox. */
typedef struct sm_reader {
    sm_slot *slots;
    char *ring;
    sm_channel *channel;
    uint32_t taken;
    uint64_t bytes_taken;
    int peer;
    int is_active;
} sm_reader;

typedef struct sm_peer {
    int rank; /* in the job */
    pid_t pid;
    int is_same_memory;
    int fd_number;          /* of the memfd in that process */
    char path[96];          /* of the file, when there is no memfd */
    struct sm_wire *thread; /* the peer's wire when it is a thread of this process */
    sm_seat *seat;          /* in the segment, or the thread's own; and so */
    sm_inbox *inbox;
    int bell_fd;    /* the pipe it sleeps on, once opened; -1 */
    int is_watched; /* process_fd is settled */
    int process_fd; /* becomes readable when the process ends; -1 */
    int is_lost;
    sm_writer writer;
    sm_reader reader;
} sm_peer;

/* When this rank looks whether it shares its CPU with more ranks than it need: sm_spread.c. */
typedef struct sm_spread_state {
    int can_spread;
    int turns;         /* since the last look */
    int found;         /* looks that found a better CPU */
    int resting, rest; /* looks until the next move, and after it */
} sm_spread_state;

/* On a host with more ranks none goes. */
enum { SM_SPREAD_RANKS_MAX = 256 };

typedef struct sm_wire {
    cor_wire base;
    cor_wire_options options;
    cor_sm_config config;
    uint32_t slot_mask;
    uint64_t ring_mask;

    int fd;           /* of the segment we have made, -1 when plain memory or settled */
    char path[96];    /* of its file */
    int is_file;      /* it is one: others cannot reach our descriptors */
    int is_settled;   /* all have mapped it */
    int bell_pipe[2]; /* to sleep on together with other wires: reading end, writing end; -1 */
    int is_armed;     /* we have asked to be woken since the pipe was last emptied */
    char host[COR_PROCESS_HOST_MAX], pid_space[COR_PROCESS_SPACE_MAX];
    sm_seat *seat; /* ours; and so */
    sm_inbox *inbox;
    size_t inbox_bytes;
    void *segment; /* where it lies, with those of all ranks of the host or, if these are threads, alone */
    size_t segment_bytes;

    sm_peer *peers; /* the ranks of this host, by rank; `me` among them */
    int peer_count, me;
    int *peer_of_rank; /* job rank -> index in peers, -1: elsewhere */

    sm_reader **active; /* channels that were ever used */
    int active_count, next_active;
    uint32_t announcements_seen;
    uint32_t polls;
    uint32_t arrivals_seen; /* of our inbox, before the last poll */

    int has_heavy_fence; /* a sleeper makes the writers' fence for them */
    int is_crowded;      /* fewer CPUs than local ranks */
    sm_spread_state spread;
    int can_single_copy;
    int is_traceable; /* the peers were given permission to read our memory */

    int process_count; /* peers that are processes of their own, to be watched */
    int next_watched;  /* whose turn it is */
} sm_wire;

/* sm_segment.c: the memory of the inboxes. */
void sm_segment_create(sm_wire *wire); /* or choose the name of its file */
/* The first rank of the host gives its segment room for all inboxes; the others drop theirs. */
int sm_segment_size(sm_wire *wire, cor_fault *fault);
int sm_segment_map(sm_wire *wire, cor_fault *fault);
int sm_segment_map_private(sm_wire *wire, cor_fault *fault); /* memory of this process, for one inbox */
void sm_segment_bury(const sm_wire *wire); /* the file of a peer that has died before all was settled */
void sm_segment_settle(sm_wire *wire);

/* sm_packet.c: the data path. */
int sm_send(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
            size_t bytes);
int sm_poll(cor_wire *base, int first);
int sm_has_arrived(sm_wire *wire);
void sm_drain(sm_wire *wire, sm_peer *peer);
void sm_writer_close(sm_wire *wire, sm_writer *w);

/* sm_copy.c: the single cross-process copy. */
int sm_get(cor_wire *base, int rank, uint64_t address, void *to, size_t bytes, cor_fault *fault);
uint32_t sm_copy_percent(const cor_log *log); /* what a single copy takes, of a memcpy */

/* sm_trace.c: whom all ranks of the host descend from, where that matters; 0: nobody, or it does not. */
pid_t sm_trace_ancestor(const sm_wire *wire);
/* May the peers read our memory? Lets them, if the kernel asks for that; 0: they cannot. */
int sm_trace_permit(sm_wire *wire, int is_forced);
void sm_trace_forbid(sm_wire *wire); /* not any more */

/* sm_watch.c: whether the peers live. */
int sm_look(cor_wire *base);
void sm_reject(cor_wire *base, int rank, const char *what);
void sm_watch_end(sm_wire *wire);

/* sm_spread.c: where the rank runs. */
void sm_spread_init(sm_wire *wire);
void sm_spread(cor_wire *base, int turns);
void sm_spread_look(sm_wire *wire, int cpu); /* it runs there */
/* The CPU to which rank `me` should go, or -1. `cpus`: where the ranks are, -1: not known. */
int sm_spread_target(const int32_t *cpus, int count, int me, const cor_cpu_set *allowed);

/* sm_wait.c: the doorbell. */
int sm_arm(cor_wire *base, uint32_t *ticket_p);
void sm_sleep(cor_wire *base, uint32_t ticket);
void sm_ring(cor_wire *base);
int sm_is_crowded(const cor_wire *base);
int sm_may_spin(cor_wire *base);
uint32_t sm_arrivals(const cor_wire *base);
int sm_yield(cor_wire *base, uint32_t arrivals, int times, const cor_until *until);
void sm_nudge(cor_wire *base, int rank);
void sm_bell_ring(sm_wire *wire, sm_peer *peer);
void sm_use_fds(cor_wire *base);
int sm_wait_fds(cor_wire *base, struct pollfd *fds, int room, int *timeout_ms_p);
void sm_hush(cor_wire *base);
void sm_bell_close(sm_wire *wire);

#endif
