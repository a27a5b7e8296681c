package corunna.engine;

import java.util.Set;
import java.util.TreeSet;

/** What {@code -Dcorunna.*} says. All but a few of these properties are knobs of the engine. */
public final class Settings {
    private static final String PREFIX = "corunna.";
    private static final String MPJRUN = PREFIX + "mpjrun";
    private static final String LIBRARY = PREFIX + "library";
    private static final String OBJECT_FILTER = PREFIX + "object.filter";
    private static final Set<String> NO_KNOBS = Set.of(MPJRUN, LIBRARY, OBJECT_FILTER);

    /** The second of the three words that {@code mpjrun} puts before the arguments of {@code main}. */
    private static final String CONFIGURATION_WORD = "corunna";

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

    /** The arguments of {@code main} under {@code mpjrun}: rank, configuration and device come first. */
    public static String[] withLeadingWords(int rank, String device, String[] arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = Integer.toString(rank);
        all[1] = CONFIGURATION_WORD;
        all[2] = device;
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return all;
    }

    /** Undoes {@link #withLeadingWords}; arguments that do not begin with these words are returned as they are. */
    public static String[] withoutLeadingWords(int rank, String[] arguments) {
        if (arguments.length < 3 || !arguments[0].equals(Integer.toString(rank))
                || !arguments[1].equals(CONFIGURATION_WORD)) {
            return arguments;
        }
        String[] rest = new String[arguments.length - 3];
        System.arraycopy(arguments, 3, rest, 0, rest.length);
        return rest;
    }
}
