// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.nio.ByteBuffer;

/** A program's own reduction, as the engine calls it while a collective call is under way. */
public interface Combiner {
    /**
     * Combines elements into the second memory. Throws nothing: what goes wrong is kept and told when the call ends,
     * so that the other ranks come to their end.
     *
     * @param in from the first byte of the first element to the last byte of the last
     * @param inout the same of the second operand, and the result
     * @param count how many elements
     */
    void combine(ByteBuffer in, ByteBuffer inout, long count);
}
