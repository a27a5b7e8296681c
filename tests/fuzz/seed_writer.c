/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the seeds in tests/fuzz/corpus: for every fuzz target some inputs that a peer, an agent, a rank or a user
 * might really send, so that libFuzzer begins where decoders have said yes. By hand, when a format has changed:
 *
 *   build/tests/fuzz/seed_writer tests/fuzz/corpus
 *
 * Inputs that once broke something are beside them as regress-*; no program writes those again.
 */
#include "base/hello.h"
#include "launch/agent/agent_frame.h"
#include "launch/agent/agent_job.h"
#include "xxdev/soft/soft_state.h"
#include "xxdev/soft/tcp/tcp_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *seed_root;

static void seed_write(const char *target, const char *name, const void *bytes, size_t length)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", seed_root, target);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", seed_root, target, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

/* The first character of some says which decoder it is for, or how it is cut. */
static const char *const seed_texts[][3] = {
    {"fuzz_host_file", "open_mpi", "\004a slots=4 max_slots=8\nb cpu=2\n# none\n\nc count=1 max-count=2\n"},
    {"fuzz_host_file", "hydra",
     "\004\xef\xbb\xbf"
     "a:4 ifhn=a-ib binding=user:0\nb:2 user=me port=22\n"},
    {"fuzz_host_file", "mpj_express", "\004a\nb\na\nhere\n"},
    {"fuzz_host_file", "list", "\002a:4,b:4,[fe80::1]:2,me@c,::1"},
    {"fuzz_host_file", "slurm", "\003n[1-3,07-09],m,x[1-2]-y[5] 4(x2),3,1"},
    {"fuzz_rank_file", "hosts", "\002rank 0=a slot=0\nrank 1=b slot=1:0-2 # two\nrank 2=a slot=0:1,1:*\n"},
    {"fuzz_rank_file", "relative", "\001rank 1 = +n1 slots = *\nrank 0=+n0 slot=0,3\n"},
    {"fuzz_rank_file", "slots", "\004core:overload-allowed\nppr:2:socket:PE=2\nsocket:span\n0-7,9\n1:0-2,0:*"},
    {"fuzz_rank_file", "words", "\005numa:if-supported\nslot:PE=3,HWTCPUS\nfill\n2-15\n*"},
    {"fuzz_rules", "user",
     "# mine\nbcast bytes<=64k ranks>2 mst segment=8k\nallreduce !commutative nodes=2 node_ranks>=4 ring radix=4\n"},
    {"fuzz_rules", "conditions", "bcast bytes>1M ranks<9 power_of_two !blocking MST\nbcast intercomm inter\n"},
    {"fuzz_rules", "choice", "mst segment=64k"},
    {"fuzz_rules", "tuned",
     "# Written by corunna tune\n# machine: x\nset sm.ring=512k\nbcast blocking ranks<=2 one_node mst "
     "segment=16384\n# "
     "end\n"},
    {"fuzz_tuned", "settings", "set sm.ring=512k\nset tcp.packet=8k\nbarrier ranks<=64 dissemination\n# end\n"},
    {"fuzz_tuned", "wrong", "set sm.rnig=512k\nset sm.ring\nset =\nset sm.ring=\n"},
    {"fuzz_tuned", "limits", "set sm.ring=4095\nset tcp.packet=99999999999999999999\n"},
    {"fuzz_tuned", "cut", "# Written by corunna tune on 2026-11-15\nset sm.ring=51"},
    {"fuzz_knob", "all", "f.bytes=8k\nf.any_bytes=1G\nf.count=-3\nf.is_on=off\nf.choice=never\nf.text=a,b"},
    {"fuzz_knob", "sizes", "f.bytes=1048576\nf.any_bytes=18446744073709551615"},
    {"fuzz_knob", "wrong", "f.byte=8k\nf.count=1001"},
    {"fuzz_pmi_line", "answers",
     "\377cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\ncmd=maxes kvsname_max=80 keylen_max=256 "
     "vallen_max=1024\ncmd=get_result rc=0 msg=success value=a=b#c\n"},
    {"fuzz_pmi_line", "abort", "\003cmd=abort exitcode=12 reason=no%20more%20disk\n"},
    {"fuzz_port_name", "name",
     "corunna2+00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff+4711@192.0.2.1+4712@2001:db8::1"},
    {"fuzz_tcp_hello", "address", "tcp3,1,host,-,192.0.2.1/24+4711,2001:db8::1/64+4712"},
    {"fuzz_model", "models",
     "\002corunna-model 1\nremark machine\ncurve test=bcast system=corunna language=c device=hybdev type=double "
     "mode=apart "
     "ranks=2,4,8 bytes=8-1048576 points=24 held_out=8\nfit form=papers fitted=0.031 held_out=none\npiece from=0 "
     "t0=0.5+0.2*p ti=-1.5-2e-09*log2p tb=4.7e-05\nfit form=piecewise fitted=0.01 held_out=0.02\npiece from=0 t0=1 "
     "ti=0 "
     "tb=0.25\npiece from=16385 t0=0.1 ti=3 tb=0.0625\nend\n"},
    {"fuzz_model", "points",
     "\001# "
     "machine\ntest,system,language,device,ranks,type,mode,bytes,unit,minimum\npingpong,corunna,c,smdev,2,byte,,0,us,"
     "0.2\npingpong,corunna,c,smdev,2,byte,,1024,us,0.3\npingpong,corunna,c,smdev,2,byte,+check,4096,ns,500\nbcast,c,"
     "c,d,"
     "2,byte,row,8,us,1\nbcast,c,c,d,4,byte,row,8,us,2\nbcast,c,c,d,4,byte,row,800,us,3\n"},
    {"fuzz_agent_frame", "greeting", "\000\007Welcome\ncorunna-agent/5\n"},
};

