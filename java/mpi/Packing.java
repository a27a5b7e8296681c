// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import mpjbuf.Buffer;
import mpjbuf.BufferException;

/** Elements in packed form: in a {@code byte[]} as they lie in memory, in a {@link Buffer} as a section. */
final class Packing {
    private Packing() {
    }

    /** Objects stand behind their length. */
    private static final int LENGTH_BYTES = Integer.BYTES;

    // ---- room ----

    static int size(int count, Datatype type) {
        Datatype.require("Pack_size", type);
        if (count < 0) {
            throw new MPIException(ErrorClass.COUNT, "Pack_size: count is " + count + "; it cannot be negative");
        }
        long bytes = Buffer.sectionBytes(type.isObject() ? 0 : type.bytes(count));
        if (bytes > Integer.MAX_VALUE) {
            throw new MPIException(ErrorClass.COUNT, "Pack_size: " + count + " elements of " + type + " take " + bytes
                    + " bytes, more than an array has");
        }
        return (int) bytes;
    }

    static int size(Endpoint endpoint, int count, Object[] objects) {
        return LENGTH_BYTES + encoded("Pack_size", endpoint, objects, 0, count, MPI.OBJECT).length;
    }

    // ---- byte[] ----

    static int pack(Endpoint endpoint, Object in, int offset, int count, Datatype type, byte[] out, int position) {
        Datatype.require("Pack", type);
        checkPosition("Pack", out, position);
        if (type.isObject()) {
            byte[] bytes = encoded("Pack", endpoint, in, offset, count, type);
            int end = checkRoom("Pack", out, position, (long) LENGTH_BYTES + bytes.length);
            ByteBuffer.wrap(out).order(ByteOrder.nativeOrder()).putInt(position, bytes.length);
            System.arraycopy(bytes, 0, out, position + LENGTH_BYTES, bytes.length);
            return end;
        }
        type.checkNoSections("Pack", in);
        Cargo cargo = Cargo.out("Pack", endpoint, new Side(in, offset, count, type));
        int end = checkRoom("Pack", out, position, type.bytes(count));
        Native.pack(cargo.target, cargo.at, cargo.bytes, cargo.kind, out, position, type.bytes(count));
        cargo.close();
        return end;
    }

    static int unpack(Endpoint endpoint, byte[] in, int position, Object out, int offset, int count, Datatype type) {
        Datatype.require("Unpack", type);
        checkPosition("Unpack", in, position);
        if (type.isObject()) {
            type.checkBuffer("Unpack", out, offset, count);
            checkRoom("Unpack", in, position, LENGTH_BYTES);
            int length = ByteBuffer.wrap(in).order(ByteOrder.nativeOrder()).getInt(position);
            long all = LENGTH_BYTES + (length < 0 ? Integer.MAX_VALUE : (long) length);
            int end = checkRoom("Unpack", in, position, all);
            decode("Unpack", endpoint, in, position + LENGTH_BYTES, length, out, offset, count, type);
            return end;
        }
        type.checkNoSections("Unpack", out);
        Cargo cargo = Cargo.in("Unpack", endpoint, new Side(out, offset, count, type));
        int end = checkRoom("Unpack", in, position, type.bytes(count));
        Native.unpack(cargo.target, cargo.at, cargo.bytes, cargo.kind, in, position, type.bytes(count));
        cargo.close();
        return end;
    }

    private static void checkPosition(String call, byte[] buffer, int position) {
        if (buffer == null) {
            throw new MPIException(ErrorClass.BUFFER, call + ": the packed buffer is null");
        }
        if (position < 0 || position > buffer.length) {
            throw new MPIException(ErrorClass.ARG, call + ": position is " + position + ", but the packed buffer has "
                    + buffer.length + " bytes");
        }
    }

    private static int checkRoom(String call, byte[] buffer, int position, long bytes) {
        if (position + bytes > buffer.length) {
            throw new MPIException(ErrorClass.TRUNCATE, call + ": " + bytes + " bytes at position " + position
                    + " do not fit a packed buffer of " + buffer.length);
        }
        return (int) (position + bytes);
    }

    // ---- objects as bytes ----

    static byte[] serialize(Endpoint endpoint, Object buf, int offset, int count, Datatype type) {
        checkObjects("Object_Serialize", type);
        return encoded("Object_Serialize", endpoint, buf, offset, count, type);
    }

    static void deserialize(Endpoint endpoint, Object buf, byte[] bytes, int offset, int count, Datatype type) {
        checkObjects("Object_Deserialize", type);
        checkPosition("Object_Deserialize", bytes, 0);
        decode("Object_Deserialize", endpoint, bytes, 0, bytes.length, buf, offset, count, type);
    }

    private static void checkObjects(String call, Datatype type) {
        if (!Datatype.require(call, type).isObject()) {
            throw new MPIException(ErrorClass.TYPE, call + ": the datatype " + type + " is not one of objects");
        }
    }

    private static byte[] encoded(String call, Endpoint endpoint, Object in, int offset, int count, Datatype type) {
        Cargo cargo = Cargo.out(call, endpoint, new Side(in, offset, count, type));
        try {
            return cargo.copy();
        } finally {
            cargo.close();
        }
    }

    private static void decode(String call, Endpoint endpoint, byte[] bytes, int at, int length, Object out,
            int offset, int count, Datatype type) {
        Cargo cargo = Cargo.in(call, endpoint, new Side(out, offset, count, type));
        try {
            cargo.unload(call, bytes, at, length);
        } finally {
            cargo.close();
        }
    }

    // ---- mpjbuf.Buffer ----

    static int pack(Endpoint endpoint, Object in, int offset, int count, Datatype type, Buffer out) {
        Datatype.require("Pack", type);
        if (out == null) {
            throw new MPIException(ErrorClass.BUFFER, "Pack: the packed buffer is null");
        }
        type.checkNoSections("Pack", in);
        type.checkBuffer("Pack", in, offset, count);
        byte[] packed;
        if (type.isObject()) {
            packed = encoded("Pack", endpoint, in, offset, count, type);
        } else {
            packed = new byte[(int) Math.min(type.bytes(count), Integer.MAX_VALUE - 8)];
            pack(endpoint, in, offset, count, type, packed, 0);
        }
        try {
            return out.putPacked(type.getType(), (int) ((long) count * type.Size()), packed);
        } catch (BufferException e) {
            throw new MPIException(ErrorClass.BUFFER, "Pack: " + e.getMessage(), e);
        }
    }

    static int unpack(Endpoint endpoint, Buffer in, Object out, int offset, int count, Datatype type) {
        Datatype.require("Unpack", type);
        if (in == null) {
            throw new MPIException(ErrorClass.BUFFER, "Unpack: the packed buffer is null");
        }
        try {
            byte[] packed = in.getPacked(type.getType(), (int) ((long) count * type.Size()));
            if (type.isObject()) {
                decode("Unpack", endpoint, packed, 0, packed.length, out, offset, count, type);
            } else {
                unpack(endpoint, packed, 0, out, offset, count, type);
            }
            return in.position();
        } catch (BufferException e) {
            throw new MPIException(ErrorClass.BUFFER, "Unpack: " + e.getMessage(), e);
        }
    }
}
