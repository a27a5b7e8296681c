// SPDX-License-Identifier: Apache-2.0
package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Pattern;
import org.junit.jupiter.api.function.Executable;

/** Calls that must be refused. */
public final class Refusals {
    private Refusals() {
    }

    /** The call throws an MPIException of this class whose message matches the pattern from its beginning. */
    public static void assertRefused(int errorClass, String pattern, Executable call) {
        MPIException e = assertThrows(MPIException.class, call, () -> "expected: " + pattern);
        assertTrue(Pattern.compile(pattern).matcher(String.valueOf(e.getMessage())).lookingAt(),
                () -> "message \"" + e.getMessage() + "\" should match \"" + pattern + "\"");
        assertEquals(errorClass, e.getErrorClass(), () -> "error class of \"" + e.getMessage() + "\"");
    }
}