static void seed_all_texts(void)
{
    for (size_t i = 0; i < sizeof seed_texts / sizeof *seed_texts; i++) {
        const char *const *row = seed_texts[i];
        /* A zero in front is part of it. */
        size_t length = row[2][0] ? strlen(row[2]) : 1 + strlen(row[2] + 1);
        seed_write(row[0], row[1], row[2], length);
    }
}

/* ---- rows of pieces --------------------------------------------------------------------------------------------- */

typedef struct seed_bytes {
    unsigned char bytes[4096];
    size_t length;
} seed_bytes;

static void seed_put(seed_bytes *seed, const void *bytes, size_t length)
{
    if (seed->length + length > sizeof seed->bytes)
        exit(1);
    memcpy(seed->bytes + seed->length, bytes, length);
    seed->length += length;
}

static void seed_put_byte(seed_bytes *seed, int byte)
{
    seed_put(seed, &(unsigned char){(unsigned char)byte}, 1);
}

/* A job of three ranks: the sender of each piece, with its length. */
static void seed_pmi_server(void)
{
    static const char *const lines[] = {"cmd=init pmi_version=1 pmi_subversion=1\n",
                                        "cmd=get_maxes\n",
                                        "cmd=get_my_kvsname\n",
                                        "cmd=put kvsname=job_1 key=k value=v\n",
                                        "cmd=barrier_in\n",
                                        "cmd=get kvsname=job_1 key=k\n",
                                        "cmd=put kvsname=job_1 key=n0 value=a\n",
                                        "cmd=put kvsname=job_1 key=n1 value=b\n",
                                        "cmd=put kvsname=job_1 key=n2 value=c\n",
                                        "cmd=gather kvsname=job_1 key=n\n",
                                        "cmd=finalize\n"};
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        seed_bytes seed = {.length = 0};
        seed_put_byte(&seed, is_shared + 2); /* with a table */
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            for (int rank = 0; rank < 3; rank++) {
                seed_put_byte(&seed, rank);
                seed_put_byte(&seed, (int)strlen(lines[i]));
                seed_put(&seed, lines[i], strlen(lines[i]));
            }
        static const char news[] = "kvsname=job_1 key=far value=away\n";
        seed_put_byte(&seed, 4);
        seed_put_byte(&seed, (int)strlen(news));
        seed_put(&seed, news, strlen(news));
        seed_write("fuzz_pmi_server", is_shared ? "shared" : "alone", seed.bytes, seed.length);
    }
}

