// SPDX-License-Identifier: Apache-2.0
package api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mpi.MPI;
import org.junit.jupiter.api.Test;

/**
 * What compilers see in the jars for them: {@code mpi.jar} has the public members of Open MPI with types that its
 * programs can use, {@code mpj.jar} those of FastMPJ. {@link ListingTest} looks for members as the virtual machine
 * does, which finds those that others hide.
 */
class CompilerJarTest {
    private static final Path FOLDER = Path.of(System.getProperty("test.listings"));

    /** The jar beside the one that the tests run with. */
    private static URLClassLoader jar(String name) throws IOException, URISyntaxException {
        Path ours = Path.of(MPI.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        URL url = ours.resolveSibling(name).toUri().toURL();
        return new URLClassLoader(new URL[] {url}, ClassLoader.getPlatformClassLoader());
    }

    /** The members of a listing that are of another type than its programs expect, or that a compiler does not see. */
    private static List<String> findings(String listing, URLClassLoader loader) throws IOException {
        List<String> findings = new ArrayList<>();
        String type = null;
        for (String line : Files.readAllLines(FOLDER.resolve(listing))) {
            String[] words = line.split("#", 2)[0].trim().replace(" static ", " ").split(" +");
            if (words[0].equals("class")) {
                type = words[1];
            } else if (words[0].equals("field") || words[0].equals("method")) {
                String wrong = wrong(type, words, loader);
                if (wrong != null) {
                    findings.add(type + "." + words[1] + " " + wrong);
                }
            }
        }
        return findings;
    }

    private static String wrong(String type, String[] words, ClassLoader loader) {
        boolean isField = words[0].equals("field");
        MethodType wanted = MethodType.fromMethodDescriptorString((isField ? "()" : "") + words[2], loader);
        try {
            Class<?> owner = Class.forName(type, false, loader);
            Class<?> seen = isField ? owner.getField(words[1]).getType()
                    : owner.getMethod(words[1], wanted.parameterArray()).getReturnType();
            return wanted.returnType().isAssignableFrom(seen) ? null
                    : "is of " + seen + ", not of " + wanted.returnType();
        } catch (ReflectiveOperationException e) {
            return "is missing: " + e;
        }
    }

    @Test
    void mpiJarIsAsOpenMpi() throws IOException, URISyntaxException {
        try (URLClassLoader loader = jar("mpi.jar")) {
            assertEquals(List.of(), findings("openmpi.txt", loader));
        }
    }

    @Test
    void mpjJarHasTheKeysOfFastMpj() throws IOException, ReflectiveOperationException, URISyntaxException {
        try (URLClassLoader loader = jar("mpj.jar")) {
            Class<?> keyval = Class.forName("mpi.Keyval", false, loader);
            Class<?> mpi = Class.forName("mpi.MPI", false, loader);
            assertEquals(keyval, mpi.getField("UNIVERSE_SIZE").getType());
            assertEquals(keyval, mpi.getField("WTIME_IS_GLOBAL").getType());
        }
    }

    /** The jar that programs run with shows compilers the keys of FastMPJ, and members of other libraries. */
    @Test
    void findsWhatIsOtherwise() throws IOException, URISyntaxException {
        try (URLClassLoader loader = jar("corunna.jar")) {
            List<String> findings = findings("openmpi.txt", loader);
            assertTrue(findings.contains("mpi.MPI.UNIVERSE_SIZE is of class mpi.Keyval, not of int"),
                    findings::toString);
        }
    }
}
