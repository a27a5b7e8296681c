/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a TCP socket, by the numbers of corunna.engine.NativeNet, with the values that the JDK shows. */
#define _GNU_SOURCE
#include "jni/jni_net.h"
#include "net/net_sys.h"

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <sys/time.h>
#include <time.h>

enum option_number {
    OPTION_NODELAY,
    OPTION_REUSEADDR,
    OPTION_REUSEPORT,
    OPTION_KEEPALIVE,
    OPTION_OOBINLINE,
    OPTION_SNDBUF,
    OPTION_RCVBUF,
    OPTION_LINGER,
    OPTION_TOS,
    OPTION_QUICKACK,
    OPTION_KEEPIDLE,
    OPTION_KEEPINTERVAL,
    OPTION_KEEPCOUNT,
    OPTION_NAPI_ID,
};

static const struct {
    int level, name;
} option_rows[] = {
    [OPTION_NODELAY] = {IPPROTO_TCP, TCP_NODELAY},
    [OPTION_REUSEADDR] = {SOL_SOCKET, SO_REUSEADDR},
    [OPTION_REUSEPORT] = {SOL_SOCKET, SO_REUSEPORT},
    [OPTION_KEEPALIVE] = {SOL_SOCKET, SO_KEEPALIVE},
    [OPTION_OOBINLINE] = {SOL_SOCKET, SO_OOBINLINE},
    [OPTION_SNDBUF] = {SOL_SOCKET, SO_SNDBUF},
    [OPTION_RCVBUF] = {SOL_SOCKET, SO_RCVBUF},
    [OPTION_LINGER] = {SOL_SOCKET, SO_LINGER},
    [OPTION_TOS] = {IPPROTO_IP, IP_TOS},
    [OPTION_QUICKACK] = {IPPROTO_TCP, TCP_QUICKACK},
    [OPTION_KEEPIDLE] = {IPPROTO_TCP, TCP_KEEPIDLE},
    [OPTION_KEEPINTERVAL] = {IPPROTO_TCP, TCP_KEEPINTVL},
    [OPTION_KEEPCOUNT] = {IPPROTO_TCP, TCP_KEEPCNT},
    [OPTION_NAPI_ID] = {SOL_SOCKET, SO_INCOMING_NAPI_ID},
};

enum { OPTION_RCVBUF_MIN = 1024, OPTION_LINGER_MAX = 65535 };

static int option_is_ipv6(int fd)
{
    int domain = AF_INET;
    socklen_t length = sizeof domain;
    return net_sys_getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_INET6;
}

static int option_set_int(int fd, int level, int name, int value)
{
    return net_sys_setsockopt(fd, level, name, &value, sizeof value);
}

/* Of both families: a peer's address may be either. */
static int option_set_tos(int fd, int value)
{
    value &= IPTOS_TOS_MASK | IPTOS_PREC_MASK;
    int rc = option_set_int(fd, IPPROTO_IP, IP_TOS, value);
    return option_is_ipv6(fd) ? option_set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, value) : rc;
}

static int option_set_linger(int fd, int value)
{
    struct linger linger = {.l_onoff = value >= 0,
                            .l_linger = value < 0                   ? 0
                                        : value > OPTION_LINGER_MAX ? OPTION_LINGER_MAX
                                                                    : value};
    return net_sys_setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

jint JNICALL jni_net_setOption(JNIEnv *env, jclass type, jint fd, jlong handle, jint option, jint value)
{
    (void)env;
    (void)type;
    int rc;
    cor_conn *conn = jni_conn_at(handle);
    switch ((enum option_number)option) {
    case OPTION_TOS:
        rc = option_set_tos(fd, value);
        break;
    case OPTION_LINGER:
        rc = option_set_linger(fd, value);
        break;
    case OPTION_NODELAY:
        /* Bells must not wait. */
        if (conn && cor_conn_sends_bells(conn))
            return 0;
        rc = option_set_int(fd, IPPROTO_TCP, TCP_NODELAY, value);
        break;
    case OPTION_RCVBUF:
        value = value < OPTION_RCVBUF_MIN ? OPTION_RCVBUF_MIN : value;
        rc = option_set_int(fd, SOL_SOCKET, SO_RCVBUF, value);
        break;
    default:
        rc = option_set_int(fd, option_rows[option].level, option_rows[option].name, value);
    }
    return rc == 0 ? 0 : -errno;
}

jint JNICALL jni_net_getOption(JNIEnv *env, jclass type, jint fd, jint option, jintArray value_p)
{
    (void)type;
    int is_traffic_class = option == OPTION_TOS && option_is_ipv6(fd);
    int level = is_traffic_class ? IPPROTO_IPV6 : option_rows[option].level;
    int name = is_traffic_class ? IPV6_TCLASS : option_rows[option].name;
    struct linger linger = {0};
    jint value = 0;
    void *room = option == OPTION_LINGER ? (void *)&linger : &value;
    socklen_t length = option == OPTION_LINGER ? sizeof linger : sizeof value;
    if (net_sys_getsockopt(fd, level, name, room, &length) != 0)
        return -errno;
    if (option == OPTION_LINGER)
        value = linger.l_onoff ? linger.l_linger : -1;
    else if (option == OPTION_SNDBUF || option == OPTION_RCVBUF)
        value /= 2; /* the kernel counts its own needs in */
    (*env)->SetIntArrayRegion(env, value_p, 0, 1, &value);
    return 0;
}

jint JNICALL jni_net_setTimeout(JNIEnv *env, jclass type, jint fd, jlong handle, jint timeout_ms)
{
    (void)env;
    (void)type;
    struct timespec tick = {0, 0};
    /* The kernel counts this time in ticks of its clock, of which the first has begun: one more, so that it is not too
     * short. */
    if (timeout_ms > 0)
        clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    long us = timeout_ms % 1000 * 1000L + tick.tv_nsec / 1000;
    struct timeval time = {timeout_ms / 1000 + us / 1000000, us % 1000000};
    if (net_sys_setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) != 0)
        return -errno;
    cor_conn *conn = jni_conn_at(handle);
    if (conn)
        cor_conn_set_receive_limit(conn, timeout_ms > 0);
    return 0;
}
