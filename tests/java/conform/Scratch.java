// SPDX-License-Identifier: Apache-2.0
package conform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** A folder for the files of a case, in that of {@code file_folder.sh}, or where the test runs. */
final class Scratch {
    private final Intracomm comm;
    private final Path folder;

    /** Collective. */
    Scratch(Intracomm comm) throws IOException, MPIException {
        this.comm = comm;
        Path above = Path.of(System.getenv().getOrDefault("FILE_TEST_FOLDER", "."));
        Object[] name = {comm.Rank() == 0 ? Files.createTempDirectory(above, "files").toString() : null};
        comm.Bcast(name, 0, 1, MPI.OBJECT, 0);
        folder = Path.of((String) name[0]);
    }

    String path(String name) {
        return folder.resolve(name).toString();
    }

    /** All of a file. */
    byte[] bytes(String name) throws IOException {
        return Files.readAllBytes(folder.resolve(name));
    }

    boolean has(String name) {
        return Files.exists(folder.resolve(name));
    }

    /** When all ranks are here, with the files that are in it. Collective. */
    void remove() throws IOException, MPIException {
        comm.Barrier();
        if (comm.Rank() == 0) {
            List<Path> files;
            try (Stream<Path> all = Files.list(folder)) {
                files = all.collect(Collectors.toList());
            }
            for (Path each : files) {
                Files.delete(each);
            }
            Files.delete(folder);
        }
    }
}
