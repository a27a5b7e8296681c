// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import mpi.MPI;

/** Says which file the native library is that this process has loaded, twice by two class loaders. */
public final class Mapped {
    private Mapped() {
    }

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        tell("loaded");
        URL jar = MPI.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader other = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            Class.forName("corunna.engine.Native", true, other);
            tell("loaded again");
        }
        MPI.Finalize();
    }

    private static void tell(String what) throws Exception {
        Files.lines(Path.of("/proc/self/maps")).filter(line -> line.contains("/libcorunna.so"))
                .map(line -> what + ": " + line.substring(line.indexOf('/'))).distinct().forEach(System.out::println);
    }
}
