// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/**
 * Init and Finalize, again and again, with objects that are received at the same time in between, the first two of
 * which nobody waits for in time: what the process needs outside of the heap does not grow. Arguments: cycles, objects,
 * bytes of each, bytes that a cycle may leave.
 */
public final class Cycles {
    private static final String RESIDENT = "VmRSS:";

    private Cycles() {
    }

    public static void main(String[] args) throws IOException {
        String[] own = MPI.Init(args);
        int cycles = Integer.parseInt(own[0]);
        int objects = Integer.parseInt(own[1]);
        int bytes = Integer.parseInt(own[2]);
        long allowed = Long.parseLong(own[3]);
        cycle(objects, bytes);
        for (int i = 0; i < cycles; i++) { // what is loaded and compiled once
            MPI.Init(new String[0]);
            cycle(objects, bytes);
        }
        long before = resident();
        for (int i = 0; i < cycles; i++) {
            MPI.Init(new String[0]);
            cycle(objects, bytes);
        }
        long left = (resident() - before) / cycles;
        System.out.println("a cycle leaves "
                + (left <= allowed ? "nothing" : left + " bytes, but may leave " + allowed));
    }

    private static void cycle(int objects, int bytes) {
        Request[] requests = new Request[2 * objects];
        for (int i = 0; i < objects; i++) {
            requests[i] = MPI.COMM_SELF.Irecv(new Object[1], 0, 1, MPI.OBJECT, 0, i);
            requests[objects + i] = MPI.COMM_SELF.Isend(new Object[] {new byte[bytes]}, 0, 1, MPI.OBJECT, 0, i);
        }
        Request[] forgotten = new Request[Math.min(2, objects)];
        for (int i = 0; i < forgotten.length; i++) {
            forgotten[i] = requests[i];
            requests[i] = MPI.REQUEST_NULL;
        }
        Request.Waitall(requests);
        MPI.Finalize();
        if (objects > 0) {
            late(() -> forgotten[0].Wait());
            late(() -> Request.Waitall(new Request[] {MPI.REQUEST_NULL, forgotten[1]}));
        }
    }

    private static void late(Runnable call) {
        try {
            call.run();
        } catch (MPIException e) {
            if (e.getMessage().contains("MPI has been finalised")) {
                return;
            }
            throw e;
        }
        throw new AssertionError("waited after Finalize");
    }

    static long resident() throws IOException {
        String line = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(each -> each.startsWith(RESIDENT)).findFirst().orElseThrow();
        return Long.parseLong(Arrays.asList(line.split("\\s+")).get(1)) << 10;
    }
}
