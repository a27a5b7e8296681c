// SPDX-License-Identifier: Apache-2.0
package corunna.run;

/** The job cannot start as it was asked for; the message is the sentence for the user. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(String sentence) {
        super(sentence);
    }

    /** Tells the user and ends the JVM. */
    void exit() {
        System.err.println("corunna: " + getMessage());
        System.exit(2);
    }
}
