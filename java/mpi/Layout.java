// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.util.BitSet;

/**
 * How the elements of a derived type lie, in elements of the basic type. The engine has a datatype of its own for it;
 * of objects, which the engine does not know, the places are kept here.
 */
final class Layout {
    final int size;
    final int lb;
    final int ub;
    /** The first element that is really there, and the one behind the last. */
    final int trueLb;
    final int trueUb;
    /** Were the bounds set by LB and UB? Then types made of this one have them too. */
    final boolean isLbSet;
    final boolean isUbSet;
    /** The places of objects, in the order in which they are sent; else null. */
    final int[] places;
    /** The engine's datatype; 0 for objects, and once freed. */
    private long handle;
    /** Of {@link #ofValueAndPlace}: which; else 0. */
    private int pairKind;

    Layout(int size, int[] bounds, boolean isLbSet, boolean isUbSet, int[] places, long handle) {
        this.size = size;
        this.lb = bounds[0];
        this.ub = bounds[1];
        this.trueLb = bounds[2];
        this.trueUb = bounds[3];
        this.isLbSet = isLbSet;
        this.isUbSet = isUbSet;
        this.places = places;
        this.handle = handle;
    }

    /** One of the engine's datatypes in bytes, with the bounds that the engine has found. */
    static Layout ofBytes(String what, long handle) {
        long[] numbers = new long[Native.TYPE_NUMBERS];
        Native.typeBounds(handle, numbers);
        int[] bounds = new int[Native.TYPE_NUMBERS];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = (int) numbers[i];
            if (bounds[i] != numbers[i]) {
                Native.typeFree(handle);
                throw Layouts.tooLarge(what);
            }
        }
        int[] only = {bounds[Native.TYPE_LB], bounds[Native.TYPE_UB], bounds[Native.TYPE_TRUE_LB],
            bounds[Native.TYPE_TRUE_UB]};
        return new Layout(bounds[Native.TYPE_SIZE], only, false, false, null, handle);
    }

    /** A value of so many bytes and an int, as C lays out a struct of the two; the engine has a datatype for it. */
    static Layout ofValueAndPlace(int valueBytes, int reduceKind) {
        int at = Math.max(valueBytes, Integer.BYTES);
        int end = at + Integer.BYTES;
        int extent = (end + at - 1) / at * at;
        Layout layout = new Layout(valueBytes + Integer.BYTES, new int[] {0, extent, 0, end}, false, false, null, 0);
        layout.pairKind = reduceKind;
        return layout;
    }

    /** Are they simply in a row? Then this layout says nothing that the size does not. */
    boolean isRow(int kind) {
        boolean isDense = lb == 0 && ub == size && trueLb == 0 && trueUb == size && !isLbSet && !isUbSet;
        if (!isDense || !(places != null ? isAscending() : Native.typeIsRow(handle, kind))) {
            return false;
        }
        free();
        return true;
    }

    private boolean isAscending() {
        for (int i = 0; i < places.length; i++) {
            if (places[i] != i) {
                return false;
            }
        }
        return true;
    }

    /** How many elements can be received at once without writing a place twice. */
    int receiveMax() {
        if (places == null) {
            return Native.typeReceiveMax(handle());
        }
        BitSet written = new BitSet();
        for (int place : places) {
            if (written.get(place - trueLb)) {
                return 0;
            }
            written.set(place - trueLb);
        }
        return Math.abs(ub - lb) >= trueUb - trueLb ? Integer.MAX_VALUE : 1;
    }

    long handle() {
        return pairKind == 0 ? handle : Native.typePair(pairKind); // not asked for while this class is loaded
    }

    synchronized void free() {
        if (handle != 0) {
            Native.typeFree(handle);
            handle = 0;
        }
    }
}
