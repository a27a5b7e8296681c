// SPDX-License-Identifier: Apache-2.0
package table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A source file that grows line by line. Long lines are broken at spaces. */
final class Source {
    private static final int WIDTH = 120;

    private final StringBuilder text = new StringBuilder();

    void line(String line) {
        text.append(line.stripTrailing()).append('\n');
    }

    /** A line that goes on, where it is too long, behind {@code next}. */
    void line(String line, String next) {
        String rest = line;
        while (rest.length() > WIDTH) {
            int space = rest.lastIndexOf(' ', WIDTH);
            if (space <= next.length()) {
                break;
            }
            line(rest.substring(0, space));
            rest = next + rest.substring(space + 1);
        }
        line(rest);
    }

    /** What stands between rows: a heading, or lines as they are. */
    void between(Object entry) {
        line("");
        if (entry instanceof List) {
            ((List<?>) entry).forEach(each -> line((String) each));
        } else {
            line("    // ---- " + entry + " ----");
        }
    }

    /** A file that is so already is left alone, so that what depends on it is not made anew. */
    void write(Path file) throws IOException {
        if (!Files.exists(file) || !Files.readString(file).contentEquals(text)) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        }
    }
}
