// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.NativeNet;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The options of a socket: all reach the TCP socket beneath. SO_TIMEOUT is Java's own; TCP_NODELAY is on where TCP
 * carries the wake-ups of a fast connection, whatever the program has set and is told.
 */
final class Options {
    /** Options by name, since those of module jdk.net need not be there. */
    private static final Map<String, Integer> NUMBERS = Map.ofEntries(
            Map.entry("TCP_NODELAY", NativeNet.NODELAY), Map.entry("SO_REUSEADDR", NativeNet.REUSEADDR),
            Map.entry("SO_REUSEPORT", NativeNet.REUSEPORT), Map.entry("SO_KEEPALIVE", NativeNet.KEEPALIVE),
            Map.entry("SO_SNDBUF", NativeNet.SNDBUF), Map.entry("SO_RCVBUF", NativeNet.RCVBUF),
            Map.entry("SO_LINGER", NativeNet.LINGER), Map.entry("IP_TOS", NativeNet.TOS),
            Map.entry("TCP_QUICKACK", NativeNet.QUICKACK), Map.entry("TCP_KEEPIDLE", NativeNet.KEEPIDLE),
            Map.entry("TCP_KEEPINTERVAL", NativeNet.KEEPINTERVAL), Map.entry("TCP_KEEPCOUNT", NativeNet.KEEPCOUNT),
            Map.entry("SO_INCOMING_NAPI_ID", NativeNet.NAPI_ID));

    private static final Set<SocketOption<?>> CLIENT = find(Set.of(StandardSocketOptions.SO_RCVBUF,
            StandardSocketOptions.SO_REUSEADDR, StandardSocketOptions.SO_REUSEPORT, StandardSocketOptions.IP_TOS,
            StandardSocketOptions.SO_KEEPALIVE, StandardSocketOptions.SO_SNDBUF, StandardSocketOptions.SO_LINGER,
            StandardSocketOptions.TCP_NODELAY));
    private static final Set<SocketOption<?>> SERVER = find(Set.of(StandardSocketOptions.SO_RCVBUF,
            StandardSocketOptions.SO_REUSEADDR, StandardSocketOptions.SO_REUSEPORT, StandardSocketOptions.IP_TOS));

    private final SocketLife impl;
    private volatile int timeoutMs;
    private volatile boolean isNoDelay;

    Options(SocketLife impl) {
        this.impl = impl;
    }

    int timeoutMs() {
        return timeoutMs;
    }

    static Set<SocketOption<?>> supported(boolean isServer) {
        return isServer ? SERVER : CLIENT;
    }

    /** These, and those of the JDK's own that the system has. */
    private static Set<SocketOption<?>> find(Set<SocketOption<?>> standard) {
        Set<SocketOption<?>> found = new HashSet<>(standard);
        try {
            for (java.lang.reflect.Field field : Class.forName("jdk.net.ExtendedSocketOptions").getFields()) {
                Object option = field.get(null);
                if (option instanceof SocketOption && NUMBERS.containsKey(((SocketOption<?>) option).name())) {
                    found.add((SocketOption<?>) option);
                }
            }
        } catch (ReflectiveOperationException e) {
            return Collections.unmodifiableSet(found); // a Java without that module
        }
        return Collections.unmodifiableSet(found);
    }

    // ---- the descriptor's ----

    /** Under stateLock. */
    private int get(Link link, int number) throws IOException {
        int[] value = new int[1];
        Errors.check(NativeNet.getOption(link.fd(), number, value));
        return value[0];
    }

    private void set(Link link, int number, int value) throws IOException {
        Errors.check(NativeNet.setOption(link.fd(), link.conn(), number, value));
        if (number == NativeNet.NODELAY) {
            isNoDelay = value != 0;
        }
    }

    private boolean isSet(Link link, int number) throws IOException {
        return number == NativeNet.NODELAY ? isNoDelay : get(link, number) != 0;
    }

    // ---- SocketOption ----

    private int number(SocketOption<?> option) {
        Objects.requireNonNull(option);
        if (!supported(impl.isServer).contains(option)) {
            throw new UnsupportedOperationException("'" + option + "' not supported");
        }
        return NUMBERS.get(option.name());
    }

    <T> void set(SocketOption<T> option, T value) throws IOException {
        int number = number(option);
        if (!option.type().isInstance(value)) {
            throw new IllegalArgumentException("Invalid value '" + value + "'");
        }
        int setting = value instanceof Boolean ? ((Boolean) value ? 1 : 0) : (Integer) value;
        checkRange(option, setting);
        impl.stateLock.lock();
        try {
            set(impl.open(), number, setting);
        } finally {
            impl.stateLock.unlock();
        }
    }

