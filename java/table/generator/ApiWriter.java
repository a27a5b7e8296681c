// SPDX-License-Identifier: Apache-2.0
package table;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes a class of package mpi: each row becomes a method for each of its names, and two where the row says so. */
final class ApiWriter {
    /** What a body writes for a buffer with all that belongs to it; see README.md. */
    private static final Pattern SIDE = Pattern.compile("\\b(side|parts|place)\\((\\w+)\\)");
    /** What results are, where a row does not say so. */
    private static final Map<String, String> RESULTS = Map.of("Request", "the request", "Prequest",
            "the request, which is started as often as wanted", "Status", "what is known of the message");

    private final Table table;
    private final Kinds kinds;
    private final Source source = new Source();

    private ApiWriter(Table table, Kinds kinds) {
        this.table = table;
        this.kinds = kinds;
    }

    static Source write(Table table, Kinds kinds) {
        ApiWriter writer = new ApiWriter(table, kinds);
        writer.writeAll();
        return writer.source;
    }

    private void writeAll() {
        source.line("// SPDX-License-Identifier: Apache-2.0");
        source.line("// Written by the build from java/table/" + table.name + ".api.");
        source.line("package mpi;");
        for (Object entry : table.entries) {
            if (entry instanceof Row) {
                row((Row) entry);
            } else {
                source.between(entry);
            }
        }
        source.line("}");
    }

    private void row(Row row) {
        if (!row.mpijavaName.isEmpty()) {
            method(row, row.mpijavaName, Form.MPIJAVA);
        }
        if (row.isTwice) {
            method(row, row.openName, Form.OPEN_BUFFER);
        }
        if (!row.openName.isEmpty()) {
            method(row, row.openName, Form.OPEN);
        }
    }

    private void method(Row row, String name, Form form) {
        boolean isConstructor = row.result.equals("new");
        source.line("");
        description(row, name, form);
        String modifiers = row.modifiers.isEmpty() ? form.modifiers : row.modifiers;
        String parameters = row.parameters.stream().filter(form::has).map(each -> form.type(each) + " " + each.name)
                .collect(Collectors.joining(", "));
        source.line("    " + modifiers + (isConstructor ? "" : " " + row.result) + " " + name + "(" + parameters + ")"
                + (row.isUnchecked ? "" : " throws MPIException") + " {", " ".repeat(12));
        body(row, name, form, isConstructor || row.result.equals("void"));
        source.line("    }");
    }

    private void body(Row row, String name, Form form, boolean isVoid) {
        for (int i = 0; i < row.body.size(); i++) {
            boolean isResult = i == row.body.size() - 1 && !isVoid;
            String statement = expand(row.body.get(i), form).replaceAll("\\bNAME\\b", '"' + name + '"');
            source.line("        " + (isResult ? "return " : "") + statement + ";", " ".repeat(16));
        }
    }

    /** A body with the sides of a call as the dialect passes them. */
    private String expand(String statement, Form form) {
        Matcher side = SIDE.matcher(statement);
        return side.replaceAll(found -> {
            if (!kinds.isGroup(found.group(2))) {
                throw new IllegalArgumentException("'" + found.group() + "' is not of a group of kinds.txt");
            }
            List<Parameter> parameters = kinds.named(found.group(2));
            String names = parameters.stream().filter(form::has).map(each -> each.name)
                    .collect(Collectors.joining(", "));
            return form.hasOffsets ? mpijava(found.group(1), names) : open(found.group(1), names, parameters);
        });
    }

    private static String mpijava(String what, String names) {
        return what.equals("place") ? names : "new " + (what.equals("side") ? "Side" : "VSide") + "(" + names + ")";
    }

    private static String open(String what, String names, List<Parameter> parameters) {
        if (!what.equals("place")) {
            return "Places." + what + "(" + names + ")";
        }
        String buffer = parameters.get(0).name;
        String at = "(" + buffer + ", " + parameters.get(parameters.size() - 1).name + ")";
        return "Places.array" + at + ", Places.offset" + at + names.substring(buffer.length());
    }

    // ---- descriptions ----

    private void description(Row row, String name, Form form) {
        check(row, name);
        source.line("    /**");
        row.text.forEach(line -> source.line("     * " + line, "     * "));
        if (row.isTwice) {
            source.line("     * This form is for " + (form == Form.OPEN ? "arrays." : "buffers."));
        }
        source.line("     *");
        row.tags.forEach((tag, text) -> {
            if (tag.startsWith("<")) {
                tag("@param " + tag, text);
            }
        });
        row.parameters.stream().filter(form::has).forEach(each -> tag("@param " + each.name, text(row, each)));
        if (!row.result.equals("void") && !row.result.equals("new")) {
            tag("@return", result(row));
        }
        if (!row.isUnchecked) {
            tag("@throws MPIException", row.tags.getOrDefault("@throws", "if an argument is wrong or the call fails"));
        }
        source.line("     */");
    }

    /** All is described, and nothing that is not there. */
    private void check(Row row, String name) {
        if (row.body.isEmpty()) {
            throw new IllegalArgumentException("there is no body of " + name);
        }
        if (row.text.isEmpty()) {
            throw new IllegalArgumentException("there is no description of " + name);
        }
        for (Parameter each : row.parameters) {
            if (text(row, each) == null) {
                throw new IllegalArgumentException("there is no description of " + each.name + " of " + name);
            }
        }
        boolean hasResult = !row.result.equals("void") && !row.result.equals("new");
        if (hasResult && result(row) == null) {
            throw new IllegalArgumentException("there is no description of the result of " + name);
        }
        for (String tag : row.tags.keySet()) {
            boolean isParameter = row.parameters.stream().anyMatch(each -> each.name.equals(tag));
            boolean isThere = isParameter || tag.startsWith("<") || tag.equals("@return") && hasResult
                    || tag.equals("@throws") && !row.isUnchecked;
            if (!isThere) {
                throw new IllegalArgumentException(name + " has no " + tag + " that could be described");
            }
        }
    }

    private String text(Row row, Parameter parameter) {
        String usual = parameter.text != null ? parameter.text : kinds.text(parameter.name);
        return row.tags.getOrDefault(parameter.name, usual);
    }

    private static String result(Row row) {
        return row.tags.getOrDefault("@return", RESULTS.get(row.result));
    }

    private void tag(String tag, String text) {
        source.line("     * " + tag + " " + text, "     *     ");
    }
}
