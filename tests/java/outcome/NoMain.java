// SPDX-License-Identifier: Apache-2.0
package outcome;

/** A class that cannot be started. */
public final class NoMain {
    private NoMain() {
    }
}
