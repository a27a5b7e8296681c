// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import corunna.engine.Store;
import corunna.object.ObjectException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import mpjbuf.Buffer;
import mpjbuf.BufferException;

/**
 * A buffer under a datatype that is not plain, as the engine takes it: a derived type goes with its layout, objects
 * are serialised into a {@link Store} before they are sent and out of one after they were received, and a
 * {@link Buffer} of sections goes through one as it is.
 *
 * <p>{@link #out} or {@link #in} makes one for one message; {@link #close} or {@link #leave} ends it. Before, one that
 * comes in is {@link #unload unloaded} once, when the message is there.
 */
final class Cargo implements Unloading {
    private static final int ANY_LENGTH = -1;

    private final Datatype type;
    private final Object buffer;
    private final int offset;
    private final int count;
    /** Where the store is from and goes, also after MPI was finalised. */
    private final ObjectRoom room;
    private Store store;

    /** The four things a buffer is to the engine. */
    final Object target;
    final long at;
    final long bytes;
    final int kind;

    private Cargo(String call, Endpoint endpoint, boolean isOut, Side side) {
        type = side.type;
        buffer = side.buffer;
        offset = side.offset;
        count = side.count;
        boolean isStored = type.isObject() || type.isSections(buffer);
        room = isStored ? endpoint.objects(call) : null;
        if (isStored) {
            target = null;
            kind = Native.KIND_STORE;
            store = room.take();
            at = isOut ? store.handle() : store.receiver();
            bytes = isOut ? fill(call) : ANY_LENGTH;
        } else if (type.layout() == null || count == 0 || type.Size() == 0) {
            boolean isEmpty = count == 0 || type.Size() == 0;
            target = isEmpty ? null : type.target(buffer);
            kind = type.kind(buffer);
            at = isEmpty ? 0 : type.locate(call, buffer, offset, count);
            bytes = type.bytes(count);
        } else {
            target = type.target(buffer);
            kind = type.kind(buffer) | Native.KIND_TYPED;
            long place = place(buffer, offset, type);
            if (place != (int) place) {
                throw new MPIException(ErrorClass.ARG, call + ": offset " + offset + " is out of range");
            }
            at = place << Integer.SIZE | count;
            bytes = type.layout().handle();
        }
    }

    /** Where an element of a buffer is under a derived type, as the engine counts: elements of an array, else bytes. */
    static long place(Object buffer, long element, Datatype type) {
        return Views.isInBytes(buffer) ? (element << type.shift()) + Views.base(buffer) : element;
    }

    /** The kind with what the elements are, for messages. */
    int messageKind() {
        return kind | type.typeClass();
    }

    /** To be sent. */
    static Cargo out(String call, Endpoint endpoint, Side side) {
        side.check(call);
        return new Cargo(call, endpoint, true, side);
    }

    /** To be received into. Where elements overlap the later ones of the message stay, since they are written last. */
    static Cargo in(String call, Endpoint endpoint, Side side) {
        side.check(call);
        return new Cargo(call, endpoint, false, side);
    }

    /**
     * A collective call receives into these elements. It may write them in any order, and send on what is there, so
     * they must not overlap.
     */
    static void checkApart(String call, int count, Datatype type) {
        if (type.layout() != null && count > type.layout().receiveMax()) {
            throw new MPIException(ErrorClass.TYPE, call + ": " + count + " elements of the datatype " + type
                    + " overlap; they can be sent, but a collective call cannot receive into them");
        }
    }

    @Override
    public boolean isAlways() {
        return false;
    }

    /** One of several in a buffer; all of them have been checked. */
    static Cargo part(String call, Endpoint endpoint, boolean isOut, Side side) {
        return new Cargo(call, endpoint, isOut, side);
    }

    /** The message is done, and no request has the store. */
    @Override
    public void close() {
        if (store != null) {
            room.giveBack(store);
            store = null;
        }
        Reference.reachabilityFence(type);
    }

    /** A request goes on with the store, or may; it keeps it by itself. */
    @Override
    public void leave() {
        if (store != null) {
            store.give();
            store = null;
        }
        Reference.reachabilityFence(type);
    }

    // ---- what goes through a store ----

    /** Writes what is sent into it. */
    private int fill(String call) {
        boolean isWritten = false;
        try {
            int length = type.isObject() ? encode(call) : keep(((Buffer) buffer).outgoing());
            isWritten = true;
            return length;
        } finally {
            if (!isWritten) {
                close();
            }
        }
    }

