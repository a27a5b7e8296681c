// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import java.util.HashMap;
import java.util.Map;

/**
 * Finds the classes that messages name. They are those of the program: what the class loader of the calling thread
 * sees if it stands below the loader that has the library, else what that one sees. Where ranks are threads the latter
 * is the rank's own.
 */
final class Classes {
    private static final Map<String, Class<?>> PRIMITIVES = new HashMap<>();

    static {
        for (Class<?> type : new Class<?>[] {boolean.class, byte.class, char.class, short.class, int.class, long.class,
            float.class, double.class, void.class}) {
            PRIMITIVES.put(type.getName(), type);
        }
    }

    private final ClassLoader home;
    private final Map<String, Class<?>> known = new HashMap<>();
    /** The loader {@link #known} was found with. */
    private ClassLoader loader;

    Classes(ClassLoader home) {
        this.home = home;
        this.loader = home;
    }

    /** Takes the class loader of the calling thread; before every message. */
    void begin() {
        ClassLoader now = Thread.currentThread().getContextClassLoader();
        ClassLoader chosen = now != home && isBelowHome(now) ? now : home;
        if (chosen != loader) {
            known.clear();
            loader = chosen;
        }
    }

    private boolean isBelowHome(ClassLoader candidate) {
        for (ClassLoader at = candidate; at != null; at = at.getParent()) {
            if (at == home) {
                return true;
            }
        }
        return false;
    }

    ClassLoader loader() {
        return loader;
    }

    Class<?> find(String name) throws ClassNotFoundException {
        Class<?> type = known.get(name);
        if (type == null) {
            type = PRIMITIVES.get(name);
            if (type == null) {
                type = Class.forName(name, false, loader);
            }
            known.put(name, type);
        }
        return type;
    }
}
