// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.Buffer;

/**
 * A file that all ranks read and write, as the Open MPI Java bindings have it. The engine has no such files yet: the
 * constructors say so, and so does every call.
 */
public final class File {
    /**
     * Not supported yet: throws.
     *
     * @param comm the communicator
     * @param text a name
     * @param number a number
     * @throws MPIException if the call fails
     */
    public File(Comm comm, String text, int number) throws MPIException {
        throw NotYet.call("File");
    }

    /**
     * Not supported yet: throws.
     *
     * @param comm the communicator
     * @param text a name
     * @param number a number
     * @param info hints
     * @throws MPIException if the call fails
     */
    public File(Comm comm, String text, int number, Info info) throws MPIException {
        throw NotYet.call("File");
    }

    /**
     * Not supported yet: throws.
     *
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void callErrhandler(int number) throws MPIException {
        throw NotYet.call("File.callErrhandler");
    }

    /**
     * Not supported yet: throws.
     *
     * @throws MPIException if the call fails
     */
    public void close() throws MPIException {
        throw NotYet.call("File.close");
    }

    /**
     * Not supported yet: throws.
     *
     * @param text a name
     * @throws MPIException if the call fails
     */
    public static void delete(String text) throws MPIException {
        throw NotYet.call("File.delete");
    }

    /**
     * Not supported yet: throws.
     *
     * @param text a name
     * @param info hints
     * @throws MPIException if the call fails
     */
    public static void delete(String text, Info info) throws MPIException {
        throw NotYet.call("File.delete");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public int getAMode() throws MPIException {
        throw NotYet.call("File.getAMode");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public boolean getAtomicity() throws MPIException {
        throw NotYet.call("File.getAtomicity");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @return never
     * @throws MPIException if the call fails
     */
    public long getByteOffset(long position) throws MPIException {
        throw NotYet.call("File.getByteOffset");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public Errhandler getErrhandler() throws MPIException {
        throw NotYet.call("File.getErrhandler");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public Group getGroup() throws MPIException {
        throw NotYet.call("File.getGroup");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public Info getInfo() throws MPIException {
        throw NotYet.call("File.getInfo");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public long getPosition() throws MPIException {
        throw NotYet.call("File.getPosition");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public long getPositionShared() throws MPIException {
        throw NotYet.call("File.getPositionShared");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     * @throws MPIException if the call fails
     */
    public long getSize() throws MPIException {
        throw NotYet.call("File.getSize");
    }

    /**
     * Not supported yet: throws.
     *
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public int getTypeExtent(Datatype type) throws MPIException {
        throw NotYet.call("File.getTypeExtent");
    }

    /**
     * Not supported yet: throws.
     *
     * @return never
     */
    public FileView getView() {
        throw NotYet.call("File.getView");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iRead(Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iRead");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iReadAll(Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iReadAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iReadAt(long position, Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iReadAt");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iReadAtAll(long position, Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iReadAtAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iReadShared(Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iReadShared");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iWrite(Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iWrite");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iWriteAll(Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iWriteAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iWriteAt(long position, Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iWriteAt");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iWriteAtAll(long position, Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iWriteAtAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Request iWriteShared(Buffer buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.iWriteShared");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @throws MPIException if the call fails
     */
    public void preallocate(long position) throws MPIException {
        throw NotYet.call("File.preallocate");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status read(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.read");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status readAll(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.readAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @throws MPIException if the call fails
     */
    public void readAllBegin(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.readAllBegin");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @return never
     * @throws MPIException if the call fails
     */
    public Status readAllEnd(Object buf) throws MPIException {
        throw NotYet.call("File.readAllEnd");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status readAt(long position, Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.readAt");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status readAtAll(long position, Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.readAtAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @throws MPIException if the call fails
     */
    public void readAtAllBegin(long position, Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.readAtAllBegin");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @return never
     * @throws MPIException if the call fails
     */
    public Status readAtAllEnd(Object buf) throws MPIException {
        throw NotYet.call("File.readAtAllEnd");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status readOrdered(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.readOrdered");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @throws MPIException if the call fails
     */
    public void readOrderedBegin(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.readOrderedBegin");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @return never
     * @throws MPIException if the call fails
     */
    public Status readOrderedEnd(Object buf) throws MPIException {
        throw NotYet.call("File.readOrderedEnd");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status readShared(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.readShared");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void seek(long position, int number) throws MPIException {
        throw NotYet.call("File.seek");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param number a number
     * @throws MPIException if the call fails
     */
    public void seekShared(long position, int number) throws MPIException {
        throw NotYet.call("File.seekShared");
    }

    /**
     * Not supported yet: throws.
     *
     * @param flag whether
     * @throws MPIException if the call fails
     */
    public void setAtomicity(boolean flag) throws MPIException {
        throw NotYet.call("File.setAtomicity");
    }

    /**
     * Not supported yet: throws.
     *
     * @param errhandler the handler
     * @throws MPIException if the call fails
     */
    public void setErrhandler(Errhandler errhandler) throws MPIException {
        throw NotYet.call("File.setErrhandler");
    }

    /**
     * Not supported yet: throws.
     *
     * @param info hints
     * @throws MPIException if the call fails
     */
    public void setInfo(Info info) throws MPIException {
        throw NotYet.call("File.setInfo");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @throws MPIException if the call fails
     */
    public void setSize(long position) throws MPIException {
        throw NotYet.call("File.setSize");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param type1 what the elements are
     * @param type2 what the elements are
     * @param text a name
     * @throws MPIException if the call fails
     */
    public void setView(long position, Datatype type1, Datatype type2, String text) throws MPIException {
        throw NotYet.call("File.setView");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param type1 what the elements are
     * @param type2 what the elements are
     * @param text a name
     * @param info hints
     * @throws MPIException if the call fails
     */
    public void setView(long position, Datatype type1, Datatype type2, String text, Info info) throws MPIException {
        throw NotYet.call("File.setView");
    }

    /**
     * Not supported yet: throws.
     *
     * @throws MPIException if the call fails
     */
    public void sync() throws MPIException {
        throw NotYet.call("File.sync");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status write(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.write");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status writeAll(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.writeAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @throws MPIException if the call fails
     */
    public void writeAllBegin(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.writeAllBegin");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @return never
     * @throws MPIException if the call fails
     */
    public Status writeAllEnd(Object buf) throws MPIException {
        throw NotYet.call("File.writeAllEnd");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status writeAt(long position, Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.writeAt");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status writeAtAll(long position, Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.writeAtAll");
    }

    /**
     * Not supported yet: throws.
     *
     * @param position where in the packed data, in bytes
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @throws MPIException if the call fails
     */
    public void writeAtAllBegin(long position, Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.writeAtAllBegin");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @return never
     * @throws MPIException if the call fails
     */
    public Status writeAtAllEnd(Object buf) throws MPIException {
        throw NotYet.call("File.writeAtAllEnd");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status writeOrdered(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.writeOrdered");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @throws MPIException if the call fails
     */
    public void writeOrderedBegin(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.writeOrderedBegin");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @return never
     * @throws MPIException if the call fails
     */
    public Status writeOrderedEnd(Object buf) throws MPIException {
        throw NotYet.call("File.writeOrderedEnd");
    }

    /**
     * Not supported yet: throws.
     *
     * @param buf the array or buffer
     * @param number a number
     * @param type what the elements are
     * @return never
     * @throws MPIException if the call fails
     */
    public Status writeShared(Object buf, int number, Datatype type) throws MPIException {
        throw NotYet.call("File.writeShared");
    }
}