    private static void checkRange(SocketOption<?> option, int value) {
        boolean isBuffer = option == StandardSocketOptions.SO_SNDBUF || option == StandardSocketOptions.SO_RCVBUF;
        if (isBuffer && value < 0) {
            throw new IllegalArgumentException("Invalid send/receive buffer size");
        }
        if (option == StandardSocketOptions.IP_TOS && (value < 0 || value > 255)) {
            throw new IllegalArgumentException("Invalid IP_TOS value");
        }
    }

    <T> T get(SocketOption<T> option) throws IOException {
        int number = number(option);
        impl.stateLock.lock();
        try {
            Link link = impl.open();
            Object value = option.type() == Boolean.class ? (Object) isSet(link, number) : (Object) get(link, number);
            return option.type().cast(value);
        } finally {
            impl.stateLock.unlock();
        }
    }

    // ---- SocketOptions ----

    void set(int option, Object value) throws SocketException {
        impl.stateLock.lock();
        try {
            Link link = impl.open();
            switch (option) {
                case SocketOptions.SO_TIMEOUT:
                    timeoutMs = natural(value, "SO_TIMEOUT", 0);
                    break;
                case SocketOptions.SO_LINGER:
                    boolean isOn = value instanceof Integer && (Integer) value >= 0;
                    set(link, NativeNet.LINGER, isOn ? (Integer) value : -1);
                    break;
                case SocketOptions.SO_SNDBUF:
                    set(link, NativeNet.SNDBUF, natural(value, "SO_SNDBUF", 1));
                    break;
                case SocketOptions.SO_RCVBUF:
                    set(link, NativeNet.RCVBUF, natural(value, "SO_RCVBUF", 1));
                    break;
                case SocketOptions.IP_TOS:
                    set(link, NativeNet.TOS, natural(value, "IP_TOS", 0));
                    break;
                default:
                    set(link, flag(option), truth(value, option) ? 1 : 0);
            }
        } catch (SocketException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            throw new SocketException(e.getMessage());
        } finally {
            impl.stateLock.unlock();
        }
    }

    Object get(int option) throws SocketException {
        impl.stateLock.lock();
        try {
            Link link = impl.open();
            switch (option) {
                case SocketOptions.SO_TIMEOUT:
                    return timeoutMs;
                case SocketOptions.SO_BINDADDR:
                    return Addresses.of(link.fd(), false).getAddress();
                case SocketOptions.SO_LINGER:
                    int linger = get(link, NativeNet.LINGER);
                    return linger < 0 ? (Object) Boolean.FALSE : (Object) linger;
                case SocketOptions.SO_SNDBUF:
                    return get(link, NativeNet.SNDBUF);
                case SocketOptions.SO_RCVBUF:
                    return get(link, NativeNet.RCVBUF);
                case SocketOptions.IP_TOS:
                    return get(link, NativeNet.TOS);
                default:
                    return isSet(link, flag(option));
            }
        } catch (SocketException e) {
            throw e;
        } catch (IOException e) {
            throw new SocketException(e.getMessage());
        } finally {
            impl.stateLock.unlock();
        }
    }

    /** The options that are on or off. */
    private static int flag(int option) throws SocketException {
        switch (option) {
            case SocketOptions.TCP_NODELAY:
                return NativeNet.NODELAY;
            case SocketOptions.SO_KEEPALIVE:
                return NativeNet.KEEPALIVE;
            case SocketOptions.SO_OOBINLINE:
                return NativeNet.OOBINLINE;
            case SocketOptions.SO_REUSEADDR:
                return NativeNet.REUSEADDR;
            case SocketOptions.SO_REUSEPORT:
                return NativeNet.REUSEPORT;
            default:
                throw new SocketException("Unknown option " + option);
        }
    }

    private static int natural(Object value, String name, int least) throws SocketException {
        if (!(value instanceof Integer)) {
            throw new SocketException("Bad value for " + name);
        }
        if ((Integer) value < least) {
            throw new SocketException(least == 0 ? name + " < 0" : name + " <= 0");
        }
        return (Integer) value;
    }

    private static boolean truth(Object value, int option) throws SocketException {
        if (!(value instanceof Boolean)) {
            throw new SocketException("Bad value for option " + option);
        }
        return (Boolean) value;
    }
}
