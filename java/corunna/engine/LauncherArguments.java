// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.util.Arrays;

/**
 * The three arguments that {@code mpjrun} puts before the arguments of {@code main}, as MPJ Express does: the rank, the
 * number of ranks, the device. {@code MPI.Init} takes them off again.
 *
 * <p>They are told from arguments with the same text by being the same objects: a launch that gives none of them
 * never loses an argument, nor does a program that calls {@code Init} with its own arguments, whatever these are.
 */
public final class LauncherArguments {
    private static final int COUNT = 3;

    /** What this JVM was given, the same for all ranks in it; null where the launch gives none. */
    private static volatile LauncherArguments given;

    private final String size;
    private final String device;

    private LauncherArguments(int size, String device) {
        // Objects of their own: a literal "4" or an argument of the command line is never one of them.
        this.size = new String(Integer.toString(size));
        this.device = new String(device);
    }

    /** From here on {@link #before} can be called. */
    public static void give(int size, String device) {
        given = new LauncherArguments(size, device);
    }

    /** The same for {@code main} that gets the program's own arguments alone. */
    public static void giveNone() {
        given = null;
    }

    /** Those of this rank, if there are any, and then the program's own arguments, as {@code main} gets them. */
    public static String[] before(int rank, String[] arguments) {
        LauncherArguments first = given;
        if (first == null) {
            return arguments.clone();
        }
        String[] all = new String[COUNT + arguments.length];
        all[0] = Integer.toString(rank);
        all[1] = first.size;
        all[2] = first.device;
        System.arraycopy(arguments, 0, all, COUNT, arguments.length);
        return all;
    }

    /** What follows them; all arguments if they are not there. */
    public static String[] strip(String[] arguments) {
        LauncherArguments first = given;
        boolean hasThem = first != null && arguments.length >= COUNT && arguments[1] == first.size
                && arguments[2] == first.device;
        return hasThem ? Arrays.copyOfRange(arguments, COUNT, arguments.length) : arguments;
    }
}
