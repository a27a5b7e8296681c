// SPDX-License-Identifier: Apache-2.0
package table;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes a class of native methods, and the list of them from which the C side declares and registers them. */
final class NativeWriter {
    private static final Map<String, String> DESCRIPTORS = Map.of("void", "V", "boolean", "Z", "byte", "B", "int", "I",
            "long", "J");
    private static final Map<String, String> CLASSES = Map.of("Object", "java/lang/Object",
            "String", "java/lang/String", "Class<?>", "java/lang/Class", "Buffer", "java/nio/Buffer",
            "ByteBuffer", "java/nio/ByteBuffer");
    private static final Map<String, String> C_TYPES = Map.of("void", "void", "String", "jstring",
            "Class<?>", "jclass");

    private NativeWriter() {
    }

    static Source java(Table table) {
        Source source = new Source();
        source.line("// SPDX-License-Identifier: Apache-2.0");
        source.line("// Written by the build from java/table/" + table.name + ".natives.");
        source.line("package corunna.engine;");
        for (Object entry : table.entries) {
            if (entry instanceof Row) {
                source.line("");
                declaration((Row) entry, source);
            } else {
                source.between(entry);
            }
        }
        source.line("}");
        return source;
    }

    private static void declaration(Row row, Source source) {
        if (row.text.size() == 1 && row.tags.isEmpty()) {
            source.line("    /** " + row.text.get(0) + " */", "     *  ");
        } else if (!row.text.isEmpty() || !row.tags.isEmpty()) {
            source.line("    /**");
            row.text.forEach(line -> source.line("     * " + line, "     * "));
            row.tags.forEach((tag, text) -> source.line("     * " + (tag.startsWith("@") ? tag : "@param " + tag) + " "
                    + text, "     *     "));
            source.line("     */");
        }
        String parameters = row.parameters.stream().map(each -> each.type + " " + each.name)
                .collect(Collectors.joining(", "));
        source.line("    " + (row.modifiers.isEmpty() ? "public static" : row.modifiers) + " native " + row.result + " "
                + row.mpijavaName + "(" + parameters + ");", " ".repeat(12));
    }

    static Source header(Table table) {
        String guard = "COR_JNI_" + table.name.toUpperCase() + "_LIST_H";
        String list = "JNI_" + table.name.toUpperCase() + "_LIST(X)";
        Source source = new Source();
        source.line("/* SPDX-License-Identifier: Apache-2.0 */");
        source.line("/* Written by the build from java/table/" + table.name + ".natives.");
        source.line(" * X(result, name, signature, types of the arguments after JNIEnv * and jclass). */");
        source.line("#ifndef " + guard);
        source.line("#define " + guard);
        source.line("");
        List<Row> rows = table.entries.stream().filter(entry -> entry instanceof Row).map(entry -> (Row) entry)
                .collect(Collectors.toList());
        source.line("#define " + list + " \\");
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            String descriptors = row.parameters.stream().map(each -> descriptor(each.type))
                    .collect(Collectors.joining());
            String types = row.parameters.stream().map(each -> ", " + cType(each.type)).collect(Collectors.joining());
            source.line("    X(" + cType(row.result) + ", " + row.mpijavaName + ", \"(" + descriptors + ")"
                    + descriptor(row.result) + "\"" + types + ")" + (i < rows.size() - 1 ? " \\" : ""));
        }
        source.line("");
        source.line("#endif");
        return source;
    }

    private static String descriptor(String type) {
        if (type.endsWith("[]")) {
            return "[" + descriptor(type.substring(0, type.length() - 2));
        }
        String simple = DESCRIPTORS.get(type);
        return simple != null ? simple : "L" + CLASSES.getOrDefault(type, "corunna/engine/" + type) + ";";
    }

    private static String cType(String type) {
        if (type.endsWith("[]")) {
            String element = type.substring(0, type.length() - 2);
            return DESCRIPTORS.containsKey(element) ? "j" + element + "Array" : "jobjectArray";
        }
        return C_TYPES.getOrDefault(type, DESCRIPTORS.containsKey(type) ? "j" + type : "jobject");
    }
}
