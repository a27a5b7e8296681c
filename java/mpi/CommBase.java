// SPDX-License-Identifier: Apache-2.0
package mpi;

/**
 * Where members stand whose names and parameters are those of a member of {@link Comm}, but whose types are those
 * of another library. Source code cannot have both; class files can. The jar carries the full one, from
 * {@code java/legacy}; this one is what sources are compiled against.
 */
abstract class CommBase extends CommCore {
    CommBase(String name) {
        super(name);
    }

    /**
     * Declared so that {@link Comm} has it with this type as well, as MPJ Express does.
     *
     * @param keyval the key
     * @return what is under the key
     */
    public abstract Object Attr_get(int keyval);
}
