// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** Makes layouts: checks the arguments of the type constructors, finds bounds and places, asks the engine. */
final class Layouts {
    private Layouts() {
    }

    // ---- the constructors ----

    static Layout contiguous(String what, int count, Datatype type) {
        checkCount(what, "count", count);
        return vector(what, 1, count, 0, type);
    }

    /** Blocks with a distance, in elements of the basic type. */
    static Layout vector(String what, int count, int blocklength, long stride, Datatype type) {
        checkCount(what, "count", count);
        checkCount(what, "blocklength", blocklength);
        Extents extents = new Extents();
        if (count > 0) {
            extents.add(0, blocklength, 1, type);
            extents.add((count - 1) * stride, blocklength, 1, type);
            extents.size = product(product(count, blocklength), type.Size());
        }
        int[] bounds = extents.bounds(what);
        if (type.isObject()) {
            Places places = new Places(extents.size);
            for (int i = 0; i < count; i++) {
                places.add(i * stride, blocklength, type);
            }
            return extents.layout(bounds, places.all, 0);
        }
        long base = handle(type);
        try {
            long made = Native.typeVector(count, blocklength, stride << type.shift(), base, lb(bounds, type),
                    extent(bounds, type));
            return extents.layout(bounds, null, require(what, made));
        } finally {
            release(type, base);
        }
    }

    /** Blocks at displacements, each times {@code scale} in elements of the basic type. */
    static Layout indexed(String what, int[] blocklengths, int[] displacements, int scale, Datatype type) {
        checkArrays(what, blocklengths, displacements);
        Extents extents = new Extents();
        long[] at = new long[displacements.length];
        for (int i = 0; i < at.length; i++) {
            at[i] = (long) displacements[i] * scale;
            extents.add(at[i], blocklengths[i], blocklengths[i], type);
        }
        int[] bounds = extents.bounds(what);
        if (type.isObject()) {
            Places places = new Places(extents.size);
            for (int i = 0; i < at.length; i++) {
                places.add(at[i], blocklengths[i], type);
            }
            return extents.layout(bounds, places.all, 0);
        }
        long base = handle(type);
        try {
            long made = Native.typeIndexed(blocklengths, scaled(at, type), base, lb(bounds, type),
                    extent(bounds, type));
            return extents.layout(bounds, null, require(what, made));
        } finally {
            release(type, base);
        }
    }

    /** The first of the types that has a basic type, after all arguments were checked; else nothing. */
    static Datatype basicOf(int[] blocklengths, int[] displacements, Datatype[] types) {
        checkArrays("Struct", blocklengths, displacements);
        if (types == null || types.length != blocklengths.length) {
            throw new MPIException(ErrorClass.ARG, "Struct: there are " + blocklengths.length + " blocklengths, but "
                    + (types == null ? "the array of types is null" : types.length + " types"));
        }
        Datatype basic = Datatype.NOTHING;
        for (Datatype type : types) {
            if (type == null) {
                throw new MPIException(ErrorClass.TYPE, "Struct: a datatype is null");
            }
            if (type.isBound()) {
                continue;
            }
            Datatype.require("Struct", type);
            basic = basic.isNothing() ? type : basic;
            if (type.basicKind() != basic.basicKind() && !type.isNothing()) {
                throw new MPIException(ErrorClass.TYPE, "Struct: " + basic + " and " + type
                        + " have different basic types; an array has one");
            }
        }
        return basic;
    }

    static Layout struct(int[] blocklengths, int[] displacements, Datatype[] types, Datatype basic) {
        Extents extents = new Extents();
        int real = 0;
        for (int i = 0; i < types.length; i++) {
            if (types[i].isBound()) {
                extents.addBound(types[i] == MPI.LB, displacements[i]);
            } else {
                extents.add(displacements[i], blocklengths[i], blocklengths[i], types[i]);
                real += types[i].isNothing() ? 0 : 1;
            }
        }
        int[] bounds = extents.bounds("Struct");
        int[] lengths = new int[real];
        long[] at = new long[real];
        Datatype[] parts = new Datatype[real];
        for (int i = 0, to = 0; i < types.length; i++) {
            if (!types[i].isBound() && !types[i].isNothing()) {
                lengths[to] = blocklengths[i];
                at[to] = displacements[i];
                parts[to++] = types[i];
            }
        }
        if (basic.isObject()) {
            Places places = new Places(extents.size);
            for (int i = 0; i < real; i++) {
                places.add(at[i], lengths[i], parts[i]);
            }
            return extents.layout(bounds, places.all, 0);
        }
        return extents.layout(bounds, null, struct(lengths, at, parts, bounds, basic));
    }

