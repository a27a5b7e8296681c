/* SPDX-License-Identifier: Apache-2.0 */
/* Fast sockets for Java: registration, the life of a socket, addresses. Bytes are in jni_net_bytes.c. */
#define _GNU_SOURCE
#include "jni/jni_net.h"
#include "jni/jni_face.h"
#include "jni/jni_natives.h"
#include "net/net_sys.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>

/* What corunna.engine.NativeNet calls them. */
_Static_assert(EPERM == 1 && EAGAIN == 11 && EACCES == 13 && EPIPE == 32 && EPROTO == 71 && EADDRINUSE == 98 &&
                   EADDRNOTAVAIL == 99 && ECONNRESET == 104 && ENOTCONN == 107 && ETIMEDOUT == 110 &&
                   ECONNREFUSED == 111 && EHOSTUNREACH == 113 && EINPROGRESS == 115 && POLLIN == 1 && POLLOUT == 4,
               "the numbers in NativeNet.java");

static jint net_result(int rc)
{
    return rc < 0 ? -errno : rc;
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

#define NET_ROW(result, name, signature, ...) {(char *)#name, (char *)signature, (void *)jni_net_##name},
static const JNINativeMethod net_natives[] = {JNI_NATIVENET_LIST(NET_ROW)};
#undef NET_ROW

void JNICALL jni_native_registerNet(JNIEnv *env, jclass native, jclass type)
{
    (void)native;
    /* A failure is an exception of the JVM's. */
    (*env)->RegisterNatives(env, type, net_natives, sizeof net_natives / sizeof *net_natives);
}

jlong JNICALL jni_net_open(JNIEnv *env, jclass type, jobjectArray overrides, jobject failures)
{
    (void)type;
    cor_net *net = NULL;
    cor_fault fault = {0};
    char **texts = jni_overrides_copy(env, overrides);
    int rc = texts ? cor_net_create(&net, (const char *const *)texts, &fault) : COR_ERR_MEMORY;
    jni_overrides_free(texts);
    if (rc != COR_OK) {
        jni_fail(env, failures, "fast sockets", rc, &fault);
        return 0;
    }
    cor_net_publish(net);
    return jni_handle(net);
}

void JNICALL jni_net_leave(JNIEnv *env, jclass type, jlong net)
{
    (void)env;
    (void)type;
    cor_net_leave((cor_net *)(uintptr_t)net);
}

jboolean JNICALL jni_net_hasIpv6(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    int fd = access("/proc/net/if_inet6", F_OK) == 0 ? socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return JNI_FALSE;
    net_sys_close(fd);
    return JNI_TRUE;
}

jstring JNICALL jni_net_error(JNIEnv *env, jclass type, jint number)
{
    (void)type;
    char room[128];
    return (*env)->NewStringUTF(env, strerror_r(number, room, sizeof room));
}

/* ---- addresses -------------------------------------------------------------------------------------------------- */

static int net_domain(int fd)
{
    int domain = AF_INET;
    socklen_t length = sizeof domain;
    net_sys_getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length);
    return domain;
}

/* An address of Java as one of the descriptor's family: IPv4 ones are mapped, and 0.0.0.0 is ::, so that a server has
 * both. 0: it has none. */
static socklen_t net_address(JNIEnv *env, int fd, jbyteArray address, jint scope, jint port,
                             struct sockaddr_storage *out)
{
    uint8_t bytes[16] = {0};
    jsize length = (*env)->GetArrayLength(env, address);
    memset(out, 0, sizeof *out);
    (*env)->GetByteArrayRegion(env, address, 0, length, (jbyte *)bytes);
    if (net_domain(fd) == AF_INET) {
        struct sockaddr_in *in = (void *)out;
        in->sin_family = AF_INET;
        in->sin_port = htons((uint16_t)port);
        memcpy(&in->sin_addr, bytes, 4);
        return length == 4 ? sizeof *in : 0;
    }
    struct sockaddr_in6 *in6 = (void *)out;
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons((uint16_t)port);
    in6->sin6_scope_id = (uint32_t)scope;
    if (length == 16) {
        memcpy(&in6->sin6_addr, bytes, 16);
    } else if (memcmp(bytes, (const uint8_t[4]){0}, 4) != 0) {
        memset(&in6->sin6_addr.s6_addr[10], 0xff, 2);
        memcpy(&in6->sin6_addr.s6_addr[12], bytes, 4);
    }
    return sizeof *in6;
}

/* The other way: address, port, scope. */
jbyteArray JNICALL jni_net_name(JNIEnv *env, jclass type, jint fd, jboolean is_peer)
{
    (void)type;
    struct sockaddr_storage found;
    socklen_t length = sizeof found;
    if ((is_peer ? getpeername(fd, (struct sockaddr *)&found, &length)
                 : getsockname(fd, (struct sockaddr *)&found, &length)) != 0)
        return NULL;
    const struct sockaddr_in *in = (const void *)&found;
    const struct sockaddr_in6 *in6 = (const void *)&found;
    int is_mapped = found.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr);
    int bytes = found.ss_family == AF_INET || is_mapped ? 4 : 16;
    uint32_t scope = bytes == 16 ? htonl(in6->sin6_scope_id) : 0;
    char packed[16 + 2 + 4];
    memcpy(packed, found.ss_family == AF_INET ? (const void *)&in->sin_addr : &in6->sin6_addr.s6_addr[16 - bytes],
           (size_t)bytes);
    memcpy(packed + bytes, found.ss_family == AF_INET ? &in->sin_port : &in6->sin6_port, 2);
    memcpy(packed + bytes + 2, &scope, 4);
    jbyteArray name = (*env)->NewByteArray(env, bytes + 6);
    if (name)
        (*env)->SetByteArrayRegion(env, name, 0, bytes + 6, (const jbyte *)packed);
    return name;
}