    private int keep(ByteBuffer sent) {
        ByteBuffer memory = store.memory();
        memory.clear();
        int length = sent.remaining();
        if (memory.capacity() < length) {
            memory = store.grow(length);
        }
        memory.put(sent);
        return length;
    }

    private static int replace(Buffer sections, ByteBuffer message, String from) {
        try {
            sections.incoming(message);
            return 0;
        } catch (BufferException e) {
            throw new MPIException(ErrorClass.NO_MEM, from + "cannot be stored: " + e.getMessage(), e);
        }
    }

    // ---- objects ----

    private int encode(String call) {
        try {
            Object[] objects = gathered(call);
            boolean isGathered = objects != buffer;
            return room.encode(store, objects, isGathered ? 0 : offset, objects(call));
        } catch (ObjectException e) {
            throw new MPIException(errorClass(e), call + ": " + e.getMessage(), e);
        }
    }

    /** The array itself where the objects lie in a row, else one in which they do. */
    private Object[] gathered(String call) {
        Layout layout = type.layout();
        if (layout == null) {
            return buffer == null ? new Object[0] : (Object[]) buffer;
        }
        Object[] array = (Object[]) buffer;
        Object[] objects = new Object[objects(call)];
        for (int i = 0, to = 0; i < count; i++) {
            int begin = offset + i * type.Extent();
            for (int place : layout.places) {
                objects[to++] = array[begin + place];
            }
        }
        return objects;
    }

    /** The serialised objects, on the heap. */
    byte[] copy() {
        byte[] copied = new byte[(int) bytes];
        ByteBuffer memory = store.memory();
        memory.clear();
        memory.get(copied);
        return copied;
    }

    /** Takes serialised objects that were kept on the heap to where they belong. */
    void unload(String call, byte[] packed, int begin, int length) {
        keep(ByteBuffer.wrap(packed, begin, length));
        unload(call, new Status(0, 0, length, MPI.BYTE));
    }

    /** Takes the objects of the message that has arrived to where they belong. */
    @Override
    public void unload(String call, Status status) {
        if (store != null && !status.isNothing()) {
            unload(call, call + ": the message from rank " + status.source + " with tag " + status.tag + " ",
                    status.bytes());
        }
    }

    /**
     * The same with the length of what has arrived, and the beginning of a sentence that names the sender.
     *
     * @return how many objects it has
     */
    int unload(String call, String from, long length) {
        ByteBuffer message = store.received(length);
        if (message == null) {
            throw new MPIException(ErrorClass.NO_MEM, from + "has " + length + " bytes, more than there is memory for");
        }
        if (!type.isObject()) {
            return replace((Buffer) buffer, message, from);
        }
        Layout layout = type.layout();
        int most = objects(call);
        Object[] array = layout == null && buffer != null ? (Object[]) buffer : new Object[most];
        try {
            int got = room.decode(message, array, array == buffer ? offset : 0, most);
            if (layout != null) {
                scatter(array, got, from);
            }
            return got;
        } catch (ObjectException e) {
            throw new MPIException(errorClass(e), from + e.getMessage(), e);
        }
    }

    /** How many objects the buffer has, or has room for. */
    int objects(String call) {
        long objects = (long) count * type.Size();
        if (objects > Integer.MAX_VALUE) {
            throw new MPIException(ErrorClass.COUNT, call + ": " + count + " elements of " + type + " are too many");
        }
        return (int) objects;
    }

    private void scatter(Object[] objects, int got, String from) {
        Layout layout = type.layout();
        Object[] array = (Object[]) buffer;
        try {
            for (int i = 0, next = 0; next < got; i++) {
                int begin = offset + i * type.Extent();
                for (int k = 0; k < layout.size && next < got; k++) {
                    array[begin + layout.places[k]] = objects[next++];
                }
            }
        } catch (ArrayStoreException e) {
            throw new MPIException(ErrorClass.TYPE, from + "has a " + e.getMessage() + ", which does not fit a "
                    + array.getClass().getSimpleName(), e);
        }
    }

    private static int errorClass(ObjectException failure) {
        switch (failure.kind()) {
        case TYPE:
            return ErrorClass.TYPE;
        case TRUNCATE:
            return ErrorClass.TRUNCATE;
        case MEMORY:
            return ErrorClass.NO_MEM;
        default:
            return ErrorClass.OTHER;
        }
    }
}
