// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What {@link MPI#INFO_ENV} tells of how this rank was started: the keys of the MPI standard that can be found out. */
final class JobFacts {
    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

    private JobFacts() {
    }

    /** As known now: the number of ranks is only between Init and Finalize. */
    static Map<String, String> all() {
        Map<String, String> facts = new LinkedHashMap<>();
        ProcessHandle.Info process = ProcessHandle.current().info();
        process.command().ifPresent(command -> facts.put("command", command));
        process.arguments().ifPresent(arguments -> facts.put("argv", String.join(" ", arguments)));
        if (MPI.Initialized() && !MPI.Finalized()) {
            facts.put("maxprocs", Integer.toString(MPI.COMM_WORLD.Size()));
        }
        try {
            facts.put("host", Files.readString(HOST).trim());
        } catch (IOException e) {
            // then there is no such key
        }
        facts.put("arch", System.getProperty("os.arch").replace("amd64", "x86_64")); // as uname says
        facts.put("wdir", System.getProperty("user.dir"));
        facts.put("thread_level", "MPI_THREAD_MULTIPLE");
        facts.values().removeIf(value -> value.length() > MPI.MAX_INFO_VAL);
        return facts;
    }
}
