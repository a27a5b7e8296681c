// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.util.Set;
import java.util.TreeSet;

/** What {@code -Dcorunna.*} says. All but a few of these properties are knobs of the engine. */
public final class Settings {
    private static final String PREFIX = "corunna.";
    private static final String MPJRUN = PREFIX + "mpjrun";
    private static final String LIBRARY = PREFIX + "library";
    private static final String OBJECT_FILTER = PREFIX + "object.filter";
    private static final String LOG = PREFIX + "log";
    private static final String VIRTUAL = PREFIX + "virtual";
    private static final String RMI_USERS = PREFIX + "rmi.users";
    private static final Set<String> NO_KNOBS = Set.of(MPJRUN, LIBRARY, OBJECT_FILTER, VIRTUAL, RMI_USERS);

    private Settings() {
    }

    /** Was the job started by {@code mpjrun}? Then it keeps the customs of MPJ Express. */
    public static boolean isMpjrun() {
        return Boolean.getBoolean(MPJRUN);
    }

    /** From here on {@link #isMpjrun} is true. */
    public static void setMpjrun() {
        System.setProperty(MPJRUN, "true");
    }

    /** The native library to use instead of the one in the jar, or null. */
    static String library() {
        String property = System.getProperty(LIBRARY);
        return property != null ? property : System.getenv("CORUNNA_LIBRARY");
    }

    /** Which classes may come out of messages of objects: a pattern for an ObjectInputFilter, or null. */
    public static String objectFilter() {
        String property = System.getProperty(OBJECT_FILTER);
        return property != null ? property : System.getenv("CORUNNA_OBJECT_FILTER");
    }

    /**
     * May every user of this host call remote objects that were exported by {@code FastRmi}, and not only the user who
     * has exported them?
     *
     * @throws IllegalArgumentException if the setting is neither {@code same} nor {@code any}
     */
    public static boolean isRmiForAny() {
        String property = System.getProperty(RMI_USERS, System.getenv("CORUNNA_RMI_USERS"));
        if (property != null && !property.equals("same") && !property.equals("any")) {
            throw new IllegalArgumentException(RMI_USERS + " is \"" + property + "\"; it must be same or any");
        }
        return "any".equals(property);
    }

    /** Is all to be told that is worth knowing, and not only what matters: is {@code log} at info or beyond? */
    public static boolean isInfo() {
        String level = System.getProperty(LOG, System.getenv("CORUNNA_LOG"));
        return level != null && Set.of("info", "debug", "trace").contains(level);
    }

    /** Shall every thread wait as virtual threads do? For tests, also where Java has no virtual threads. */
    static boolean isVirtual() {
        return Boolean.getBoolean(VIRTUAL);
    }

    /** The knobs given as system properties, as {@code name=value}. */
    public static String[] overrides() {
        Set<String> overrides = new TreeSet<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith(PREFIX) && !NO_KNOBS.contains(name)) {
                overrides.add(name.substring(PREFIX.length()) + "=" + System.getProperty(name));
            }
        }
        return overrides.toArray(new String[0]);
    }
}
