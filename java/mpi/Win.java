// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.Buffer;

/**
 * Memory that other ranks read and write, as the Open MPI Java bindings have it. The engine has no windows yet: the
 * constructors say so, and so does every call.
 */
public final class Win implements Freeable {
    /** The number of no window. */
    public static final int WIN_NULL = 0;
    /** Memory of each rank's own. */
    public static final int FLAVOR_PRIVATE = 0;
    /** Memory that the ranks of a host share. */
    public static final int FLAVOR_SHARED = 1;

    /**
     * Not supported yet: throws.
     *
     * @param number1 a number
     * @param number2 a number
     * @param info hints
     * @param comm the communicator
     * @param buf the array or buffer
     * @param number3 a number
     * @throws MPIException if the call fails
     */
    public Win(int number1, int number2, Info info, Comm comm, Buffer buf, int number3) throws MPIException {
        throw NotYet.call("Win");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number1 a number
     * @param number2 a number
     * @param info hints
     * @param comm the communicator
     * @throws MPIException if the call fails
     */
    public Win(Buffer buf, int number1, int number2, Info info, Comm comm) throws MPIException {
        throw NotYet.call("Win");
    }

    /**
     * Not supported yet: throws.
     *
     * @param info hints
     * @param comm the communicator
     * @throws MPIException if the call fails
     */
    public Win(Info info, Comm comm) throws MPIException {
        throw NotYet.call("Win");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number1 a number
     * @param type1 what the elements are
     * @param number2 a number
     * @param number3 a number
     * @param number4 a number
     * @param type2 what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public void accumulate(Buffer buf, int number1, Datatype type1, int number2, int number3, int number4,
            Datatype type2, Op op) throws MPIException {
        throw NotYet.call("Win.accumulate");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void attach(Buffer buf, int number) throws MPIException {
        throw NotYet.call("Win.attach");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void callErrhandler(int number) throws MPIException {
        throw NotYet.call("Win.callErrhandler");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf1 the array or buffer
     * @param buf2 the array or buffer
     * @param buf3 the array or buffer
     * @param type what the elements are
     * @param number1 a number
     * @param number2 a number
     * @throws MPIException if the call fails
     */
    public void compareAndSwap(Buffer buf1, Buffer buf2, Buffer buf3, Datatype type, int number1, int number2)
            throws MPIException {
        throw NotYet.call("Win.compareAndSwap");
    }

    /**
     * Not supported yet: throws.
     *
     * @throws MPIException if the call fails
     */
    public void complete() throws MPIException {
        throw NotYet.call("Win.complete");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public static int createKeyval() throws MPIException {
        throw NotYet.call("Win.createKeyval");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void deleteAttr(int number) throws MPIException {
        throw NotYet.call("Win.deleteAttr");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @throws MPIException if the call fails
     */
    public void detach(Buffer buf) throws MPIException {
        throw NotYet.call("Win.detach");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void fence(int number) throws MPIException {
        throw NotYet.call("Win.fence");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf1 the array or buffer
     * @param buf2 the array or buffer
     * @param type what the elements are
     * @param number1 a number
     * @param number2 a number
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public void fetchAndOp(Buffer buf1, Buffer buf2, Datatype type, int number1, int number2, Op op)
            throws MPIException {
        throw NotYet.call("Win.fetchAndOp");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void flush(int number) throws MPIException {
        throw NotYet.call("Win.flush");
    }

    /**
     * Not supported yet: throws.
     *
     * @throws MPIException if the call fails
     */
    public void flushAll() throws MPIException {
        throw NotYet.call("Win.flushAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void flushLocal(int number) throws MPIException {
        throw NotYet.call("Win.flushLocal");
    }

    /**
     * Not supported yet: throws.
     *
     * @throws MPIException if the call fails
     */
    public void flushLocalAll() throws MPIException {
        throw NotYet.call("Win.flushLocalAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @throws MPIException if the call fails
     */
    @Override
    public void free() throws MPIException {
        throw NotYet.call("Win.free");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @throws MPIException if the call fails
     */
    public static void freeKeyval(int number) throws MPIException {
        throw NotYet.call("Win.freeKeyval");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number1 a number
     * @param type1 what the elements are
     * @param number2 a number
     * @param number3 a number
     * @param number4 a number
     * @param type2 what the elements are
     * @throws MPIException if the call fails
     */
    public void get(Buffer buf, int number1, Datatype type1, int number2, int number3, int number4,
            Datatype type2) throws MPIException {
        throw NotYet.call("Win.get");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf1 the array or buffer
     * @param number1 a number
     * @param type1 what the elements are
     * @param buf2 the array or buffer
     * @param number2 a number
     * @param type2 what the elements are
     * @param number3 a number
     * @param number4 a number
     * @param number5 a number
     * @param type3 what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public void getAccumulate(Buffer buf1, int number1, Datatype type1, Buffer buf2, int number2, Datatype type2,
            int number3, int number4, int number5, Datatype type3, Op op) throws MPIException {
        throw NotYet.call("Win.getAccumulate");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @return never
     * @throws MPIException if the call fails
     */
    public Object getAttr(int number) throws MPIException {
        throw NotYet.call("Win.getAttr");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public Errhandler getErrhandler() throws MPIException {
        throw NotYet.call("Win.getErrhandler");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public Group getGroup() throws MPIException {
        throw NotYet.call("Win.getGroup");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public Info getInfo() throws MPIException {
        throw NotYet.call("Win.getInfo");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public String getName() throws MPIException {
        throw NotYet.call("Win.getName");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number1 a number
     * @param number2 a number
     * @param number3 a number
     * @throws MPIException if the call fails
     */
    public void lock(int number1, int number2, int number3) throws MPIException {
        throw NotYet.call("Win.lock");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void lockAll(int number) throws MPIException {
        throw NotYet.call("Win.lockAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param group which ranks
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void post(Group group, int number) throws MPIException {
        throw NotYet.call("Win.post");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number1 a number
     * @param type1 what the elements are
     * @param number2 a number
     * @param number3 a number
     * @param number4 a number
     * @param type2 what the elements are
     * @throws MPIException if the call fails
     */
    public void put(Buffer buf, int number1, Datatype type1, int number2, int number3, int number4,
            Datatype type2) throws MPIException {
        throw NotYet.call("Win.put");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number1 a number
     * @param type1 what the elements are
     * @param number2 a number
     * @param number3 a number
     * @param number4 a number
     * @param type2 what the elements are
     * @param op how two are combined
     * @return never
     * @throws MPIException if the call fails
     */
    public Request rAccumulate(Buffer buf, int number1, Datatype type1, int number2, int number3, int number4,
            Datatype type2, Op op) throws MPIException {
        throw NotYet.call("Win.rAccumulate");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number1 a number
     * @param type1 what the elements are
     * @param number2 a number
     * @param number3 a number
     * @param number4 a number
     * @param type2 what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public final Request rGet(Buffer buf, int number1, Datatype type1, int number2, int number3, int number4,
            Datatype type2) throws MPIException {
        throw NotYet.call("Win.rGet");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf1 the array or buffer
     * @param number1 a number
     * @param type1 what the elements are
     * @param buf2 the array or buffer
     * @param number2 a number
     * @param type2 what the elements are
     * @param number3 a number
     * @param number4 a number
     * @param number5 a number
     * @param type3 what the elements are
     * @param op how two are combined
     * @return never
     * @throws MPIException if the call fails
     */
    public Request rGetAccumulate(Buffer buf1, int number1, Datatype type1, Buffer buf2, int number2,
            Datatype type2, int number3, int number4, int number5, Datatype type3, Op op) throws MPIException {
        throw NotYet.call("Win.rGetAccumulate");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number1 a number
     * @param type1 what the elements are
     * @param number2 a number
     * @param number3 a number
     * @param number4 a number
     * @param type2 what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public final Request rPut(Buffer buf, int number1, Datatype type1, int number2, int number3, int number4,
            Datatype type2) throws MPIException {
        throw NotYet.call("Win.rPut");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @param buf the array or buffer
     * @throws MPIException if the call fails
     */
    public void setAttr(int number, Object buf) throws MPIException {
        throw NotYet.call("Win.setAttr");
    }

    /**
     * Not supported yet: throws.
     *
     * @param errhandler the handler
     * @throws MPIException if the call fails
     */
    public void setErrhandler(Errhandler errhandler) throws MPIException {
        throw NotYet.call("Win.setErrhandler");
    }

    /**
     * Not supported yet: throws.
     *
     * @param info hints
     * @throws MPIException if the call fails
     */
    public void setInfo(Info info) throws MPIException {
        throw NotYet.call("Win.setInfo");
    }

    /**
     * Not supported yet: throws.
     *
     * @param text a name
     * @throws MPIException if the call fails
     */
    public void setName(String text) throws MPIException {
        throw NotYet.call("Win.setName");
    }

    /**
     * Not supported yet: throws.
     *
     * @param group which ranks
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void start(Group group, int number) throws MPIException {
        throw NotYet.call("Win.start");
    }

    /**
     * Not supported yet: throws.
     *
     * @throws MPIException if the call fails
     */
    public void sync() throws MPIException {
        throw NotYet.call("Win.sync");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public boolean test() throws MPIException {
        throw NotYet.call("Win.test");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void unlock(int number) throws MPIException {
        throw NotYet.call("Win.unlock");
    }

    /**
     * Not supported yet: throws.
     *
     * @throws MPIException if the call fails
     */
    public void unlockAll() throws MPIException {
        throw NotYet.call("Win.unlockAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @throws MPIException if the call fails
     */
    public void waitFor() throws MPIException {
        throw NotYet.call("Win.waitFor");
    }
}
