// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.Serializable;

/** Stands in an object stream for an array that was sent by itself; see {@link Frame}. */
final class SentArray implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Which of the arrays of the message it is. */
    final int number;

    SentArray(int number) {
        this.number = number;
    }
}
