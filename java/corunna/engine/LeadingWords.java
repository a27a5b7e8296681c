package corunna.engine;

import java.util.Arrays;

/**
 * The three words that {@code mpjrun} puts before the arguments of {@code main}, as MPJ Express does: the rank, the
 * number of ranks, the device. {@code MPI.Init} takes them off again.
 *
 * <p>They are told from arguments that only read alike by being the same objects: a launch that gives no such words
 * never loses an argument, nor does a program that calls {@code Init} with its own arguments, whatever these are.
 */
public final class LeadingWords {
    private static final int COUNT = 3;

    /** What this JVM was given, the same for all ranks in it; null where the launch gives none. */
    private static volatile LeadingWords given;

    private final String size;
    private final String device;

    private LeadingWords(int size, String device) {
        // Objects of their own: a literal "4" or an argument of the command line is never one of them.
        this.size = new String(Integer.toString(size));
        this.device = new String(device);
    }

    /** From here on {@link #before} can be called. */
    public static void give(int size, String device) {
        given = new LeadingWords(size, device);
    }

    /** The words of this rank and then the program's own arguments, as {@code main} gets them. */
    public static String[] before(int rank, String[] arguments) {
        String[] all = new String[COUNT + arguments.length];
        all[0] = Integer.toString(rank);
        all[1] = given.size;
        all[2] = given.device;
        System.arraycopy(arguments, 0, all, COUNT, arguments.length);
        return all;
    }

    /** What follows the words; all arguments if they do not begin with them. */
    public static String[] strip(String[] arguments) {
        LeadingWords words = given;
        boolean isLed = words != null && arguments.length >= COUNT && arguments[1] == words.size
                && arguments[2] == words.device;
        return isLed ? Arrays.copyOfRange(arguments, COUNT, arguments.length) : arguments;
    }
}
