// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystemException;
import java.util.Set;

/**
 * Linux's table of TCP sockets: whose the other end of a connection within this host is.
 *
 * <p>Both rows of the connection have to be there: the own one, so that the other is that of the peer and not of
 * somebody who got its port later, and that of the peer. Both must belong to a process: a socket that no process has
 * any more stands there as if it were root's. The connection must be established; the peer may have said that it sends
 * no more.
 */
final class TcpTable {
    private static final String[] TABLES = {"net/tcp", "net/tcp6"};
    /** Linux writes the table piece by piece; sockets that come and go meanwhile may hide a row. */
    private static final int LOOKS = 5;

    /** The columns of a row that are used here; the first one is the row's number. */
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int USER = 7;
    private static final int INODE = 9;
    /** Established, or the other end sends no more; established, or it has said so itself (in the FIN_WAIT states). */
    private static final Set<String> OWN_STATES = Set.of("01", "08");
    private static final Set<String> PEER_STATES = Set.of("01", "04", "05");

    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;

    /** How many users there are: the length of a map that has a number for each of them. */
    private static final String EVERY_USER = "4294967295";

    /** The files beneath {@code /proc}. */
    interface Proc {
        BufferedReader open(String name) throws IOException;
    }

    private final Proc proc;

    TcpTable(Proc proc) {
        this.proc = proc;
    }

    /**
     * The number of the user who made the socket at the other end.
     *
     * @param there the other end
     * @param here this end
     * @param inode of this end; 0: not known
     * @return the number, or {@link PeerUser#UNKNOWN}
     */
    long userOf(InetSocketAddress there, InetSocketAddress here, long inode) throws IOException {
        for (int i = 0; i < LOOKS; i++) {
            Look look = new Look(there, here, inode);
            for (String table : TABLES) {
                look.read(table);
            }
            if (look.isOwnThere && look.user != PeerUser.UNKNOWN) {
                return isStandIn(look.user) ? PeerUser.UNKNOWN : look.user;
            }
        }
        return PeerUser.UNKNOWN;
    }

    /** A look at both tables; the two ends of a connection may be of different families. */
    private final class Look {
        private final InetSocketAddress there;
        private final InetSocketAddress here;
        private final long inode;
        private boolean isOwnThere;
        private long user = PeerUser.UNKNOWN;

        Look(InetSocketAddress there, InetSocketAddress here, long inode) {
            this.there = there;
            this.here = here;
            this.inode = inode;
        }

        void read(String table) throws IOException {
            boolean isIpv6 = table.endsWith("6");
            String remote = end(there, isIpv6);
            String local = end(here, isIpv6);
            if (remote == null || local == null) {
                return;
            }
            try (BufferedReader rows = proc.open(table)) {
                for (String row = rows.readLine(); row != null; row = rows.readLine()) {
                    if (row.contains(remote) && row.contains(local)) {
                        take(row.trim().split("\\s+"), local, remote);
                    }
                }
            } catch (FileSystemException e) {
                return; // this host has no such table, or does not show it
            }
        }

        private void take(String[] columns, String local, String remote) {
            if (columns.length <= INODE || columns[INODE].equals("0")) {
                return;
            }
            if (columns[LOCAL].equals(local) && columns[REMOTE].equals(remote) && OWN_STATES.contains(columns[STATE])) {
                isOwnThere |= inode == 0 || columns[INODE].equals(Long.toUnsignedString(inode));
            } else if (columns[LOCAL].equals(remote) && columns[REMOTE].equals(local)
                    && PEER_STATES.contains(columns[STATE])) {
                user = Long.parseLong(columns[USER]);
            }
        }
    }

    /** An end of a connection as the table has it: words in the byte order of the machine; null: it has none such. */
    private static String end(InetSocketAddress of, boolean isIpv6) {
        InetAddress address = of.getAddress();
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
        return text.append(String.format(":%04X", of.getPort())).toString();
    }

    /** Does this number stand for every user who has none in this user namespace? Then it is nobody's in particular. */
    private boolean isStandIn(long user) throws IOException {
        return user == Long.parseLong(firstLine("sys/kernel/overflowuid", "65534").trim())
                && !firstLine("self/uid_map", EVERY_USER).trim().endsWith(" " + EVERY_USER);
    }

    private String firstLine(String name, String without) throws IOException {
        try (BufferedReader lines = proc.open(name)) {
            String line = lines.readLine();
            return line == null ? "" : line;
        } catch (FileSystemException e) {
            return without;
        }
    }
}
