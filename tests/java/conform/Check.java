// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.regex.Pattern;
import mpi.MPIException;

/**
 * The test's own words for what must hold. To put a sentence together takes longer than to compare an element: in a
 * loop over the elements of a buffer it is written only when one of them is wrong.
 */
final class Check {
    private Check() {
    }

    static void that(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }

    static void equal(long expected, long actual, String what) {
        if (expected != actual) {
            throw new AssertionError(what + ": expected " + expected + ", got " + actual);
        }
    }

    /** The same for element {@code at} of a buffer. */
    static void equal(long expected, long actual, String what, int at) {
        if (expected != actual) {
            equal(expected, actual, what + ", element " + at);
        }
    }

    /** The action throws an MPIException of this class whose message matches the pattern from its beginning. */
    static void fails(int errorClass, String pattern, Runnable action) {
        try {
            action.run();
        } catch (MPIException e) {
            that(Pattern.compile(pattern).matcher(String.valueOf(e.getMessage())).lookingAt(),
                    "message \"" + e.getMessage() + "\" should match \"" + pattern + "\"");
            equal(errorClass, e.getErrorClass(), "error class of \"" + e.getMessage() + "\"");
            return;
        }
        throw new AssertionError("no exception, expected one like \"" + pattern + "\"");
    }
}
