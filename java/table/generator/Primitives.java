// SPDX-License-Identifier: Apache-2.0
package table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lines of a table that hold for several primitive types: those from {@code each TYPES} to {@code each end}. */
final class Primitives {
    /** Where the name of the class is not the type's with a capital letter. */
    private static final Map<String, String> CLASSES = Map.of("char", "Character", "int", "Integer");

    private Primitives() {
    }

    /** The lines for each type: {type} becomes {@code int}, {Type} {@code Int}, {TYPE} and {Class} INT and Integer. */
    static List<String> expand(List<String> lines) {
        List<String> expanded = new ArrayList<>();
        for (int at = 0; at < lines.size(); at++) {
            if (!lines.get(at).startsWith("each ")) {
                expanded.add(lines.get(at));
                continue;
            }
            int end = end("each", lines, at);
            for (String type : lines.get(at).substring("each ".length()).split(" +")) {
                lines.subList(at + 1, end).forEach(line -> expanded.add(of(type, line)));
            }
            at = end;
        }
        return expanded;
    }

    /** Where the part ends that a word has begun. */
    static int end(String word, List<String> lines, int from) {
        int length = lines.subList(from, lines.size()).indexOf(word + " end");
        if (length < 0) {
            throw new IllegalArgumentException("what '" + lines.get(from) + "' is in ends by no '" + word + " end'");
        }
        return from + length;
    }

    private static String of(String type, String line) {
        String capital = Character.toUpperCase(type.charAt(0)) + type.substring(1);
        return line.replace("{type}", type).replace("{Type}", capital)
                .replace("{Class}", CLASSES.getOrDefault(type, capital)).replace("{TYPE}", type.toUpperCase());
    }
}