    private static long struct(int[] lengths, long[] at, Datatype[] parts, int[] bounds, Datatype basic) {
        long[] handles = new long[parts.length];
        try {
            for (int i = 0; i < parts.length; i++) {
                handles[i] = handle(parts[i]);
            }
            return require("Struct", Native.typeStruct(lengths, scaled(at, basic), handles, lb(bounds, basic),
                    extent(bounds, basic)));
        } finally {
            for (int i = 0; i < parts.length; i++) {
                release(parts[i], handles[i]);
            }
        }
    }

    /** The same elements with other bounds, in elements of the basic type. */
    static Layout resized(String what, Datatype type, long lb, long ub) {
        Layout old = type.layout();
        int[] bounds = {(int) lb, (int) ub, old == null ? 0 : old.trueLb, old == null ? type.Size() : old.trueUb};
        if (bounds[0] != lb || bounds[1] != ub || ub - lb != (int) (ub - lb)) {
            throw tooLarge(what);
        }
        long base = handle(type);
        try {
            long made = Native.typeVector(1, 1, 0, base, lb(bounds, type), extent(bounds, type));
            return new Layout(type.Size(), bounds, true, true, null, require(what, made));
        } finally {
            release(type, base);
        }
    }

    // ---- in bytes: of any basic types, at any place ----

    static Layout bytesVector(String what, int count, int blocklength, long stride, Datatype type) {
        checkCount(what, "count", count);
        checkCount(what, "blocklength", blocklength);
        long base = handle(type);
        try {
            return Layout.ofBytes(what, require(what,
                    Native.typeVector(count, blocklength, stride, base, 0, Native.NATURAL)));
        } finally {
            release(type, base);
        }
    }

    static Layout bytesResized(String what, Datatype type, int lb, int extent) {
        long base = handle(type);
        try {
            return Layout.ofBytes(what, require(what, Native.typeVector(1, 1, 0, base, lb, extent)));
        } finally {
            release(type, base);
        }
    }

    /** Blocks of several types at displacements in bytes. LB and UB among them set the bounds. */
    static Layout bytesStruct(String what, int[] lengths, int[] displacements, Datatype[] types) {
        checkArrays(what, lengths, displacements);
        Extents bounds = new Extents();
        int real = 0;
        for (int i = 0; i < types.length; i++) {
            if (types[i].isBound()) {
                bounds.addBound(types[i] == MPI.LB, displacements[i]);
            } else {
                real++;
            }
        }
        int[] counts = new int[real];
        long[] at = new long[real];
        long[] handles = new long[real];
        Datatype[] parts = new Datatype[real];
        for (int i = 0, to = 0; i < types.length; i++) {
            if (!types[i].isBound()) {
                counts[to] = lengths[i];
                at[to] = displacements[i];
                parts[to++] = types[i];
            }
        }
        try {
            for (int i = 0; i < real; i++) {
                handles[i] = handle(parts[i]);
            }
            return bounds.applied(what, require(what, Native.typeStruct(counts, at, handles, 0, Native.NATURAL)));
        } finally {
            for (int i = 0; i < real; i++) {
                release(parts[i], handles[i]);
            }
        }
    }

    // ---- checks ----

    private static void checkCount(String what, String argument, int value) {
        if (value < 0) {
            throw new MPIException(ErrorClass.COUNT, what.substring(0, what.indexOf('(')) + ": " + argument + " is "
                    + value + "; it cannot be negative");
        }
    }