static void seed_put_agent(seed_bytes *seed, agent_kind kind, int subject, int number, const char *text)
{
    const agent_frame frame = {kind, subject, number, text, strlen(text)};
    unsigned char header[AGENT_HEADER];
    cor_agent_frame_header(&frame, header);
    seed_put(seed, header, sizeof header);
    seed_put(seed, text, strlen(text));
    seed_put_byte(seed, '\n');
}

static void seed_agent(void)
{
    seed_bytes agent = {.bytes = {1, 200}, .length = 2}, parent = {.bytes = {2, 9}, .length = 2};
    seed_put_agent(&agent, AGENT_HELLO, 0, 0, COR_VERSION);
    seed_put_agent(&agent, AGENT_OUTPUT, 1, 0, "one line\n");
    seed_put_agent(&agent, AGENT_FENCE, 0, 0, "kvsname=job_1 key=k value=v\n");
    seed_put_agent(&agent, AGENT_EXIT, 1, 256, "");
    seed_put_agent(&agent, AGENT_LOST, 1, 1, "host b is lost");
    seed_put_agent(&agent, AGENT_FOREIGN, 1, 0, "libmpi.so.40");
    seed_put_agent(&agent, AGENT_DONE, 0, 0, "");
    seed_write("fuzz_agent_frame", "agent", agent.bytes, agent.length);
    seed_put_agent(&parent, AGENT_INPUT, 0, 0, "stdin");
    seed_put_agent(&parent, AGENT_SIGNAL, 0, 10, "");
    seed_put_agent(&parent, AGENT_ACK, 0, 100, "");
    seed_put_agent(&parent, AGENT_FINISH, 0, 0, "");
    seed_write("fuzz_agent_frame", "parent", parent.bytes, parent.length);
}

static void seed_job(void)
{
    static char program[] = "./a.out", setting[] = "CORUNNA_LOG=info", cores[] = "0:1-2";
    static int ranks[2][2] = {{0, 1}, {2, 3}};
    char *argv[] = {program, NULL}, *settings[] = {setting, NULL}, *slots[] = {cores, cores, NULL}, *bytes;
    const run_host hosts[2] = {{"a", ranks[0], 2, NULL, slots}, {"b", ranks[1], 2, "eth0", NULL}};
    const run_program programs[2] = {{1, argv, "/tmp", NULL, RUN_PASS_ALL},
                                     {3, argv, "/tmp", settings, RUN_PASS_NAMED}};
    const run_plan plan = {.command_name = "corunna run",
                           .size = 4,
                           .programs = programs,
                           .program_count = 2,
                           .settings = settings,
                           .binding = {.bind_to = "core", .map_by = "ppr:2:socket", .report_bindings = 1},
                           .hosts = hosts,
                           .host_count = 2,
                           .reach = {"ssh {host}", "/usr/bin/corunna", 32, 10}};
    size_t length;
    cor_fault fault = {0};
    seed_bytes seed = {.bytes = {3, 0}, .length = 2};
    if (cor_agent_job_encode(&plan, "job", 0, 2, &bytes, &length, &fault) != COR_OK)
        exit(1);
    seed_put(&seed, bytes, length);
    seed_write("fuzz_agent_frame", "job", seed.bytes, seed.length);
    free(bytes);
}

/* ---- the wire --------------------------------------------------------------------------------------------------- */

