// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/** Two vectors of one rank combined, wherever they are: in arrays, or in buffers. */
final class LocalReduction {
    private LocalReduction() {
    }

    static void reduce(String call, Side in, Side inout, Op op) {
        Endpoint endpoint = MPI.current(call);
        Datatype type = in.type;
        Reducing.require(call, type, op);
        in.check(call);
        inout.check(call);
        if (type.isObject() || type.layout() != null && op.number == 0) {
            type.checkElements(call, in.buffer);
            type.checkElements(call, inout.buffer);
            op.Call(in.buffer, in.offset, inout.buffer, inout.offset, in.count, type);
            return;
        }
        int number = op.number == 0 ? 0 : op.number(call, type);
        Stream one = Stream.copy(endpoint, call, in);
        Stream other = Stream.copyOfResult(endpoint, call, inout);
        if (one.bytes == 0) {
            return;
        }
        if (number != 0) {
            Native.combineMemory(endpoint.handle(call), one.address, other.address, one.bytes,
                    Native.opAndKind(number, type.reduceKind()), call);
        } else {
            Combination combination = new Combination(op, type);
            combination.combine(view(one), view(other), in.count);
            combination.tell();
        }
        Reference.reachabilityFence(one);
        other.unpack(endpoint, call);
    }

    private static ByteBuffer view(Stream stream) {
        ByteBuffer view = ((ByteBuffer) stream.kept).duplicate();
        view.clear();
        return view;
    }
}
