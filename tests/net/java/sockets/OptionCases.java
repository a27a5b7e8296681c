// SPDX-License-Identifier: Apache-2.0
package sockets;

import static sockets.Suite.see;
import static sockets.Suite.seeTry;

import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Options: what they are, what they become, which there are. */
final class OptionCases {
    private OptionCases() {
    }

    static void addTo(Map<String, Suite.Case> cases) {
        cases.put("defaults", OptionCases::defaults);
        cases.put("settings", OptionCases::settings);
        cases.put("serverSettings", OptionCases::serverSettings);
        cases.put("named", OptionCases::named);
        cases.put("mistakes", OptionCases::mistakes);
    }

    private static void seeAll(String whose, Socket socket) {
        seeTry(whose, () -> "time-out " + socket.getSoTimeout() + ", no delay " + socket.getTcpNoDelay() + ", linger "
                + socket.getSoLinger() + ", keep-alive " + socket.getKeepAlive() + ", reuse " + socket.getReuseAddress()
                + ", inline " + socket.getOOBInline() + ", class " + socket.getTrafficClass() + ", buffers "
                + socket.getSendBufferSize() + " " + socket.getReceiveBufferSize());
    }

    private static void defaults(Ends ends) throws Exception {
        try (Socket fresh = ends.client()) {
            seeAll("new", fresh);
        }
        try (Ends.Pair pair = ends.pair().used()) {
            // Buffers of a connection are what the kernel has made of them meanwhile.
            see("client", pair.client.getTcpNoDelay() + " " + pair.client.getKeepAlive() + " "
                    + pair.client.getSoLinger());
            see("accepted", pair.accepted.getTcpNoDelay() + " " + pair.accepted.getReuseAddress() + " "
                    + pair.accepted.getSoTimeout() + " " + pair.accepted.getTrafficClass());
            see("server", pair.server.getReuseAddress() + " " + pair.server.getSoTimeout() + " "
                    + pair.server.getReceiveBufferSize());
        }
    }

    private static void set(Socket socket) throws Exception {
        socket.setSoTimeout(1234);
        socket.setTcpNoDelay(true);
        socket.setSoLinger(true, 7);
        socket.setKeepAlive(true);
        socket.setReuseAddress(true);
        socket.setOOBInline(true);
        socket.setTrafficClass(0x17);
        socket.setSendBufferSize(50_000);
        socket.setReceiveBufferSize(60_000);
        socket.setPerformancePreferences(1, 2, 0);
    }

    private static void settings(Ends ends) throws Exception {
        try (Socket fresh = ends.client()) {
            set(fresh);
            seeAll("set", fresh);
            fresh.setSoLinger(false, 0);
            fresh.setTcpNoDelay(false);
            fresh.setReceiveBufferSize(1);
            seeAll("set again", fresh);
        }
        try (Ends.Pair pair = ends.pair().used()) {
            set(pair.client);
            set(pair.accepted);
            seeAll("client", pair.client);
            seeAll("accepted", pair.accepted);
            pair.client.setTcpNoDelay(false);
            see("back", pair.client.getTcpNoDelay());
            pair.used();
        }
    }

    private static void serverSettings(Ends ends) throws Exception {
        ServerSocket server = ends.server();
        server.setReceiveBufferSize(40_000);
        server.setReuseAddress(false);
        server.setSoTimeout(77);
        server.setPerformancePreferences(0, 1, 2);
        see("server", server.getReceiveBufferSize() + " " + server.getReuseAddress() + " " + server.getSoTimeout() + " "
                + server.getChannel());
        server.close();
        seeTry("closed", server::getSoTimeout);
        seeTry("closed", server::getReuseAddress);
    }

    private static Map<String, SocketOption<?>> byName(Set<SocketOption<?>> options) {
        Map<String, SocketOption<?>> sorted = new TreeMap<>();
        options.forEach(option -> sorted.put(option.name(), option));
        return sorted;
    }

    private static void named(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair().used()) {
            Map<String, SocketOption<?>> ofClient = byName(pair.client.supportedOptions());
            see("client", ofClient.keySet());
            see("server", byName(pair.server.supportedOptions()).keySet());
            for (SocketOption<?> option : ofClient.values()) {
                boolean isOfConnection = option.name().endsWith("BUF") || option.name().equals("SO_INCOMING_NAPI_ID")
                        || option.name().equals("TCP_QUICKACK");
                if (!isOfConnection) {
                    seeTry(option.name(), () -> pair.client.getOption(option));
                }
            }
            for (SocketOption<?> option : byName(pair.server.supportedOptions()).values()) {
                boolean isOfKernel = option.name().equals("SO_INCOMING_NAPI_ID")
                        || option.name().equals("TCP_QUICKACK");
                if (!isOfKernel) {
                    seeTry("server " + option.name(), () -> pair.server.getOption(option));
                }
            }
            see("keep-alive", pair.client.setOption(StandardSocketOptions.SO_KEEPALIVE, true)
                    .getOption(StandardSocketOptions.SO_KEEPALIVE) + " " + pair.client.getKeepAlive());
            see("linger", pair.client.setOption(StandardSocketOptions.SO_LINGER, 3)
                    .getOption(StandardSocketOptions.SO_LINGER) + " " + pair.client.getSoLinger());
            pair.client.setOption(StandardSocketOptions.SO_LINGER, -1);
            see("class", pair.client.setOption(StandardSocketOptions.IP_TOS, 8)
                    .getOption(StandardSocketOptions.IP_TOS) + " " + pair.client.getTrafficClass());
            see("port", pair.server.getOption(StandardSocketOptions.SO_REUSEPORT));
            seeTry("multicast", () -> pair.client.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
        }
    }

    private static void mistakes(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair()) {
            Socket socket = pair.client;
            Suite.Attempt[] attempts = {
                () -> {
                    socket.setSoTimeout(-1);
                    return "done";
                }, () -> {
                    socket.setSendBufferSize(0);
                    return "done";
                }, () -> {
                    socket.setReceiveBufferSize(-5);
                    return "done";
                }, () -> {
                    socket.setTrafficClass(256);
                    return "done";
                }, () -> {
                    socket.setSoLinger(true, -1);
                    return "done";
                }, () -> {
                    pair.server.setSoTimeout(-1);
                    return "done";
                }, () -> {
                    pair.server.setReceiveBufferSize(0);
                    return "done";
                }, () -> socket.setOption(StandardSocketOptions.SO_SNDBUF, -1),
                () -> socket.setOption(StandardSocketOptions.IP_TOS, 300),
                () -> socket.setOption(StandardSocketOptions.SO_LINGER, null),
                () -> pair.server.setOption(StandardSocketOptions.TCP_NODELAY, true),
                () -> socket.getOption(null),
            };
            for (int i = 0; i < attempts.length; i++) {
                seeTry("mistake " + i, attempts[i]);
            }
            socket.setSoLinger(true, 100_000);
            see("linger", socket.getSoLinger());
            socket.setSoLinger(false, 0);
        }
    }
}
