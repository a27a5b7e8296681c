// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Store;
import corunna.object.Decoder;
import corunna.object.Encoder;
import corunna.object.Gate;
import corunna.object.ObjectException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * What a rank needs to send and receive objects, kept from one message to the next: a store, an encoder and a decoder
 * for each thread that is doing so at the same time. When MPI is finalised they go, and what a thread still has goes
 * when it is done.
 */
final class ObjectRoom {
    /** Stores beyond this number, or of more bytes than that, go back to the engine's own pool. */
    private static final int KEPT_STORES = 8;
    private static final int KEPT_BYTES = 8 << 20;

    private final long rank;
    private final Gate gate;
    private final ArrayDeque<Store> stores = new ArrayDeque<>();
    private final ArrayDeque<Encoder> encoders = new ArrayDeque<>();
    private final ArrayDeque<Decoder> decoders = new ArrayDeque<>();
    /** Guarded by the stores. */
    private boolean isClosed;

    ObjectRoom(long rank, Gate gate) {
        this.rank = rank;
        this.gate = gate;
    }

    Store take() {
        synchronized (stores) {
            Store store = stores.poll();
            if (store != null) {
                return store;
            }
        }
        return new Store(rank);
    }

    /** Takes a store back that nothing else refers to. */
    void giveBack(Store store) {
        synchronized (stores) {
            if (!isClosed && stores.size() < KEPT_STORES && store.memory().capacity() <= KEPT_BYTES) {
                stores.push(store);
                return;
            }
        }
        store.give();
    }

    int encode(Store store, Object[] array, int offset, int count) throws ObjectException {
        Encoder encoder;
        synchronized (encoders) {
            encoder = encoders.poll();
        }
        if (encoder == null) {
            encoder = new Encoder();
        }
        int bytes = encoder.encode(store, array, offset, count);
        synchronized (encoders) {
            encoders.push(encoder); // one that failed is not used again
        }
        return bytes;
    }

    int decode(ByteBuffer message, Object[] array, int offset, int room) throws ObjectException {
        Decoder decoder;
        synchronized (decoders) {
            decoder = decoders.poll();
        }
        if (decoder == null) {
            decoder = new Decoder(ObjectRoom.class.getClassLoader(), gate);
        }
        int count = decoder.decode(message, array, offset, room);
        synchronized (decoders) {
            decoders.push(decoder);
        }
        return count;
    }

    /** MPI has been finalised: the memory outside the heap, of which the collector knows nothing, goes back. */
    void close() {
        synchronized (stores) {
            isClosed = true;
            stores.forEach(Store::give);
            stores.clear();
        }
        synchronized (encoders) {
            encoders.clear();
        }
        synchronized (decoders) {
            decoders.clear();
        }
    }
}
