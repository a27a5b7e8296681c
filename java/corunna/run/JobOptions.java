// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import corunna.engine.LauncherArguments;
import java.util.Arrays;

/** The command line of {@link ThreadJob} and {@link RankJob}: our options, then a class or jar, then its arguments. */
final class JobOptions {
    static final String USAGE =
            "usage: java -jar corunna.jar -np N [-plain-args] [-cp path] (-jar jar | Class) arguments";

    /** The names that {@code mpjrun} takes for {@code -dev}; its test compares both. Ranks that are threads need no
     * device. */
    private static final String DEVICES = "multicore|smpdev|native|iodev|hybdev|smdev|tcpdev|niodev|ibvdev|mpidev|"
            + "ucxdev|ofidev|simdev";

    /** Ranks, or 0 if not given. */
    final int ranks;
    /** Class path, or null. */
    final String classPath;
    /** The jar whose manifest names the main class, or null. */
    final String jar;
    /** The main class, or null. */
    final String mainClass;
    final String[] arguments;
    private final String device;
    /** Does main get the program's arguments alone? */
    private final boolean isPlain;

    private JobOptions(int ranks, String device, boolean isPlain, String classPath, String jar, String mainClass,
            String[] arguments) {
        this.ranks = ranks;
        this.device = device;
        this.isPlain = isPlain;
        this.classPath = classPath;
        this.jar = jar;
        this.mainClass = mainClass;
        this.arguments = arguments;
    }

    /** The device by name, {@code fallback} if not given. */
    String device(String fallback) {
        return device == null ? fallback : device;
    }

    /** Says what {@code main} gets before its arguments; the device is {@code fallback} if not given. */
    void giveLauncherArguments(int size, String fallback) {
        if (isPlain) {
            LauncherArguments.giveNone();
        } else {
            LauncherArguments.give(size, device(fallback));
        }
    }

    static JobOptions parse(String[] words) {
        int ranks = 0;
        String device = null;
        boolean isPlain = false;
        String classPath = null;
        int at = 0;
        while (at < words.length && words[at].startsWith("-")) {
            String option = words[at++];
            if (option.equals("-plain-args")) {
                isPlain = true;
                continue;
            }
            if (at == words.length) {
                throw new UsageException("option " + option + " needs a value; " + USAGE);
            }
            String value = words[at++];
            switch (option) {
            case "-np":
            case "-n":
                ranks = parseRanks(value);
                break;
            case "-dev":
                device = checkedDevice(value);
                break;
            case "-cp":
            case "-classpath":
                classPath = value;
                break;
            case "-jar":
                return new JobOptions(ranks, device, isPlain, classPath, value, null, rest(words, at));
            default:
                throw new UsageException("unknown option " + option + "; " + USAGE);
            }
        }
        if (at == words.length) {
            throw new UsageException("no class to run; " + USAGE);
        }
        return new JobOptions(ranks, device, isPlain, classPath, null, words[at], rest(words, at + 1));
    }

    private static int parseRanks(String text) {
        try {
            int ranks = Integer.parseInt(text);
            if (ranks > 0) {
                return ranks;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new UsageException("-np is \"" + text + "\", but it must be a number of at least 1");
    }

    private static String checkedDevice(String name) {
        if (Arrays.asList(DEVICES.split("\\|")).contains(name)) {
            return name;
        }
        throw new UsageException("-dev is \"" + name + "\"; it must be one of " + DEVICES);
    }

    private static String[] rest(String[] words, int from) {
        return Arrays.copyOfRange(words, from, words.length);
    }
}
