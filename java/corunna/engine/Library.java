package corunna.engine;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Finds and loads the native library: the file that {@code -Dcorunna.library} or {@code CORUNNA_LIBRARY} names, or the
 * one inside the jar, which is copied to a directory only this user can enter and deleted as soon as it is loaded.
 */
final class Library {
    private static final String FILE = "libcorunna.so";

    private Library() {
    }

    static void load() {
        String named = Settings.library();
        if (named != null) {
            loadFile(Path.of(named).toAbsolutePath(), named);
        } else {
            loadResource("/natives/" + system() + "-" + architecture() + "/" + FILE);
        }
    }

    private static void loadFile(Path file, String told) {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError e) {
            throw failure(told, e);
        }
    }

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
