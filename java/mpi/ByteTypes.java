// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.util.Arrays;

/**
 * Derived types whose places are given in bytes. Where these are whole elements the type is one of the array's type,
 * else its buffers are of bytes.
 */
final class ByteTypes {
    private ByteTypes() {
    }

    static Datatype vector(String call, int count, int blocklength, int stride, Datatype oldtype) {
        int shift = Datatype.require(call, oldtype).shift();
        if (isMultiple(stride, shift)) {
            return Datatype.Hvector(count, blocklength, stride >> shift, oldtype);
        }
        String name = call + "(" + count + ", " + blocklength + ", " + stride + ", " + oldtype + ")";
        return Datatype.ofBytes(name, Layouts.bytesVector(name, count, blocklength, stride, oldtype));
    }

    static Datatype indexed(String call, int[] blocklengths, int[] displacements, Datatype oldtype) {
        int shift = Datatype.require(call, oldtype).shift();
        boolean areMultiples = true;
        int[] elements = displacements == null ? null : displacements.clone();
        for (int i = 0; elements != null && i < elements.length; i++) {
            areMultiples &= isMultiple(elements[i], shift);
            elements[i] >>= shift;
        }
        if (areMultiples) {
            return Datatype.Hindexed(blocklengths, elements, oldtype);
        }
        Datatype[] types = new Datatype[displacements.length];
        Arrays.fill(types, oldtype);
        String name = call + "(" + oldtype + ")";
        return Datatype.ofBytes(name, Layouts.bytesStruct(name, blocklengths, displacements, types));
    }

    static Datatype struct(String call, int[] blocklengths, int[] displacements, Datatype[] types) {
        if (types == null || blocklengths != null && types.length != blocklengths.length) {
            throw new MPIException(ErrorClass.ARG, call + ": there are "
                    + (blocklengths == null ? "no" : "" + blocklengths.length) + " blocklengths, but "
                    + (types == null ? "the array of types is null" : types.length + " types"));
        }
        for (Datatype each : types) {
            boolean isBound = each != null && each.isBound();
            if (!isBound && Datatype.require(call, each).isObject()) {
                throw new MPIException(ErrorClass.TYPE, call + ": " + each + " is not a type of bytes");
            }
        }
        String name = call + "(" + Arrays.toString(types) + ")";
        return Datatype.ofBytes(name, Layouts.bytesStruct(name, blocklengths, displacements, types));
    }

    static Datatype resized(String call, Datatype oldtype, int lb, int extent) {
        int shift = Datatype.require(call, oldtype).shift();
        String name = call + "(" + oldtype + ", " + lb + ", " + extent + ")";
        if (oldtype.isObject()) {
            throw new MPIException(ErrorClass.TYPE, call + ": " + oldtype + " is not a type of bytes");
        }
        if (isMultiple(lb, shift) && isMultiple(extent, shift)) {
            return oldtype.resized(name, lb >> shift, (lb >> shift) + (extent >> shift));
        }
        return Datatype.ofBytes(name, Layouts.bytesResized(name, oldtype, lb, extent));
    }

    private static boolean isMultiple(int bytes, int shift) {
        return (bytes & ((1 << shift) - 1)) == 0;
    }
}