    private static void checkArrays(String what, int[] blocklengths, int[] displacements) {
        String call = what.indexOf('(') < 0 ? what : what.substring(0, what.indexOf('('));
        if (blocklengths == null || displacements == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the array of "
                    + (blocklengths == null ? "blocklengths" : "displacements") + " is null");
        }
        if (blocklengths.length != displacements.length) {
            throw new MPIException(ErrorClass.ARG, call + ": there are " + blocklengths.length + " blocklengths, but "
                    + displacements.length + " displacements");
        }
        for (int i = 0; i < blocklengths.length; i++) {
            if (blocklengths[i] < 0) {
                throw new MPIException(ErrorClass.COUNT, call + ": blocklength " + i + " is " + blocklengths[i]
                        + "; it cannot be negative");
            }
        }
    }

    static MPIException tooLarge(String what) {
        return new MPIException(ErrorClass.COUNT, what + " is too large: sizes and bounds are at most "
                + Integer.MAX_VALUE + " elements");
    }

    /** A product of numbers that are not negative, or one that is surely too large. */
    private static long product(long one, long other) {
        long high = Math.multiplyHigh(one, other);
        long low = one * other;
        return high != 0 || low < 0 ? Long.MAX_VALUE / 4 : low;
    }

    // ---- the engine's datatypes ----

    static long handle(Datatype type) {
        return type.layout() != null ? type.layout().handle() : type.isPair() ? Native.typePair(type.reduceKind())
                : require(type.toString(), Native.typeRow(type.basicKind(), type.Size()));
    }

    static void release(Datatype type, long handle) {
        if (type.layout() == null && handle != 0) {
            Native.typeFree(handle);
        }
        java.lang.ref.Reference.reachabilityFence(type);
    }

    private static long require(String what, long handle) {
        if (handle == 0) {
            throw new MPIException(ErrorClass.NO_MEM, what
                    + " cannot be created: out of memory, or it is too large");
        }
        return handle;
    }

    private static long[] scaled(long[] displacements, Datatype type) {
        long[] bytes = new long[displacements.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = displacements[i] << type.shift();
        }
        return bytes;
    }

    private static long lb(int[] bounds, Datatype type) {
        return (long) bounds[0] << type.shift();
    }

    private static long extent(int[] bounds, Datatype type) {
        return (long) (bounds[1] - bounds[0]) << type.shift();
    }

    // ---- sums over the parts of a type ----

    /** Grows with every part to what the whole has: size, bounds, true bounds. */
    private static final class Extents {
        private static final int NONE = 0;
        private static final int FOUND = 1;
        private static final int SET = 2;

        long size;
        private long lb;
        private long ub;
        private int lbState = NONE;
        private int ubState = NONE;
        private long trueLb = Long.MAX_VALUE;
        private long trueUb = Long.MIN_VALUE;

        /**
         * {@code length} elements of the type in a row at this place; {@code counted} of them add to the size. A type
         * without elements has only the bounds that were set.
         */
        void add(long at, int length, int counted, Datatype type) {
            if (length == 0) {
                return;
            }
            size += product(counted, type.Size());
            long span = (long) (length - 1) * type.Extent();
            long back = Math.min(0, span);
            long forth = Math.max(0, span);
            Layout layout = type.layout();
            boolean isLbSet = layout != null && layout.isLbSet;
            boolean isUbSet = layout != null && layout.isUbSet;
            if (type.Size() > 0 || isLbSet) {
                addLb(at + type.Lb() + back, isLbSet ? SET : FOUND);
            }
            if (type.Size() > 0 || isUbSet) {
                addUb(at + type.Ub() + forth, isUbSet ? SET : FOUND);
            }
            if (type.Size() > 0) {
                trueLb = Math.min(trueLb, at + back + (layout == null ? 0 : layout.trueLb));
                trueUb = Math.max(trueUb, at + forth + (layout == null ? type.Size() : layout.trueUb));
            }
        }

        void addBound(boolean isLower, long at) {
            if (isLower) {
                addLb(at, SET);
            } else {
                addUb(at, SET);
            }
        }

        /** A bound that was set counts more than one that was found. */
        private void addLb(long value, int state) {
            if (state > lbState || state == lbState && value < lb) {
                lb = value;
                lbState = state;
            }
        }

        private void addUb(long value, int state) {
            if (state > ubState || state == ubState && value > ub) {
                ub = value;
                ubState = state;
            }
        }

        /** Lower and upper bound, then the true ones. */
        int[] bounds(String what) {
            if (trueLb > trueUb) {
                trueLb = 0;
                trueUb = 0;
            }
            long[] all = {lb, ub, trueLb, trueUb};
            int[] bounds = new int[all.length];
            for (int i = 0; i < all.length; i++) {
                bounds[i] = (int) all[i];
                if (bounds[i] != all[i]) {
                    throw tooLarge(what);
                }
            }
            if (size > Integer.MAX_VALUE || ub - lb != (int) (ub - lb)) {
                throw tooLarge(what);
            }
            return bounds;
        }

        /** A type in bytes as the engine made it, with the bounds that were set instead of those that it found. */
        Layout applied(String what, long handle) {
            Layout natural = Layout.ofBytes(what, handle);
            if (lbState != SET && ubState != SET) {
                return natural;
            }
            lb = lbState == SET ? lb : natural.lb;
            ub = ubState == SET ? ub : natural.ub;
            trueLb = natural.trueLb;
            trueUb = natural.trueUb;
            size = natural.size;
            try {
                int[] bounds = bounds(what);
                return layout(bounds, null, require(what, Native.typeVector(1, 1, 0, handle, lb, ub - lb)));
            } finally {
                Native.typeFree(handle);
            }
        }

        Layout layout(int[] bounds, int[] places, long handle) {
            return new Layout((int) size, bounds, lbState == SET, ubState == SET, places, handle);
        }
    }

    /** Where objects lie, in the order in which they are sent. */
    private static final class Places {
        final int[] all;
        private int count;

        Places(long size) {
            all = new int[(int) size];
        }

        void add(long at, int length, Datatype type) {
            int[] inner = type.layout() == null ? null : type.layout().places;
            for (int i = 0; i < length; i++) {
                long begin = at + (long) i * type.Extent();
                for (int k = 0; k < type.Size(); k++) {
                    all[count++] = (int) (begin + (inner == null ? k : inner[k]));
                }
            }
        }
    }
}
