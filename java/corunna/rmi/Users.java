// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import corunna.engine.Settings;
import corunna.net.PeerUser;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Who may connect to a port of {@link FastRmi#export}: within this host the processes of the user who has the port, and
 * of root, who may do anything, unless the setting {@code corunna.rmi.users} says {@code any}. {@link PeerUser}
 * tells whose the other end is; one of which it does not know is refused. What comes from another host nobody can tell:
 * it is served as RMI serves it.
 */
final class Users {
    private static final long ROOT = 0;
    private static final AtomicBoolean IS_TOLD = new AtomicBoolean();

    private Users() {
    }

    /** May the other end of an accepted connection be served? */
    static boolean mayConnect(Socket accepted) throws IOException {
        if (Settings.isRmiForAny() || !Peer.isHere(accepted.getInetAddress())) {
            return true;
        }
        long user = PeerUser.of(accepted);
        if (user == ROOT || user != PeerUser.UNKNOWN && user == self()) {
            return true;
        }
        if (!IS_TOLD.getAndSet(true)) {
            System.err.println("corunna: refused a remote call to port " + accepted.getLocalPort() + " from "
                    + (user == PeerUser.UNKNOWN ? "a process whose user is not known" : "a process of user " + user)
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
}
