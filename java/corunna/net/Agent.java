// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Makes all blocking sockets of a JVM fast before its program starts: {@code java -javaagent:corunna.jar ...}, also
 * from {@code JAVA_TOOL_OPTIONS}, or {@code corunna java ...}. Where that cannot be, a line on stderr says why, and the
 * program runs with the sockets of the JDK.
 */
public final class Agent {
    private Agent() {
    }

    /**
     * What the JVM calls before the program.
     *
     * @param options not used
     */
    public static void premain(String options) {
        install();
    }

    /**
     * What the JVM calls when the agent is loaded later. Sockets that exist stay what they are.
     *
     * @param options not used
     */
    public static void agentmain(String options) {
        install();
    }

    private static void install() {
        if (System.getProperty("socksProxyHost") != null) {
            refuse("socksProxyHost is set, and a proxy is not on this host");
            return;
        }
        try {
            if (FastNet.HANDLE == 0) {
                return; // the log has told
            }
            Socket.setSocketImplFactory(new FastSocketFactory(false));
            ServerSocket.setSocketFactory(new FastSocketFactory(true));
        } catch (IOException e) {
            refuse("the program has sockets of its own: " + e.getMessage());
        } catch (LinkageError e) {
            refuse(String.valueOf(e.getCause() != null ? e.getCause().getMessage() : e.getMessage()));
        }
    }

    private static void refuse(String why) {
        System.err.println("corunna: fast sockets are off: " + why);
    }
}
