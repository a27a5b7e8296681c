// SPDX-License-Identifier: Apache-2.0
package rmi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.ConnectException;
import java.rmi.registry.LocateRegistry;

/** Waits until a registry answers: {@code Reach PORT PID}. Fails if the process that should have it ends. */
public final class Reach {
    private Reach() {
    }

    /** The processes that want a CPU, for each CPU: 1 on a quiet machine. */
    private static int crowd() throws IOException {
        String[] words = Files.readString(Path.of("/proc/loadavg")).split("[ /]");
        return 1 + Integer.parseInt(words[3]) / Runtime.getRuntime().availableProcessors();
    }

    public static void main(String[] arguments) throws Exception {
        ProcessHandle registry = ProcessHandle.of(Long.parseLong(arguments[1])).orElse(null);
        while (registry != null && registry.isAlive()) {
            try {
                LocateRegistry.getRegistry("127.0.0.1", Integer.parseInt(arguments[0])).list();
                Thread.sleep(200L * crowd()); // one that found the port taken is about to end
                System.exit(registry.isAlive() ? 0 : 1);
            } catch (ConnectException e) {
                Thread.sleep(50);
            }
        }
        System.exit(1);
    }
}
