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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * All that programs see of a public class: its modifiers, the supertypes that they can name, and every member that they
 * can reach, inherited ones included, with descriptor, modifiers, exceptions and the value of a constant. In which
 * class of the package a member stands does not count, since programs and their class files cannot tell. Of members
 * with the same name and descriptor the one in the lowest class counts. A bridge of javac's is a member like others.
 */
final class Surface {
    /** The others say how a method works, or mean something else for a field than for a method. */
    private static final int SEEN = Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL
            | Modifier.ABSTRACT | Modifier.INTERFACE;

    private Surface() {
    }

    /** A line for the class, and one for each member that its nearest public superclass has not, by their names. */
    static List<String> of(Class<?> type) throws IllegalAccessException {
        Map<String, String> members = members(type);
        Class<?> above = type.getSuperclass();
        while (isOurs(above) && !isReachable(above.getModifiers())) {
            above = above.getSuperclass();
        }
        if (isOurs(above)) {
            members(above).forEach((name, line) -> {
                if (!name.startsWith("new ")) {
                    members.remove(name, line);
                }
            });
        }
        List<String> lines = new ArrayList<>();
        lines.add(modifiers(type.getModifiers()) + "class " + type.getName() + supertypes(type));
        lines.addAll(members.values());
        return lines;
    }

    private static Map<String, String> members(Class<?> type) throws IllegalAccessException {
        Map<String, String> members = new TreeMap<>();
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isReachable(constructor)) {
                add(members, constructor, "new", descriptor(void.class, constructor), throwing(constructor));
            }
        }
        for (Class<?> at = type; isOurs(at); at = at.getSuperclass()) {
            for (Method method : at.getDeclaredMethods()) {
                if (isReachable(method)) {
                    String descriptor = descriptor(method.getReturnType(), method);
                    add(members, method, method.getName(), descriptor, throwing(method));
                }
            }
            for (Field field : at.getDeclaredFields()) {
                if (isReachable(field)) {
                    add(members, field, field.getName(), descriptor(field.getType()), value(field));
                }
            }
        }
        return members;
    }

    private static void add(Map<String, String> members, Member member, String name, String descriptor,
            String rest) {
        String text = "  " + modifiers(member.getModifiers()) + name + " " + descriptor + rest;
        members.putIfAbsent(name + " " + descriptor, text);
    }

    private static boolean isOurs(Class<?> type) {
        return type != null && type.getClassLoader() == Surface.class.getClassLoader();
    }

    static boolean isReachable(int modifiers) {
        return (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }

    private static boolean isReachable(Member member) {
        return isReachable(member.getModifiers());
    }

    private static String modifiers(int modifiers) {
        String text = Modifier.toString(modifiers & SEEN);
        return text.isEmpty() ? "" : text + " ";
    }

    /** The public ones, and the first of the JDK's. */
    private static String supertypes(Class<?> type) {
        List<String> names = new ArrayList<>();
        Class<?> at = type;
        for (; isOurs(at); at = at.getSuperclass()) {
            if (at != type && isReachable(at.getModifiers())) {
                names.add(at.getName());
            }
            for (Class<?> implemented : at.getInterfaces()) {
                if (!names.contains(implemented.getName())) {
                    names.add(implemented.getName());
                }
            }
        }
        if (at != null && at != Object.class) {
            names.add(at.getName());
        }
        return names.stream().sorted().map(name -> " " + name).collect(Collectors.joining());
    }

    private static String descriptor(Class<?> result, Executable member) {
        return MethodType.methodType(result, member.getParameterTypes()).toMethodDescriptorString();
    }

    private static String descriptor(Class<?> type) {
        return MethodType.methodType(type).toMethodDescriptorString().substring("()".length());
    }

    private static String throwing(Executable member) {
        return Arrays.stream(member.getExceptionTypes()).map(type -> " throws " + type.getName()).sorted()
                .collect(Collectors.joining());
    }

    /** Of a field that compilers may put into class files as a number. */
    private static String value(Field field) throws IllegalAccessException {
        boolean isConstant = Modifier.isStatic(field.getModifiers()) && Modifier.isFinal(field.getModifiers())
                && field.getType().isPrimitive();
        if (!isConstant) {
            return "";
        }
        field.setAccessible(true);
        return " = " + field.get(null);
    }
}
