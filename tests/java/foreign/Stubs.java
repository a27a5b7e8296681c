// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes sources of package mpi from a listing, with every member and nothing in it, to compile programs against: their
 * class files then are those that the listed library would give. Usage: {@code java Stubs.java LISTING FOLDER}.
 */
public final class Stubs {
    private final String[] head;
    private final List<String[]> members = new ArrayList<>();
    private final List<Stubs> inner = new ArrayList<>();

    private Stubs(String[] head) {
        this.head = head;
    }

    public static void main(String[] args) throws IOException {
        Map<String, Stubs> classes = new LinkedHashMap<>();
        Stubs current = null;
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] words = line.split("#", 2)[0].trim().split(" +");
            if (words[0].equals("class")) {
                current = new Stubs(words);
                classes.put(words[1], current);
            } else if (!words[0].isEmpty()) {
                current.members.add(words);
            }
        }
        Path folder = Files.createDirectories(Path.of(args[1], "mpi"));
        Files.writeString(folder.resolve("Stub.java"), "package mpi;\nfinal class Stub { }\n");
        for (Stubs each : classes.values()) {
            int dollar = each.head[1].indexOf('$');
            if (dollar > 0) {
                classes.get(each.head[1].substring(0, dollar)).inner.add(each);
            }
        }
        for (Stubs each : classes.values()) {
            if (each.head[1].indexOf('$') < 0) {
                Files.writeString(folder.resolve(each.simpleName() + ".java"), "package mpi;\n" + each.source());
            }
        }
    }

    private String simpleName() {
        return head[1].substring(Math.max(head[1].lastIndexOf('.'), head[1].lastIndexOf('$')) + 1);
    }

    private boolean is(String word) {
        return List.of(head).contains(word);
    }

    private String source() {
        StringBuilder text = new StringBuilder("public ");
        text.append(is("final") ? "final " : "").append(is("abstract") ? "abstract " : "");
        text.append(is("interface") ? "interface " : "class ").append(simpleName());
        boolean isDerived = head[2].startsWith("mpi.");
        if (!head[2].equals("java.lang.Object")) {
            text.append(" extends ").append(head[2].replace('$', '.'));
        }
        String joint = " implements ";
        for (int i = 3; i < head.length; i++) {
            if (head[i].contains(".") && !head[i].equals("java.lang.Comparable")) {
                text.append(joint).append(head[i]);
                joint = ", ";
            }
        }
        text.append(" {\n");
        if (!is("interface")) {
            text.append(simpleName()).append("(Stub s) { ").append(isDerived ? "super(s); " : "").append("}\n");
        }
        for (String[] words : members) {
            text.append(member(words, isDerived));
        }
        for (Stubs each : inner) {
            text.append(each.source());
        }
        return text.append("}\n").toString();
    }

    private String member(String[] words, boolean isDerived) {
        int at = words[0].equals("protected") ? 1 : 0;
        String access = at == 1 ? "protected " : "public ";
        String kind = words[at++];
        if (words[at].equals("static")) {
            access += "static ";
            at++;
        }
        String last = words[words.length - 1];
        String thrown = List.of(words).contains("throws") ? " throws MPIException" : "";
        if (kind.equals("field")) {
            return access + type(words[at + 1], new int[1]) + " " + words[at] + ";\n";
        }
        if (kind.equals("new")) {
            String arguments = words[at].startsWith("(Lmpi/") && head[1].contains("$") ? "" : arguments(words[at]);
            return access + simpleName() + "(" + arguments + ")" + thrown
                    + (isDerived ? " { super((Stub) null); }\n" : " { }\n");
        }
        String descriptor = words[at + 1];
        String result = type(descriptor, new int[] {descriptor.indexOf(')') + 1});
        boolean isAbstract = last.equals("abstract");
        return access + (isAbstract ? "abstract " : "") + result + " " + words[at] + "(" + arguments(descriptor) + ")"
                + thrown + (isAbstract ? ";\n" : " { throw null; }\n");
    }

    private static String arguments(String descriptor) {
        StringBuilder text = new StringBuilder();
        int[] at = {1};
        for (int i = 0; descriptor.charAt(at[0]) != ')'; i++) {
            text.append(i == 0 ? "" : ", ").append(type(descriptor, at)).append(" a").append(i);
        }
        return text.toString();
    }

    /** The type at a place of a descriptor, which then is behind it. */
    private static String type(String descriptor, int[] at) {
        char letter = descriptor.charAt(at[0]++);
        if (letter == '[') {
            return type(descriptor, at) + "[]";
        }
        if (letter == 'L') {
            int end = descriptor.indexOf(';', at[0]);
            String name = descriptor.substring(at[0], end);
            at[0] = end + 1;
            return name.replace('/', '.').replace('$', '.');
        }
        return Map.of('V', "void", 'Z', "boolean", 'B', "byte", 'C', "char", 'S', "short", 'I', "int", 'J', "long",
                'F', "float", 'D', "double").get(letter);
    }
}