jlong JNICALL jni_net_inode(JNIEnv *env, jclass type, jint fd)
{
    (void)env;
    (void)type;
    struct stat found;
    return fstat(fd, &found) == 0 ? (jlong)found.st_ino : 0;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

jint JNICALL jni_net_socket(JNIEnv *env, jclass type, jboolean is_server, jboolean is_ipv6)
{
    (void)env;
    (void)type;
    int on = 1, off = 0;
    int fd = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (is_ipv6)
        net_sys_setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (is_server)
        net_sys_setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return fd;
}

/* SO_LINGER of 0 seconds: a close resets the connection. */
static int net_is_abort(int fd)
{
    struct linger linger = {0};
    socklen_t length = sizeof linger;
    return net_sys_getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length) == 0 && linger.l_onoff &&
           linger.l_linger == 0;
}

void JNICALL jni_net_close(JNIEnv *env, jclass type, jlong net, jint fd, jlong handle)
{
    (void)env;
    (void)type;
    cor_conn *conn = jni_conn_at(handle);
    int is_abort = net_is_abort(fd);
    if (!conn)
        cor_net_unannounce((cor_net *)(uintptr_t)net, fd);
    if (conn) {
        if (!is_abort)
            cor_conn_finish(conn, fd);
        cor_conn_closing(conn, fd, is_abort);
        cor_conn_unref(conn);
    } else if (!is_abort) {
        net_sys_shutdown(fd, SHUT_WR);
    }
    net_sys_close(fd);
}

void JNICALL jni_net_stop(JNIEnv *env, jclass type, jint fd, jlong handle)
{
    (void)env;
    (void)type;
    cor_conn *conn = jni_conn_at(handle);
    if (!conn) {
        net_sys_shutdown(fd, SHUT_RDWR);
        return;
    }
    if (net_is_abort(fd))
        cor_conn_closing(conn, fd, 1); /* the peer sees that before the FIN that ends our writers */
    cor_conn_finish(conn, fd);
    cor_conn_shutdown(conn, fd, SHUT_RD);
}

jint JNICALL jni_net_bind(JNIEnv *env, jclass type, jint fd, jbyteArray address, jint scope, jint port)
{
    (void)type;
    struct sockaddr_storage here;
    socklen_t length = net_address(env, fd, address, scope, port, &here);
    return length == 0 ? -EAFNOSUPPORT : net_result(bind(fd, (struct sockaddr *)&here, length));
}

/* Accept never waits by itself: a connection that poll has reported may be gone. */
jint JNICALL jni_net_listen(JNIEnv *env, jclass type, jlong net, jint fd, jint backlog)
{
    (void)env;
    (void)type;
    if (net_sys_fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK) < 0)
        return -errno;
    cor_net_announce((cor_net *)(uintptr_t)net, fd);
    return net_result(listen(fd, backlog));
}

jint JNICALL jni_net_connect(JNIEnv *env, jclass type, jlong net, jint fd, jbyteArray address, jint scope, jint port,
                             jlongArray made)
{
    (void)type;
    struct sockaddr_storage to;
    socklen_t length = net_address(env, fd, address, scope, port, &to);
    if (length == 0)
        return -EAFNOSUPPORT;
    cor_conn *conn = cor_conn_connecting((cor_net *)(uintptr_t)net, (struct sockaddr *)&to, length);
    jlong handle = jni_handle(conn);
    (*env)->SetLongArrayRegion(env, made, 0, 1, &handle);
    net_sys_fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
    if (net_sys_connect(fd, (struct sockaddr *)&to, length) == 0)
        return net_result(net_sys_fcntl(fd, F_SETFL, O_RDWR));
    int error = errno;
    if (conn && error != EINPROGRESS)
        cor_conn_withdraw(conn, fd, COR_NET_PATIENCE_MS);
    return -error;
}

jint JNICALL jni_net_connected(JNIEnv *env, jclass type, jint fd)
{
    (void)env;
    (void)type;
    int error = 0;
    socklen_t length = sizeof error;
    if (net_sys_getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
        error = errno;
    return error != 0 ? -error : net_result(net_sys_fcntl(fd, F_SETFL, O_RDWR));
}

jint JNICALL jni_net_accept(JNIEnv *env, jclass type, jlong net, jint fd, jlongArray made)
{
    (void)type;
    int accepted;
    do
        accepted = net_sys_accept(fd, SOCK_CLOEXEC);
    while (accepted < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (accepted < 0)
        return -errno;
    jlong handle = jni_handle(cor_conn_accepted((cor_net *)(uintptr_t)net));
    (*env)->SetLongArrayRegion(env, made, 0, 1, &handle);
    return accepted;
}

jint JNICALL jni_net_poll(JNIEnv *env, jclass type, jint fd, jint events, jint timeout_ms)
{
    (void)env;
    (void)type;
    struct pollfd one = {fd, (short)events, 0};
    int rc = net_sys_poll(&one, 1, timeout_ms);
    if (rc < 0)
        return errno == EINTR ? 0 : -errno;
    return rc > 0 ? one.revents : 0;
}
