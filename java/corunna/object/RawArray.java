// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import java.io.Serializable;

/** Stands in an object stream for an array whose elements follow behind the stream; see {@link Format}. */
final class RawArray implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Which of the raw arrays of the message it is. */
    final int number;

    RawArray(int number) {
        this.number = number;
    }
}
