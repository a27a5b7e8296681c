// SPDX-License-Identifier: Apache-2.0
package hammer;

/** Chance by a seed: the same words give the same numbers in both programs. */
final class Dice {
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private long state;

    Dice(long... words) {
        for (long word : words) {
            state = mix(state + word + STEP);
        }
    }

    static long mix(long word) {
        long mixed = (word ^ (word >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }

    long roll() {
        state += STEP;
        return mix(state);
    }

    int below(int limit) {
        return (int) Long.remainderUnsigned(roll(), limit);
    }

    /** 1 to limit, every order of magnitude as often. */
    int size(int limit) {
        int orders = 32 - Integer.numberOfLeadingZeros(limit);
        return 1 + below(Math.min(1 << below(orders), limit));
    }
}
