/* What ranks tell each other before they are connected, and what stands ahead of every packet. Nothing of it is believed
 * unchecked. */
#ifndef COR_IBV_TEXT_H
#define COR_IBV_TEXT_H

#include "xxdev/soft/wire.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum { IBW_VERSION = 1, IBW_HOST_MAX = 40, IBW_SECRET_BYTES = 32, IBW_MAC_BYTES = 32, IBW_GREETING_BYTES = 48 };

typedef union ibw_place {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} ibw_place;

/* A rank's address: ibv1,<host>,<buffer bytes>,<secret or ->,<IP address>+<port>; without a device ibv1,<host>,<why> */
typedef struct ibw_address {
    char host[IBW_HOST_MAX];
    int has_device, has_secret;
    uint8_t secret[IBW_SECRET_BYTES];
    size_t buffer_bytes;
    ibw_place place;
} ibw_address;

void ibw_address_print(const ibw_address *address, char text[COR_WIRE_ADDRESS_MAX]);
int ibw_address_parse(const char *text, ibw_address *address_p, cor_fault *fault);
void ibw_place_print(const ibw_place *place, char *out, size_t out_bytes);

/* The private data of a connection, in both directions. */
typedef struct ibw_greeting {
    int is_answer;
    uint32_t from, to; /* ranks */
    uint32_t credits;  /* receives that the sender of this has posted for the other */
} ibw_greeting;

void ibw_greeting_write(const ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES],
                        uint8_t out[IBW_GREETING_BYTES]);
/* 0: it does not come from a rank of this job, or is not for us. is_answer and to are given, the rest is written. */
int ibw_greeting_read(ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES], const void *data, size_t bytes);

enum { IBW_PACKET = 1, IBW_CREDITS, IBW_HELLO };

typedef struct ibw_frame {
    uint8_t kind;
    uint8_t unused;
    uint16_t credits; /* receives of the addressee's packets that are posted again */
    uint32_t bytes;   /* that follow */
    cor_header header;
} ibw_frame;

/* Is this a frame that a rank may send? */
static inline int ibw_frame_is_sound(const ibw_frame *frame, size_t received_bytes)
{
    return received_bytes >= sizeof *frame && frame->bytes == received_bytes - sizeof *frame &&
           frame->kind >= IBW_PACKET && frame->kind <= IBW_HELLO && (frame->kind == IBW_PACKET || frame->bytes == 0);
}

#endif
