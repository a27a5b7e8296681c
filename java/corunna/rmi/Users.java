// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import corunna.engine.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Who may connect to a port of {@link FastRmi#export}: within this host the processes of the user who has the port, and of
 * root, who may do anything, unless the setting {@code corunna.rmi.users} says {@code any}. Linux tells in its table of TCP
 * sockets whose the other end is; of one that is not there nothing is known, and it is refused. What comes from another host
 * nobody can tell: it is served as RMI serves it.
 */
final class Users {
    private static final long ROOT = 0;
    /** {@link #of} does not know. */
    static final long UNKNOWN = -1;

    private static final String[] TABLES = {"/proc/net/tcp", "/proc/net/tcp6"};
    /** The columns of a row that are used here; the first one is the row's number. */
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int USER = 7;
    private static final int INODE = 9;

    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;

    private static final AtomicBoolean IS_TOLD = new AtomicBoolean();

    private Users() {
    }

    /** May the other end of an accepted connection be served? */
    static boolean mayConnect(Socket accepted) throws IOException {
        if (Settings.isRmiForAny() || !Peer.isHere(accepted.getInetAddress())) {
            return true;
        }
        long user = of(accepted);
        if (user == ROOT || user != UNKNOWN && user == self()) {
            return true;
        }
        if (!IS_TOLD.getAndSet(true)) {
            System.err.println("corunna: refused a remote call to port " + accepted.getLocalPort() + " from "
                    + (user == UNKNOWN ? "a process whose user is not known" : "a process of user " + user)
                    + "; corunna.rmi.users=any admits every user of this host");
        }
        return false;
    }

    /** The number of the user of this process: the effective one. */
    static long self() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"), StandardCharsets.ISO_8859_1)) {
            if (line.startsWith("Uid:")) {
                return Long.parseLong(line.split("\\s+")[2]);
            }
        }
        throw new IOException("/proc/self/status does not tell the user of this process");
    }

    /** The number of the user who made the socket at the other end, on this host, of a connection; or {@link #UNKNOWN}. */
    static long of(Socket accepted) throws IOException {
        for (String table : TABLES) {
            boolean isIpv6 = table.endsWith("6");
            String there = end(accepted.getInetAddress(), accepted.getPort(), isIpv6);
            String here = end(accepted.getLocalAddress(), accepted.getLocalPort(), isIpv6);
            long user = there == null || here == null ? UNKNOWN : find(Path.of(table), there, here);
            if (user != UNKNOWN) {
                return user;
            }
        }
        return UNKNOWN;
    }

    private static long find(Path table, String local, String remote) throws IOException {
        if (!Files.isReadable(table)) {
            return UNKNOWN;
        }
        try (BufferedReader rows = Files.newBufferedReader(table, StandardCharsets.ISO_8859_1)) {
            for (String row = rows.readLine(); row != null; row = rows.readLine()) {
                if (!row.contains(local)) {
                    continue;
                }
                String[] columns = row.trim().split("\\s+");
                // A socket that no process has any more, without inode, is nobody's, though the table says root's.
                if (columns.length > INODE && columns[LOCAL].equals(local) && columns[REMOTE].equals(remote)
                        && !columns[INODE].equals("0")) {
                    return Long.parseLong(columns[USER]);
                }
            }
        }
        return UNKNOWN;
    }

    /** An end of a connection as the table has it: words in the byte order of the machine; null: it has none such. */
    private static String end(InetAddress address, int port, boolean isIpv6) {
        byte[] bytes = address.getAddress();
        if (address instanceof Inet6Address && !isIpv6) {
            return null;
        }
        if (bytes.length == IPV4_BYTES && isIpv6) {
            bytes = ByteBuffer.allocate(IPV6_BYTES).putLong(0).putInt(0xFFFF).put(bytes).array();
        }
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        StringBuilder text = new StringBuilder();
        while (words.hasRemaining()) {
            text.append(String.format("%08X", words.getInt()));
        }
        return text.append(String.format(":%04X", port)).toString();
    }
}