static void seed_put_frame(seed_bytes *seed, tcp_frame frame, const char *text)
{
    uint8_t head[TCP_FRAME_BYTES];
    frame.bytes = (uint32_t)strlen(text);
    tcp_frame_encode(&frame, head);
    seed_put(seed, head, sizeof head);
    seed_put(seed, text, strlen(text));
}

static void seed_frames(void)
{
    for (int cut = 0; cut < 8; cut += 7) {
        seed_bytes seed = {.length = 0};
        seed_put_byte(&seed, cut);
        for (uint32_t i = 1; i <= 3; i++)
            seed_put_frame(&seed,
                           (tcp_frame){.kind = TCP_PACKET,
                                       .flags = i == 2 ? TCP_WANTS_ACK : 0,
                                       .sequence = i,
                                       .acknowledged = i - 1,
                                       .header = {.kind = SOFT_EAGER, .context = 1, .tag = 7, .id = i}},
                           "a short message, long enough to be cut somewhere in the middle");
        seed_put_frame(&seed, (tcp_frame){.kind = TCP_ACK, .acknowledged = 3}, "");
        seed_put_frame(&seed, (tcp_frame){.kind = TCP_BYE, .acknowledged = 3}, "");
        seed_write("fuzz_tcp_frame", cut ? "pieces" : "whole", seed.bytes, seed.length);
    }
}

static void seed_hello(void)
{
    static const uint8_t secret[COR_SECRET_BYTES] = {1};
    cor_hello hello = cor_hello_make(secret, 1, 0);
    uint8_t bytes[COR_HELLO_BYTES], welcome[COR_WELCOME_BYTES];
    memset(hello.nonce, 7, sizeof hello.nonce);
    cor_hello_encode(&hello, bytes);
    cor_welcome_encode(COR_HELLO_TAKEN, 3, welcome);
    seed_write("fuzz_tcp_hello", "hello", bytes, sizeof bytes);
    seed_write("fuzz_tcp_hello", "welcome", welcome, sizeof welcome);
}

/* ---- packets and what the program does between them ------------------------------------------------------------- */

enum { ACT_PACKET = 0, ACT_RECEIVE = 3, ACT_SEND = 4, ACT_PROBE = 5, ACT_CANCEL = 6, ACT_MOVE = 7, ID_KNOWN = 0 };

typedef struct seed_packet {
    int kind, flags, id;
    const void *body;
    size_t bytes; /* even */
} seed_packet;

/* Peer 1 is 0 here, and 2 is 1; context 1, tag 1. */
static void seed_put_packet(seed_bytes *seed, int peer, int lands, seed_packet packet)
{
    const unsigned char head[] = {ACT_PACKET,
                                  (unsigned char)peer,
                                  (unsigned char)lands,
                                  (unsigned char)packet.kind,
                                  (unsigned char)packet.flags,
                                  1,
                                  1,
                                  0,
                                  (unsigned char)packet.id,
                                  (unsigned char)packet.id,
                                  (unsigned char)(packet.bytes / 2)};
    seed_put(seed, head, sizeof head);
    seed_put(seed, packet.body, packet.bytes);
}

static void seed_put_act(seed_bytes *seed, int act, int first, int second, int third, int fourth)
{
    const int words[] = {act, first, second, third, fourth};
    int count = act == ACT_CANCEL || act == ACT_MOVE ? 2 : 5;
    for (int i = 0; i < count; i++)
        seed_put_byte(seed, words[i]);
}

