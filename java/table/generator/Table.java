// SPDX-License-Identifier: Apache-2.0
package table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A table: the class's name, and what is in the class: rows, with headings and Java as it is between them. */
final class Table {
    final String name;
    /** Rows, headings as strings, and lines of Java as lists. */
    final List<Object> entries = new ArrayList<>();

    private Table(String name) {
        this.name = name;
    }

    static Table read(Path file, Kinds kinds) throws IOException {
        String fileName = file.getFileName().toString();
        Table table = new Table(fileName.substring(0, fileName.indexOf('.')));
        List<String> lines = Primitives.expand(Files.readAllLines(file));
        String modifiers = "";
        int at = 0;
        while (at < lines.size()) {
            String line = lines.get(at++);
            if (line.equals("java")) {
                int end = Primitives.end("java", lines, at);
                table.entries.add(lines.subList(at, end));
                at = end + 1;
            } else if (line.startsWith("== ")) {
                table.entries.add(line.substring(3).replace(" ==", ""));
            } else if (line.startsWith("default ")) {
                modifiers = line.substring("default ".length());
            } else if (!line.isBlank() && !line.startsWith("#")) {
                int first = at;
                while (at < lines.size() && lines.get(at).startsWith("    ")) {
                    at++;
                }
                table.addRow(line, lines.subList(first, at), modifiers, kinds);
            }
        }
        return table;
    }

    private void addRow(String first, List<String> below, String modifiers, Kinds kinds) {
        String signature = first;
        List<String> rest = new ArrayList<>();
        for (String line : below) {
            if (rest.isEmpty() && depth(signature) > 0) {
                signature += " " + line.trim();
            } else {
                rest.add(line.trim());
            }
        }
        try {
            entries.add(new Row(signature, rest, modifiers, kinds));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + first + "': " + e.getMessage(), e);
        }
    }

    /** How many parentheses of a text are still open. */
    static int depth(String text) {
        return (int) (text.chars().filter(c -> c == '(').count() - text.chars().filter(c -> c == ')').count());
    }
}
