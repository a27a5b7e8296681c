// SPDX-License-Identifier: Apache-2.0
/** One test at one size. */
final class Case {
    final Bench bench;
    final String test;
    final String type;
    final String mode;
    /** Bytes of a message or a block; of objects their number. */
    final int size;
    /** So many ranks take part, from 0 on. */
    final int ranks;
    /** The first size of a test: the compiler of the virtual machine has not seen it yet. */
    final boolean isFirst;

    Case(Bench bench, String test, String type, String mode, int size, int ranks, boolean isFirst) {
        this.bench = bench;
        this.test = test;
        this.type = type;
        this.mode = mode;
        this.size = size;
        this.ranks = ranks;
        this.isFirst = isFirst;
    }

    int rank() {
        return bench.rank();
    }

    void fail(String what) {
        throw new IllegalStateException(test + " of " + type + ", " + size + ": rank " + rank() + " " + what);
    }
}
