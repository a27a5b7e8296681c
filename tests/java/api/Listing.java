package api;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Looks whether the library has every member that the listings name, with the same descriptor: the way the virtual
 * machine looks when it runs a class file that was compiled against another library. Arguments: the listings.
 */
public final class Listing {
    private int members;
    private int failures;
    private Class<?> type;

    private Listing() {
    }

    public static void main(String[] files) throws IOException {
        Listing listing = new Listing();
        for (String file : files) {
            for (String line : Files.readAllLines(Path.of(file))) {
                listing.check(Path.of(file).getFileName() + ": ", line.split("#", 2)[0].trim());
            }
        }
        System.out.println("api: " + listing.members + " members, " + listing.failures
                + " missing or changed");
        System.exit(listing.failures == 0 && listing.members > 0 ? 0 : 1);
    }

    private void fail(String what) {
        failures++;
        System.out.println(what);
    }

    private void check(String where, String line) {
        if (line.isEmpty()) {
            return;
        }
        String[] words = line.split(" +");
        if (words[0].equals("class")) {
            begin(where, words);
            return;
        }
        if (type == null) {
            return; // the class is missing, which has been told
        }
        boolean isStatic = words[1].equals("static");
        String name = words[isStatic ? 2 : 1];
        String descriptor = words[words[0].equals("new") ? 1 : isStatic ? 3 : 2];
        String what = where + type.getName() + ": " + line;
        members++;
        switch (words[0]) {
        case "new":
            constructor(what, descriptor);
            break;
        case "field":
            field(what, name, descriptor, isStatic, line);
            break;
        case "method":
            method(what, name, descriptor, isStatic);
            break;
        default:
            fail(what + " is no line of a listing");
        }
    }

    private void begin(String where, String[] words) {
        try {
            type = Class.forName(words[1], false, Listing.class.getClassLoader());
            if (!Modifier.isPublic(type.getModifiers())) {
                fail(where + words[1] + " is not public");
            }
            if (words.length > 2 && !Class.forName(words[2], false, type.getClassLoader()).isAssignableFrom(type)) {
                fail(where + words[1] + " does not extend " + words[2]);
            }
        } catch (ClassNotFoundException e) {
            type = null;
            fail(where + "there is no class " + e.getMessage());
        }
    }

    private static String descriptor(Class<?> result, Executable member) {
        return MethodType.methodType(result, member.getParameterTypes()).toMethodDescriptorString();
    }

    private static String descriptor(Class<?> type) {
        return MethodType.methodType(type).toMethodDescriptorString();
    }

    private void constructor(String what, String descriptor) {
        for (Constructor<?> constructor : type.getConstructors()) {
            if (descriptor(void.class, constructor).equals(descriptor)) {
                return;
            }
        }
        fail(what + " is missing");
    }

    private void field(String what, String name, String descriptor, boolean isStatic, String line) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals(name) && Modifier.isPublic(field.getModifiers())
                        && descriptor(field.getType()).equals("()" + descriptor)) {
                    if (Modifier.isStatic(field.getModifiers()) != isStatic) {
                        fail(what + " is " + (isStatic ? "not " : "") + "static");
                    }
                    value(what, field, line);
                    return;
                }
            }
        }
        fail(what + " is missing");
    }

    private void value(String what, Field field, String line) {
        int at = line.indexOf(" = ");
        if (at < 0) {
            return;
        }
        try {
            int value = field.getInt(null);
            if (value != Integer.parseInt(line.substring(at + 3))) {
                fail(what + " is " + value);
            }
        } catch (IllegalAccessException e) {
            fail(what + " cannot be read");
        }
    }

    private void method(String what, String name, String descriptor, boolean isStatic) {
        boolean hasOther = false;
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Method method : at.getDeclaredMethods()) {
                if (!method.getName().equals(name) || !Modifier.isPublic(method.getModifiers())) {
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
