// SPDX-License-Identifier: Apache-2.0
package api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mpi.Comm;
import mpi.MPI;
import org.junit.jupiter.api.Test;

/**
 * What programs see of the packages that they were compiled against is what {@code surface.txt} says, no more and no
 * less. The classes are written in part by hand and in part made from {@code java/table}; a row that changes a name, a
 * type or a modifier is noticed here. If a change is meant, {@code -Dtest.surface.out=FILE} writes the new list.
 */
class SurfaceTest {
    private static final Path LIST = Path.of(System.getProperty("test.listings"), "surface", "surface.txt");

    private static List<String> surface() throws IOException, URISyntaxException, ReflectiveOperationException {
        List<String> lines = new ArrayList<>();
        URI jar = MPI.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        try (FileSystem files = FileSystems.newFileSystem(URI.create("jar:" + jar), Map.of())) {
            for (String folder : new String[] {"mpi", "mpjbuf", "mpjdev"}) {
                for (Class<?> type : publicClasses(files.getPath(folder))) {
                    lines.addAll(Surface.of(type));
                }
            }
        }
        return lines;
    }

    private static List<Class<?>> publicClasses(Path folder) throws IOException, ClassNotFoundException {
        List<String> names;
        try (Stream<Path> entries = Files.list(folder)) {
            names = entries.map(Path::toString).filter(name -> name.endsWith(".class")).sorted()
                    .collect(Collectors.toList());
        }
        List<Class<?>> types = new ArrayList<>();
        for (String name : names) {
            String type = name.substring(0, name.length() - ".class".length()).replace('/', '.');
            Class<?> found = type.endsWith("-info") ? null : Class.forName(type, false, MPI.class.getClassLoader());
            if (found != null && Surface.isReachable(found.getModifiers())) {
                types.add(found);
            }
        }
        return types;
    }

    @Test
    void programsSeeWhatIsListed() throws IOException, URISyntaxException, ReflectiveOperationException {
        List<String> seen = surface();
        String out = System.getProperty("test.surface.out");
        if (out != null) {
            Files.write(Path.of(out), seen);
        }
        assertEquals(String.join("\n", Files.readAllLines(LIST)), String.join("\n", seen));
    }

    /** What programs call is not in a superclass that they cannot name, where javac would put a bridge before it. */
    @Test
    void callsOfCommGoStraight() {
        Set<String> bridges = Arrays.stream(Comm.class.getDeclaredMethods()).filter(Method::isBridge)
                .map(Method::getName).collect(Collectors.toSet());
        assertEquals(Set.of("Attr_get", "clone"), bridges); // with other types than the methods have
    }
}
