// SPDX-License-Identifier: Apache-2.0
package table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A row of a table, as it is written: names, signature, body and description. README.md has the form. */
final class Row {
    /** The name in each dialect, empty where it has none. */
    final String mpijavaName;
    final String openName;
    /** Does the Open MPI dialect have one method for buffers and one for arrays? */
    final boolean isTwice;
    /** Empty: those of the dialect. */
    final String modifiers;
    final String result;
    final List<Parameter> parameters = new ArrayList<>();
    final boolean isUnchecked;
    /** Statements without a semicolon, of which the last gives the result. */
    final List<String> body = new ArrayList<>();
    final List<String> text = new ArrayList<>();
    /** The tags of a description; a parameter's begins with its name. */
    final Map<String, String> tags = new LinkedHashMap<>();

    /** A row from its first line, which ends where its parentheses do, and the lines below it. */
    Row(String signature, List<String> lines, String modifiersOfTable, Kinds kinds) {
        int colon = signature.indexOf(": ");
        int open = signature.indexOf('(');
        int close = signature.lastIndexOf(')');
        if (colon < 0 || open < colon || close < open) {
            throw new IllegalArgumentException("'" + signature + "' is not NAMES: RESULT (PARAMETERS)");
        }
        String names = signature.substring(0, colon);
        int slash = names.indexOf('/');
        mpijavaName = slash < 0 ? names : names.substring(0, slash);
        String open2 = slash < 0 ? "" : names.substring(slash + 1);
        isTwice = open2.endsWith("*");
        openName = isTwice ? open2.substring(0, open2.length() - 1) : open2;
        String declared = signature.substring(colon + 1, open).trim();
        int space = declared.lastIndexOf(' ');
        String own = space < 0 ? modifiersOfTable : declared.substring(0, space);
        modifiers = own.equals("static") ? "public static" : own;
        result = declared.substring(space + 1);
        isUnchecked = signature.substring(close + 1).trim().equals("unchecked");
        for (String each : signature.substring(open + 1, close).split(",")) {
            String parameter = each.trim();
            int between = parameter.lastIndexOf(' ');
            if (between > 0) {
                parameters.add(new Parameter(parameter.substring(0, between), parameter.substring(between + 1), null));
            } else if (!parameter.isEmpty()) {
                parameters.addAll(kinds.named(parameter));
            }
        }
        readBelow(lines);
    }

    private void readBelow(List<String> lines) {
        String tag = null;
        for (String line : lines) {
            if (line.startsWith("= ")) {
                body.add(line.substring(2));
            } else if (!body.isEmpty() && Table.depth(body.get(body.size() - 1)) > 0) {
                body.set(body.size() - 1, body.get(body.size() - 1) + " " + line);
            } else if (line.startsWith("@")) {
                String[] words = line.split(" ", line.startsWith("@param ") ? 3 : 2);
                tag = words[0].equals("@param") ? words[1] : words[0];
                tags.put(tag, words[words.length - 1]);
            } else if (tag != null) {
                tags.merge(tag, line, (before, more) -> before + " " + more);
            } else {
                text.add(line);
            }
        }
    }
}
