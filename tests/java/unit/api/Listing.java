// SPDX-License-Identifier: Apache-2.0
package api;

import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * A class as a listing has it. The library must have every member it names, with the same descriptor: the way the
 * virtual machine looks when it runs a class file that was compiled against another library.
 */
final class Listing {
    private final String name;
    private final List<String> supertypes = new ArrayList<>();
    private final List<String> members = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private Class<?> type;
    /** The line is of a member that subclasses reach. */
    private boolean isProtected;

    private Listing(String[] words) {
        name = words[1];
        for (int i = 2; i < words.length; i++) {
            if (words[i].contains(".")) { // not one of "final", "abstract", "interface"
                supertypes.add(words[i]);
            }
        }
    }

    /** The classes of a listing. */
    static List<Listing> read(List<String> lines) {
        List<Listing> classes = new ArrayList<>();
        for (String line : lines) {
            String text = line.split("#", 2)[0].trim();
            if (text.startsWith("class ")) {
                classes.add(new Listing(text.split(" +")));
            } else if (!text.isEmpty()) {
                classes.get(classes.size() - 1).members.add(text);
            }
        }
        return classes;
    }

    String name() {
        return name;
    }

    int memberCount() {
        return members.size();
    }

    /** What the library lacks or has otherwise, a sentence each. */
    List<String> findings() {
        findings.clear();
        try {
            ClassLoader loader = Listing.class.getClassLoader();
            type = Class.forName(name, false, loader);
            if (!Modifier.isPublic(type.getModifiers())) {
                fail(name + " is not public");
            }
            for (String supertype : supertypes) {
                if (!Class.forName(supertype, false, loader).isAssignableFrom(type)) {
                    fail(name + " does not extend " + supertype);
                }
            }
        } catch (ClassNotFoundException e) {
            return List.of("there is no class " + e.getMessage());
        }
        members.forEach(this::check);
        return findings;
    }

    private void fail(String what) {
        findings.add(what);
    }

    private void check(String line) {
        isProtected = line.startsWith("protected ");
        String[] words = (isProtected ? line.substring("protected ".length()) : line).split(" +");
        boolean isStatic = words[1].equals("static");
        String member = words[isStatic ? 2 : 1];
        String descriptor = words[words[0].equals("new") ? 1 : isStatic ? 3 : 2];
        switch (words[0]) {
        case "new":
            constructor(line, descriptor);
            break;
        case "field":
            field(line, member, descriptor, isStatic);
            break;
        case "method":
            method(line, member, descriptor, isStatic);
            break;
        default:
            fail(line + " is no line of a listing");
        }
    }

    private boolean isReachable(Member member) {
        int modifiers = member.getModifiers();
        return Modifier.isPublic(modifiers) || isProtected && Modifier.isProtected(modifiers);
    }

    private static String descriptor(Class<?> result, Executable member) {
        return MethodType.methodType(result, member.getParameterTypes()).toMethodDescriptorString();
    }

    private static String descriptor(Class<?> type) {
        return MethodType.methodType(type).toMethodDescriptorString();
    }

    private void constructor(String what, String descriptor) {
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isReachable(constructor) && descriptor(void.class, constructor).equals(descriptor)) {
                return;
            }
        }
        fail(what + " is missing");
    }

    private void field(String what, String member, String descriptor, boolean isStatic) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals(member) && isReachable(field)
                        && descriptor(field.getType()).equals("()" + descriptor)) {
                    if (Modifier.isStatic(field.getModifiers()) != isStatic) {
                        fail(what + " is " + (isStatic ? "not " : "") + "static");
                    }
                    value(what, field);
                    return;
                }
            }
        }
        fail(what + " is missing");
    }

    private void value(String what, Field field) {
        int at = what.indexOf(" = ");
        if (at < 0) {
            return;
        }
        try {
            int value = field.getInt(null);
            if (value != Integer.parseInt(what.substring(at + 3))) {
                fail(what + " is " + value);
            }
        } catch (IllegalAccessException e) {
            fail(what + " cannot be read");
        }
    }

    private void method(String what, String member, String descriptor, boolean isStatic) {
        boolean hasOther = false;
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Method method : at.getDeclaredMethods()) {
                if (!method.getName().equals(member) || !isReachable(method)) {
                    continue;
                }
                if (descriptor(method.getReturnType(), method).equals(descriptor)) {
                    if (Modifier.isStatic(method.getModifiers()) != isStatic) {
                        fail(what + " is " + (isStatic ? "not " : "") + "static");
                    }
                    return;
                }
                hasOther = true;
            }
        }
        fail(what + (hasOther ? " has another descriptor" : " is missing"));
    }
}
