// SPDX-License-Identifier: Apache-2.0
package table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The kinds of parameters, from {@code kinds.txt}: a Java type and a description each, and names for several kinds. */
final class Kinds {
    /** As the type of a kind: an array or buffer; an offset, which one dialect has. */
    static final String BUFFER = "BUFFER";
    static final String OFFSET = "OFFSET";

    private final Map<String, Parameter> kinds = new HashMap<>();
    private final Map<String, List<String>> groups = new HashMap<>();

    static Kinds read(Path file) throws IOException {
        Kinds read = new Kinds();
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                read.add(line.trim());
            }
        }
        return read;
    }

    private void add(String line) {
        String[] words = line.split(" +", 3);
        if (words.length < 3) {
            throw new IllegalArgumentException("kinds.txt: '" + line + "' needs a name, a type and a description");
        }
        if (words[1].equals("=")) {
            groups.put(words[0], List.of(words[2].split(" +")));
        } else {
            kinds.put(words[0], new Parameter(words[1], words[0], words[2]));
        }
    }

    boolean isGroup(String name) {
        return groups.containsKey(name);
    }

    /** The parameters of this name: one, or those of a group. */
    List<Parameter> named(String name) {
        List<Parameter> named = new ArrayList<>();
        for (String each : groups.getOrDefault(name, List.of(name))) {
            Parameter kind = kinds.get(each);
            if (kind == null) {
                throw new IllegalArgumentException("'" + each + "' is no kind of kinds.txt");
            }
            named.add(kind);
        }
        return named;
    }

    /** What a parameter is whose row does not say so itself, or null. */
    String text(String name) {
        Parameter kind = kinds.get(name);
        return kind == null ? null : kind.text;
    }
}
