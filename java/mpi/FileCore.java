// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a file is: the engine's handle, its life, its view, its pointers and its properties. {@link Transfers} reads and
 * writes, and {@link File}, which programs see, is made from the table {@code java/table/File.api}.
 *
 * <p>A message names the call and the file. The engine's sentences begin with the file's name, too; {@link
 * MPIException} puts the method before them that the program called.
 */
abstract class FileCore {
    /** The names of data representations, by the engine's numbers. */
    private static final List<String> FORMATS = List.of("native", "internal", "external32");

    /** The engine's file, 0 once closed. */
    private long handle;
    private boolean isUsable;
    /** Threads in calls of this file, and whether one of them is in a collective one. */
    private int calls;
    private boolean isInCollective;
    Endpoint endpoint;
    private Group group;
    private String name;
    private int mode;
    private Errhandler errhandler = MPI.ERRORS_RETURN;
    private Datatype etype = MPI.BYTE;
    private Datatype filetype = MPI.BYTE;
    private int format = Native.FILE_NATIVE;
    /** The split collective access that has begun and not ended; else null. */
    Transfers.Split split;

    // ---- life ----

    final void open(String call, Comm comm, String fileName, int amode, Info info) {
        Info hints = Info.require(call, info);
        if (comm == null) {
            throw new MPIException(ErrorClass.COMM, call + ": the communicator is a null reference");
        }
        long over = comm.handle(call);
        if (comm.isInter) {
            throw new MPIException(ErrorClass.COMM, call + ": " + comm.name
                    + " is an intercommunicator; a file is opened by one group of ranks");
        }
        handle = Native.fileOpen(over, bytesOf(call, fileName), amode, pairs(hints));
        endpoint = comm.endpoint;
        group = comm.group;
        name = fileName;
        mode = amode;
        isUsable = true;
        endpoint.add(this);
    }

    /** A name goes to the system in UTF-8, whatever the locale is. */
    private static byte[] bytesOf(String call, String fileName) {
        if (fileName == null) {
            throw new MPIException(ErrorClass.BAD_FILE, call + ": the file's name is null");
        }
        if (fileName.indexOf('\0') >= 0) {
            throw new MPIException(ErrorClass.BAD_FILE, call + ": the file's name has a character of code 0");
        }
        return fileName.getBytes(StandardCharsets.UTF_8);
    }

    private static String[] pairs(Info info) {
        List<String> pairs = new ArrayList<>();
        for (int i = 0; !info.isNull() && i < info.size(); i++) {
            pairs.add(info.getKey(i));
            pairs.add(info.get(info.getKey(i)));
        }
        return pairs.toArray(new String[0]);
    }

    static void remove(String call, String fileName, Info info) {
        Info.require(call, info);
        Native.fileDelete(MPI.current(call).handle(call), bytesOf(call, fileName));
    }

    final void shut(String call) {
        long closed = enter(call, true);
        try {
            checkAlone(call);
            checkEnded(call);
            synchronized (this) {
                isUsable = false;
                handle = 0;
            }
            endpoint.remove(this);
            Native.fileClose(closed);
        } finally {
            leave(true);
        }
    }

    private synchronized void checkAlone(String call) {
        if (calls > 1) {
            throw new MPIException(ErrorClass.OTHER, at(call) + "another thread of this rank is in a call of the file");
        }
    }

    private void checkEnded(String call) {
        if (split != null) {
            throw new MPIException(ErrorClass.IO, at(call) + split.begin + " has not been ended");
        }
    }

    /** MPI is being finalised. */
    final synchronized void unbind() {
        isUsable = false;
    }

    /** MPI has been finalised: the engine needs nothing of this any more. */
    final void forget() {
        split = null;
    }

    // ---- calls ----

    /** The beginning of a message: the call and the file. */
    final String at(String call) {
        return call + ": " + name + ": ";
    }

    /**
     * The engine's file for a call of this name, which ends by {@link #leave}: so no thread closes a file that another
     * one uses. Collective calls of one rank come one after the other.
     */
    final synchronized long enter(String call, boolean isCollective) {
        if (!isUsable) {
            throw new MPIException(ErrorClass.FILE, handle == 0 ? at(call) + "the file has been closed"
                    : call + ": MPI has been finalised");
        }
        if (isCollective && isInCollective) {
            throw new MPIException(ErrorClass.OTHER, at(call)
                    + "another thread of this rank is in a collective call of the file");
        }
        isInCollective |= isCollective;
        calls++;
        return handle;
    }

    final synchronized void leave(boolean isCollective) {
        isInCollective &= !isCollective;
        calls--;
    }

    /** One of the engine's numbers. */
    final long number(String call, int which) {
        long file = enter(call, false);
        try {
            return Native.fileNumber(file, which);
        } finally {
            leave(false);
        }
    }

    /** Changes something together with the other ranks. */
    final void change(String call, int what, long value) {
        if (value < 0) {
            throw new MPIException(ErrorClass.ARG, at(call) + "the size is " + value + "; it cannot be negative");
        }
        long file = enter(call, true);
        try {
            Native.fileSet(file, what, value);
        } finally {
            leave(true);
        }
    }

