// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import java.util.Arrays;

/** The command line of {@link ThreadJob} and {@link RankJob}: our options, then a class or jar, then its arguments. */
final class JobOptions {
    static final String USAGE = "usage: java -jar corunna.jar -np N [-cp path] (-jar jar | Class) arguments";

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

    private JobOptions(int ranks, String device, String classPath, String jar, String mainClass, String[] arguments) {
        this.ranks = ranks;
        this.device = device;
        this.classPath = classPath;
        this.jar = jar;
        this.mainClass = mainClass;
        this.arguments = arguments;
    }

    /** The device by name, {@code fallback} if not given. */
    String device(String fallback) {
        return device == null ? fallback : device;
    }

    static JobOptions parse(String[] words) {
        int ranks = 0;
        String device = null;
        String classPath = null;
        int at = 0;
        for (; at < words.length && words[at].startsWith("-"); at += 2) {
            String value = at + 1 < words.length ? words[at + 1] : null;
            if (value == null) {
                throw new UsageException("option " + words[at] + " needs a value; " + USAGE);
            }
            switch (words[at]) {
            case "-np":
            case "-n":
                ranks = parseRanks(value);
                break;
            case "-dev":
                device = value;
                break;
            case "-cp":
            case "-classpath":
                classPath = value;
                break;
            case "-jar":
                return new JobOptions(ranks, device, classPath, value, null, rest(words, at + 2));
            default:
                throw new UsageException("unknown option " + words[at] + "; " + USAGE);
            }
        }
        if (at == words.length) {
            throw new UsageException("no class to run; " + USAGE);
        }
        return new JobOptions(ranks, device, classPath, null, words[at], rest(words, at + 1));
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

    private static String[] rest(String[] words, int from) {
        return Arrays.copyOfRange(words, from, words.length);
    }
}