/* One message of each protocol, in both directions, and what goes with it. */
static void seed_packets(void)
{
    static const char text[32] = "a message of thirty-two bytes";
    enum { SHORT = SOFT_RTS_LEAST_BYTES + 8 };
    const soft_rts request = {.bytes = 32, .key = {.bytes = 8, .data = {2}}};
    const soft_rts far = {.bytes = 400, .key = {.bytes = 8, .data = {1}}};
    const soft_cts clearance = {.bytes = 64};
    for (int peer = 0; peer < 2; peer++) {
        seed_bytes eager = {.length = 0}, receive = {.length = 0}, send = {.length = 0}, failure = {.length = 0};
        seed_put_act(&eager, ACT_RECEIVE, peer + 1, 1, 1, 8);
        seed_put_packet(&eager, peer, 1, (seed_packet){SOFT_EAGER, SOFT_WANTS_DONE, 200, text, sizeof text});
        seed_put_packet(&eager, peer, 0, (seed_packet){SOFT_EAGER, 0, 200, text, sizeof text});
        seed_put_act(&eager, ACT_PROBE, 0, 1, 0, 8);
        seed_put_packet(&eager, peer, 0, (seed_packet){SOFT_CANCEL, 0, 200, NULL, 0});
        seed_write("fuzz_soft_packet", peer ? "eager_2" : "eager_1", eager.bytes, eager.length);

        seed_put_act(&receive, ACT_RECEIVE, 0, 1, 0, 8);
        seed_put_packet(&receive, peer, 0, (seed_packet){SOFT_RTS, peer ? 0 : SOFT_HAS_KEY, 201, &request, SHORT});
        seed_put_packet(&receive, peer, 0, (seed_packet){SOFT_RTS, 0, 202, &far, SHORT});
        seed_put_act(&receive, ACT_RECEIVE, peer + 1, 1, 1, 16);
        seed_put_packet(&receive, peer, 1, (seed_packet){SOFT_DATA, 0, ID_KNOWN, text, sizeof text});
        seed_put_packet(&receive, peer, 0, (seed_packet){SOFT_DATA, 0, ID_KNOWN + 1, text, sizeof text});
        seed_write("fuzz_soft_packet", peer ? "receive_2" : "receive_1", receive.bytes, receive.length);

        seed_put_act(&send, ACT_SEND, 0, peer, 1, 100);
        seed_put_packet(&send, peer, 0, (seed_packet){SOFT_CTS, 0, ID_KNOWN, &clearance, SOFT_RTS_LEAST_BYTES});
        seed_put_act(&send, ACT_MOVE, 3, 0, 0, 0);
        seed_put_act(&send, ACT_SEND, 1, peer, 1, 4);
        seed_put_packet(&send, peer, 0, (seed_packet){SOFT_DONE, 0, ID_KNOWN + 2, NULL, 0});
        seed_put_act(&send, ACT_SEND, 1, peer, 1, 200);
        seed_put_act(&send, ACT_CANCEL, 2, 0, 0, 0);
        seed_put_packet(&send, peer, 0, (seed_packet){SOFT_CANCELLED, 0, ID_KNOWN + 3, NULL, 0});
        seed_write("fuzz_soft_packet", peer ? "send_2" : "send_1", send.bytes, send.length);

        seed_put_act(&failure, ACT_RECEIVE, 0, 1, 0, 8);
        seed_put_packet(&failure, peer, 0, (seed_packet){SOFT_ABANDONED, 0, 193, NULL, 0});
        seed_put_packet(&failure, peer, 0, (seed_packet){SOFT_CREDIT, 0, 200, NULL, 0});
        seed_put_packet(&failure, peer, 0, (seed_packet){15, 0, 200, NULL, 0});
        seed_put_act(&failure, ACT_MOVE, 7, 0, 0, 0);
        seed_write("fuzz_soft_packet", peer ? "failure_2" : "failure_1", failure.bytes, failure.length);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: seed_writer DIRECTORY\n", stderr);
        return 2;
    }
    seed_root = argv[1];
    mkdir(seed_root, 0777);
    seed_all_texts();
    seed_pmi_server();
    seed_agent();
    seed_job();
    seed_frames();
    seed_hello();
    seed_packets();
    return 0;
}