    // ---- the view ----

    final void see(String call, long displacement, Datatype newEtype, Datatype newFiletype, String datarep,
            Info info) {
        Info hints = Info.require(call, info);
        requireValues(at(call), newEtype);
        requireValues(at(call), newFiletype);
        if (displacement < 0 && displacement != MPI.DISPLACEMENT_CURRENT) {
            throw new MPIException(ErrorClass.ARG, at(call) + "displacement is " + displacement
                    + "; it cannot be negative");
        }
        int newFormat = datarep == null ? -1 : FORMATS.indexOf(datarep);
        if (newFormat < 0) {
            throw new MPIException(ErrorClass.UNSUPPORTED_DATAREP, at(call) + "datarep is " + datarep
                    + "; it is native, internal or external32");
        }
        long file = enter(call, true);
        try {
            setView(file, displacement, newEtype, newFiletype, newFormat);
            etype = kept(newEtype);
            filetype = kept(newFiletype);
            format = newFormat;
            Native.fileSetHints(file, pairs(hints));
        } finally {
            leave(true);
        }
    }

    private static void setView(long file, long displacement, Datatype etype, Datatype filetype, int format) {
        long elements = 0;
        long places = 0;
        try {
            elements = Layouts.handle(etype);
            places = Layouts.handle(filetype);
            Native.fileSetView(file, displacement, elements, places, format);
        } finally {
            Layouts.release(etype, elements);
            Layouts.release(filetype, places);
        }
    }

    /** The program may free its own. */
    private static Datatype kept(Datatype type) {
        return type.isDerived() ? type.duplicate() : type;
    }

    /** Elements that memory outside of Java's heap can have. */
    static void requireValues(String where, Datatype type) {
        String call = where.substring(0, where.length() - ": ".length());
        if (Datatype.require(call, type).isObject()) {
            throw new MPIException(ErrorClass.TYPE, where + "elements of " + type + " cannot be in a file");
        }
    }

    final FileView view(String call) {
        long displacement = number(call, Native.FILE_DISPLACEMENT);
        return new FileView(displacement, kept(etype), kept(filetype), FORMATS.get(format));
    }

    final int extent(String call, Datatype type) {
        requireValues(at(call), type);
        long file = enter(call, false);
        long elements = 0;
        try {
            elements = Layouts.handle(type);
            long extent = Native.fileTypeExtent(file, elements);
            if (extent != (int) extent) {
                throw new MPIException(ErrorClass.COUNT, at(call) + "the extent of " + type + " is " + extent
                        + " bytes, more than an int can say");
            }
            return (int) extent;
        } finally {
            Layouts.release(type, elements);
            leave(false);
        }
    }

    final long byteOffset(String call, long offset) {
        long file = enter(call, false);
        try {
            return Native.fileByteOffset(file, offset);
        } finally {
            leave(false);
        }
    }

    // ---- pointers ----

    final void move(String call, long offset, int whence, boolean isSharedPointer) {
        int from = whence == MPI.SEEK_SET ? Native.FILE_FROM_BEGIN : whence == MPI.SEEK_CUR ? Native.FILE_FROM_HERE
                : whence == MPI.SEEK_END ? Native.FILE_FROM_END : -1;
        if (from < 0) {
            throw new MPIException(ErrorClass.ARG, at(call) + "whence is " + whence
                    + "; it is MPI.SEEK_SET, MPI.SEEK_CUR or MPI.SEEK_END");
        }
        long file = enter(call, isSharedPointer);
        try {
            Native.fileSeek(file, offset, from, isSharedPointer);
        } finally {
            leave(isSharedPointer);
        }
    }

    // ---- properties ----

    private void check(String call) {
        enter(call, false);
        leave(false);
    }

    final Group ranks(String call) {
        check(call);
        return group;
    }

    final int amode(String call) {
        check(call);
        return mode;
    }

    final void hint(String call, Info info) {
        Info hints = Info.require(call, info);
        long file = enter(call, true);
        try {
            Native.fileSetHints(file, pairs(hints));
        } finally {
            leave(true);
        }
    }

    final Info hints(String call) {
        long file = enter(call, false);
        try {
            String[] pairs = Native.fileHints(file);
            Info info = new Info();
            for (int i = 0; i < pairs.length; i += 2) {
                info.set(pairs[i], pairs[i + 1]);
            }
            return info;
        } finally {
            leave(false);
        }
    }

    final Errhandler handler(String call) {
        check(call);
        return errhandler;
    }

    final void setHandler(String call, Errhandler newErrhandler) {
        check(call);
        if (newErrhandler == null) {
            throw new MPIException(ErrorClass.ARG, at(call) + "the handler is null");
        }
        errhandler = newErrhandler;
    }

    final void callHandler(String call, int errorcode) {
        check(call);
        if (!errhandler.isReturn()) {
            throw new MPIException(errorcode, at(call) + "the program reports error " + errorcode);
        }
    }
}
