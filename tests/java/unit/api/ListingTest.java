// SPDX-License-Identifier: Apache-2.0
package api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every member that the listings of other libraries name is there; they are in the folder {@code test.listings}. */
class ListingTest {
    private static final Path FOLDER = Path.of(System.getProperty("test.listings"));

    @TestFactory
    List<DynamicNode> everyMemberIsThere() throws IOException {
        List<DynamicNode> libraries = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(FOLDER, "*.txt")) {
            for (Path file : files) {
                libraries.add(dynamicContainer(file.getFileName().toString(), tests(file)));
            }
        }
        assertFalse(libraries.isEmpty(), "there are listings");
        return libraries;
    }

    private static List<DynamicTest> tests(Path file) throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Listing each : Listing.read(Files.readAllLines(file))) {
            tests.add(dynamicTest(each.name() + ", members: " + each.memberCount(),
                    () -> assertEquals(List.of(), each.findings())));
        }
        assertFalse(tests.isEmpty(), () -> file + " has classes");
        return tests;
    }

    @Test
    void findsWhatIsNotThere() {
        List<String> found = new ArrayList<>();
        for (Listing each : Listing.read(List.of("class mpi.Comm mpi.Group # whose superclass is another",
                "  method Rank ()I", "  method Rank ()J", "  method static Size ()I", "  method Nothing ()V",
                "  field handle I", "  new (I)V", "class mpi.MPI", "  field static ANY_SOURCE I = -1",
                "  field static ROOT I = -4", "  word ROOT I", "class mpi.Nobody", "class mpi.Cargo"))) {
            found.addAll(each.findings());
        }
        assertEquals(List.of("mpi.Comm does not extend mpi.Group",
                "method Rank ()J has another descriptor",
                "method static Size ()I is not static",
                "method Nothing ()V is missing",
                "field handle I is missing",
                "new (I)V is missing",
                "field static ANY_SOURCE I = -1 is -2",
                "word ROOT I is no line of a listing",
                "there is no class mpi.Nobody",
                "mpi.Cargo is not public"), found);
    }
}
