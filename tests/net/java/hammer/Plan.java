// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.nio.ByteBuffer;

/**
 * What one connection does: each end sends its bytes, which are a pattern of their position, says that they end, and
 * compares those of the other. A connection begins with its seed, and both ends draw the rest from that.
 */
final class Plan {
    static final int SERVER = 0;
    static final int CLIENT = 1;
    static final int HEADER_BYTES = 12;

    private static final long STEP = 0x9e3779b97f4a7c15L;

    final long seed;
    final int limit;
    private final int[] totals = new int[2];
    private final long[] salts = new long[2];

    Plan(long seed, int limit) {
        this.seed = seed;
        this.limit = limit;
        Dice dice = new Dice(seed);
        for (int end = 0; end < 2; end++) {
            salts[end] = dice.roll();
            totals[end] = dice.below(4) > 0 ? limit / 2 + dice.below(limit / 2) : dice.size(limit);
        }
    }

    static Plan of(ByteBuffer header) {
        return new Plan(header.getLong(), header.getInt());
    }

    ByteBuffer header() {
        return ByteBuffer.allocate(HEADER_BYTES).putLong(seed).putInt(limit).flip();
    }

    /** Bytes that this end sends. */
    int total(int end) {
        return totals[end];
    }

    Dice dice(int end, int role) {
        return new Dice(seed, end, role);
    }

    private byte at(int end, long at) {
        return (byte) (Dice.mix(salts[end] + (at >>> 3) * STEP) >>> (8 * (at & 7)));
    }

    /** Bytes of this end from a position on. */
    void fill(int end, int at, ByteBuffer bytes) {
        for (int i = 0; bytes.hasRemaining(); i++) {
            bytes.put(at(end, at + i));
        }
    }

    void compare(int end, int at, ByteBuffer bytes) {
        for (int i = 0; bytes.hasRemaining(); i++) {
            byte got = bytes.get();
            if (got != at(end, at + i)) {
                throw new AssertionError("byte " + (at + i) + " is " + got + ", expected " + at(end, at + i));
            }
        }
    }
}
