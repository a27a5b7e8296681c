// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.Locale;

/**
 * Finds and loads the native library: the file that {@code -Dcorunna.library} or {@code CORUNNA_LIBRARY} names; or the
 * one that was built with this jar, beside it or where both were installed, of which the processes of a machine share
 * one copy in memory; or the one inside the jar, which is copied to a directory only this user can enter and deleted as
 * soon as it is loaded.
 */
final class Library {
    private static final String FILE = "libcorunna.so";

    /**
     * The build's number is in the first page, and the ELF header before it says where the file ends: that part changes
     * when symbols are stripped.
     */
    private static final int HEAD_BYTES = 4096;
    private static final int ELF_HEADER_BYTES = 64;
    private static final int SECTIONS_AT = 40;
    private static final int SECTION_BYTES_AT = 58;
    private static final int SECTION_COUNT_AT = 60;

    private Library() {
    }

    static void load() {
        String named = Settings.library();
        if (named != null) {
            loadFile(Path.of(named).toAbsolutePath(), named);
            return;
        }
        String resource = "/natives/" + system() + "-" + architecture() + "/" + FILE;
        if (!loadNeighbour(resource)) {
            loadResource(resource);
        }
    }

    private static void loadFile(Path file, String told) {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError e) {
            throw failure(told, e);
        }
    }

    // ---- beside the jar ----

    /** No trouble here matters: the jar has the library, too. */
    private static boolean loadNeighbour(String resource) {
        try {
            CodeSource source = Library.class.getProtectionDomain().getCodeSource();
            Path jar = source == null ? null : Path.of(source.getLocation().toURI()).toAbsolutePath();
            if (jar == null || !Files.isRegularFile(jar)) {
                return false;
            }
            byte[] own = head(Library.class.getResourceAsStream(resource));
            for (String place : new String[] {"", "../../lib", "../../lib/" + architecture() + "-linux-gnu",
                    "../../lib64"}) {
                Path file = jar.resolveSibling(place).resolve(FILE).normalize();
                if (Files.isRegularFile(file) && isSameBuild(own, head(Files.newInputStream(file)), Files.size(file))) {
                    System.load(file.toString());
                    return true;
                }
            }
        } catch (IOException | URISyntaxException | RuntimeException | UnsatisfiedLinkError e) {
            return false; // unreadable, no place for programs, or loaded already by another class loader
        }
        return false;
    }

    private static byte[] head(InputStream library) throws IOException {
        if (library == null) {
            throw new FileNotFoundException("the jar holds no library for this machine");
        }
        try (library) {
            return library.readNBytes(HEAD_BYTES);
        }
    }

    /** The same library, and not one that was cut off, which would end the process when it is loaded. */
    private static boolean isSameBuild(byte[] own, byte[] other, long otherBytes) {
        if (other.length < HEAD_BYTES
                || !Arrays.equals(own, ELF_HEADER_BYTES, own.length, other, ELF_HEADER_BYTES, other.length)) {
            return false;
        }
        ByteBuffer header = ByteBuffer.wrap(other).order(ByteOrder.nativeOrder());
        return header.getLong(SECTIONS_AT)
                + (long) header.getShort(SECTION_BYTES_AT) * header.getShort(SECTION_COUNT_AT) <= otherBytes;
    }

    // ---- out of the jar ----

    private static void loadResource(String resource) {
        try {
            Path directory = Files.createTempDirectory("corunna-"); // mode 0700
            Path file = directory.resolve(FILE);
            try {
                // For a JVM that is ended in between; what is named last goes first.
                directory.toFile().deleteOnExit();
                file.toFile().deleteOnExit();
                copy(resource, file);
                loadFile(file, "corunna.jar!" + resource);
            } finally {
                // The mapping stays; the name is not needed any more, so nothing is left behind however the JVM ends.
                Files.deleteIfExists(file);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw failure("corunna.jar!" + resource, e);
        }
    }

    private static void copy(String resource, Path file) throws IOException {
        try (InputStream in = Library.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new FileNotFoundException("the jar holds no library for this machine");
            }
            Files.copy(in, file);
        }
    }

    private static UnsatisfiedLinkError failure(String file, Throwable cause) {
        return new UnsatisfiedLinkError("Corunna's native library " + file
                + " cannot be loaded on " + system() + "-" + architecture() + ": " + cause.getMessage());
    }

    private static String system() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).replace(' ', '-');
    }

    /** The machine as the jar names it, which is as {@code uname -m} does. */
    private static String architecture() {
        String name = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return name.equals("amd64") ? "x86_64" : name;
    }
}
