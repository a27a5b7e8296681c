// SPDX-License-Identifier: Apache-2.0
package mpi;

/** The end of a collective call that went on in the background: what it received goes to where it belongs. */
final class Arrival implements Unloading {
    private final Endpoint endpoint;
    private final Stream in;
    /** The program's own operator at work, or null. */
    private final Combination combination;

    Arrival(Endpoint endpoint, Stream in, Combination combination) {
        this.endpoint = endpoint;
        this.in = in;
        this.combination = combination;
    }

    @Override
    public void unload(String call, Status status) {
        if (combination != null) {
            combination.tell();
        }
        in.unpack(endpoint, call);
    }

    @Override
    public boolean isAlways() {
        return true;
    }

    @Override
    public void close() {
        // The memory goes with the request.
    }

    @Override
    public void leave() {
        // The memory goes with the request.
    }
}
