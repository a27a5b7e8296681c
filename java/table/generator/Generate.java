// SPDX-License-Identifier: Apache-2.0
package table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the sources that are made from tables: {@code Generate KINDS OUT TABLE...}; README.md says what these are. */
final class Generate {
    private final Kinds kinds;
    private final Path out;
    private final Set<Path> made = new HashSet<>();

    private Generate(Kinds kinds, Path out) {
        this.kinds = kinds;
        this.out = out;
    }

    /** Makes them, or says what is wrong and where. */
    public static void main(String[] arguments) throws IOException {
        try {
            Generate all = new Generate(Kinds.read(Path.of(arguments[0])), Path.of(arguments[1]));
            for (int i = 2; i < arguments.length; i++) {
                all.table(Path.of(arguments[i]));
            }
            all.removeOthers();
        } catch (IllegalArgumentException e) {
            System.err.println("java/table: " + e.getMessage());
            System.exit(1);
        }
    }

    private void table(Path file) throws IOException {
        try {
            write(file);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file.getFileName() + ": " + e.getMessage(), e);
        }
    }

    private void write(Path file) throws IOException {
        Table table = Table.read(file, kinds);
        if (file.toString().endsWith(".api")) {
            write(ApiWriter.write(table, kinds), "mpi/" + table.name + ".java");
        } else {
            write(NativeWriter.java(table), "corunna/engine/" + table.name + ".java");
            write(NativeWriter.header(table), "headers/jni_" + table.name.toLowerCase() + "_list.h");
        }
    }

    private void write(Source source, String name) throws IOException {
        Path file = out.resolve(name);
        source.write(file);
        made.add(file);
    }

    /** What was made from a table that is gone would otherwise be found in the folder. */
    private void removeOthers() throws IOException {
        List<Path> old;
        try (Stream<Path> files = Files.walk(out)) {
            old = files.filter(file -> Files.isRegularFile(file) && !made.contains(file)).collect(Collectors.toList());
        }
        for (Path file : old) {
            Files.delete(file);
        }
    }
}
