// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.LauncherArguments;
import corunna.engine.Native;
import corunna.engine.Settings;
import java.nio.ByteBuffer;

/** The beginning and the end of every program, the predefined communicators and datatypes, and the constants. */
public class MPI extends MPIKeys {
    /** {@link Comm#Compare}: the same communicator. */
    public static final int IDENT = 0;
    /** {@link Comm#Compare}: the same ranks in another order. */
    public static final int SIMILAR = 1;
    /** {@link Comm#Compare}: other ranks. */
    public static final int UNEQUAL = 2;
    /** {@link Comm#Compare}: the same ranks in the same order. */
    public static final int CONGRUENT = 3;

    /** Receive from any rank. */
    public static final int ANY_SOURCE = -2;
    /** Receive whatever the tag. */
    public static final int ANY_TAG = -2;
    /** No rank: sending to it and receiving from it is done at once. */
    public static final int PROC_NULL = -3;
    /** The root of a collective call, as it calls itself where the communicator joins two groups. */
    public static final int ROOT = -4;
    /** There is no such number. */
    public static final int UNDEFINED = -1;
    /** No particular size. */
    public static final int ANY_SIZE = -2;
    /** No particular type. */
    public static final int ANY_TYPE = -2;

    /** {@link Comm#Topo_test}: a graph. */
    public static final int GRAPH = 1;
    /** {@link Comm#Topo_test}: a Cartesian grid. */
    public static final int CART = 2;

    /** Only one thread runs. */
    public static final int THREAD_SINGLE = 1;
    /** Only the main thread calls MPI. */
    public static final int THREAD_FUNNELED = 2;
    /** One thread at a time calls MPI. */
    public static final int THREAD_SERIALIZED = 3;
    /** Several threads call MPI at once. */
    public static final int THREAD_MULTIPLE = 4;

    /** Bytes of an attached buffer that every buffered message takes beside its own. */
    public static final int BSEND_OVERHEAD = 512;
    /** Bytes that a message takes beside its own in a buffer of the program: none. */
    public static final int SEND_OVERHEAD = 0;
    /** Bytes that a message takes beside its own in a buffer of the program: none. */
    public static final int RECV_OVERHEAD = 0;
    /** The processors of this machine. */
    public static final int NUM_OF_PROCESSORS = Runtime.getRuntime().availableProcessors();
    /** Is the library one for finding errors? Programs print more if so. */
    public static final boolean DEBUG = false;
    /** As MPJ Express has it; means nothing here. */
    public static boolean isOldSelected = false;

    /** {@link Comm#Attr_get}: the highest tag. */
    public static final int TAG_UB = 0x7FFF_FF01;
    /** {@link Comm#Attr_get}: the rank on the host of the job; {@link #PROC_NULL}, for there is none. */
    public static final int HOST = 0x7FFF_FF02;
    /** {@link Comm#Attr_get}: the rank that can read and write files; {@link #ANY_SOURCE}, for all can. */
    public static final int IO = 0x7FFF_FF03;

    /** Elements of a {@code byte[]}. */
    public static final Datatype BYTE = Datatype.basic("MPI.BYTE", 1, Native.KIND_BYTE, 0, byte[].class);
    /** Elements of a {@code char[]}. */
    public static final Datatype CHAR = Datatype.basic("MPI.CHAR", 2, Native.KIND_CHAR, 1, char[].class);
    /** Elements of a {@code short[]}. */
    public static final Datatype SHORT = Datatype.basic("MPI.SHORT", 3, Native.KIND_SHORT, 1, short[].class);
    /** Elements of a {@code boolean[]}. */
    public static final Datatype BOOLEAN = Datatype.basic("MPI.BOOLEAN", 4, Native.KIND_BOOLEAN, 0, boolean[].class);
    /** Elements of an {@code int[]}. */
    public static final Datatype INT = Datatype.basic("MPI.INT", 5, Native.KIND_INT, 2, int[].class);
    /** Elements of a {@code long[]}. */
    public static final Datatype LONG = Datatype.basic("MPI.LONG", 6, Native.KIND_LONG, 3, long[].class);
    /** Elements of a {@code float[]}. */
    public static final Datatype FLOAT = Datatype.basic("MPI.FLOAT", 7, Native.KIND_FLOAT, 2, float[].class);
    /** Elements of a {@code double[]}. */
    public static final Datatype DOUBLE = Datatype.basic("MPI.DOUBLE", 8, Native.KIND_DOUBLE, 3, double[].class);
    /** Packed data, in a {@code byte[]}. */
    public static final Datatype PACKED = Datatype.packed("MPI.PACKED");
    /** Elements of an array of objects, which are serialised. */
    public static final Datatype OBJECT = Datatype.object("MPI.OBJECT", 12);
    /** The null datatype: no buffer is of it. */
    public static final Datatype NULL = new Datatype();
    /** The lower bound of a {@link Datatype#Struct}. */
    public static final Datatype LB = Datatype.bound("MPI.LB");
    /** The upper bound of a {@link Datatype#Struct}. */
    public static final Datatype UB = Datatype.bound("MPI.UB");
    /** Pairs in a {@code short[]}. */
    public static final Datatype SHORT2 = SHORT.pair();
    /** Pairs in an {@code int[]}. */
    public static final Datatype INT2 = INT.pair();
    /** Pairs in a {@code long[]}. */
    public static final Datatype LONG2 = LONG.pair();
    /** Pairs in a {@code float[]}. */
    public static final Datatype FLOAT2 = FLOAT.pair();
    /** Pairs in a {@code double[]}. */
    public static final Datatype DOUBLE2 = DOUBLE.pair();

    /** The larger. */
    public static final Op MAX = Op.predefined("MPI.MAX", Reduction.MAX);
    /** The smaller. */
    public static final Op MIN = Op.predefined("MPI.MIN", Reduction.MIN);
    /** The sum. */
    public static final Op SUM = Op.predefined("MPI.SUM", Reduction.SUM);
    /** The product. */
    public static final Op PROD = Op.predefined("MPI.PROD", Reduction.PROD);
    /** Logical and. */
    public static final Op LAND = Op.predefined("MPI.LAND", Reduction.LAND);
    /** Bitwise and. */
    public static final Op BAND = Op.predefined("MPI.BAND", Reduction.BAND);
    /** Logical or. */
    public static final Op LOR = Op.predefined("MPI.LOR", Reduction.LOR);
    /** Bitwise or. */
    public static final Op BOR = Op.predefined("MPI.BOR", Reduction.BOR);
    /** Logical exclusive or. */
    public static final Op LXOR = Op.predefined("MPI.LXOR", Reduction.LXOR);
    /** Bitwise exclusive or. */
    public static final Op BXOR = Op.predefined("MPI.BXOR", Reduction.BXOR);
    /** Of pairs of a value and a place, the larger value and where it is. */
    public static final Op MAXLOC = Op.predefined("MPI.MAXLOC", Reduction.MAXLOC);
    /** Of pairs of a value and a place, the smaller value and where it is. */
    public static final Op MINLOC = Op.predefined("MPI.MINLOC", Reduction.MINLOC);

    /** Errors are thrown, and end the job if they are not caught. */
    public static final Errhandler ERRORS_ARE_FATAL = new Errhandler("MPI.ERRORS_ARE_FATAL");
    /** Errors are thrown, and end the job if they are not caught. */
    public static final Errhandler ERRORS_RETURN = new Errhandler(Errhandler.RETURN_NAME);

    /** The null request. */
    public static final Request REQUEST_NULL = Request.none();
    /** The empty status. */
    public static final Status EMPTY_STATUS = new Status();

    /** The group without a member. */
    public static final Group GROUP_EMPTY = new Group(new int[0], UNDEFINED);
    /** No group at all. */
    public static final Group GROUP_NULL = new Group(new int[0], UNDEFINED);

    /** The null communicator. */
    public static final Comm COMM_NULL = new Comm("MPI.COMM_NULL");
    /** This rank alone. Before {@link #Init} null under {@code mpjrun}, else a communicator not yet usable. */
    public static Intracomm COMM_SELF = beforeInit("MPI.COMM_SELF");
    /** All ranks. Before {@link #Init} null under {@code mpjrun}, else a communicator not yet usable. */
    public static Intracomm COMM_WORLD = beforeInit("MPI.COMM_WORLD");

    /** Guards what follows. The calls that use it are rare. */
    private static final Object LOCK = new Object();
    private static Endpoint endpoint;
    /** Time is virtual (`corunna run --sim`). Read without the lock: changed by Init and Finalize alone. */
    private static volatile boolean hasOwnTime;
    private static boolean hasAttached;
    private static byte[] attachedArray;
    private static Errhandler errhandler = ERRORS_ARE_FATAL;

    static {
        announce(COMM_SELF);
    }

    /** An object of this class has no use; mpiJava allows to make one. */
    public MPI() {
    }

    /** Programs for MPJ Express ask whether COMM_WORLD is null yet, those for mpiJava and Open MPI use it as it is. */
    private static Intracomm beforeInit(String name) {
        return Settings.isMpjrun() ? null : new Intracomm(name);
    }

    // ---- life ----

    /**
     * Joins the job. Every rank calls it before any other call; after {@link #Finalize} it may be called again.
     *
     * @param args the arguments of {@code main}
     * @return the arguments that are the program's own: under {@code mpjrun} the first three of {@code main}, which are
     *     rank, number of ranks and device, are not; elsewhere all of them are
     * @throws MPIException if MPI is initialised, or the others cannot be reached
     */
    public static String[] Init(String[] args) throws MPIException {
        synchronized (LOCK) {
            if (isOpen()) {
                throw new MPIException(ErrorClass.OTHER, "Init: MPI is already initialised");
            }
            Endpoint opened = new Endpoint();
            COMM_WORLD = COMM_WORLD == null ? new Intracomm("MPI.COMM_WORLD") : COMM_WORLD;
            COMM_SELF = COMM_SELF == null ? new Intracomm("MPI.COMM_SELF") : COMM_SELF;
            COMM_WORLD.bind(opened, Native.world(opened.handle("Init")));
            COMM_SELF.bind(opened, Native.self(opened.handle("Init")));
            announce(COMM_SELF);
            endpoint = opened;
            hasOwnTime = Native.clock(opened.handle("Init")) >= 0;
            return args == null ? new String[0] : LauncherArguments.strip(args);
        }
    }

    /**
     * Joins the job and tells how threads may be used.
     *
     * @param args the arguments of {@code main}
     * @param required what the program needs: {@link #THREAD_SINGLE} to {@link #THREAD_MULTIPLE}
     * @return what it gets, {@link #THREAD_MULTIPLE}
     * @throws MPIException as {@link #Init}
     */
    public static int Init_thread(String[] args, int required) throws MPIException {
        if (required < THREAD_SINGLE || required > THREAD_MULTIPLE) {
            throw new MPIException(ErrorClass.ARG, "Init_thread: required is " + required + "; it is one of "
                    + THREAD_SINGLE + " (SINGLE) to " + THREAD_MULTIPLE + " (MULTIPLE)");
        }
        Init(args);
        return THREAD_MULTIPLE;
    }

    /**
     * Leaves the job. Every rank calls it when all its messages have been sent and received; it waits for the others.
     *
     * @throws MPIException if MPI is not initialised
     */
    public static void Finalize() throws MPIException {
        synchronized (LOCK) {
            Endpoint closing = require("Finalize");
            COMM_WORLD.unbind();
            COMM_SELF.unbind();
            attachedArray = null;
            hasAttached = false;
            hasOwnTime = false;
            closing.close();
        }
    }

    private static boolean isOpen() {
        return endpoint != null && endpoint.isOpen();
    }

    /** What the program is in, for a call of this name. */
    static Endpoint current(String call) {
        synchronized (LOCK) {
            return require(call);
        }
    }

    private static Endpoint require(String call) {
        if (endpoint == null) {
            throw new MPIException(ErrorClass.OTHER, call + ": MPI is not initialised");
        }
        endpoint.handle(call); // tells if it has been finalised
        return endpoint;
    }

    /**
     * Has {@link #Init} been called?
     *
     * @return true also after {@link #Finalize}
     * @throws MPIException never
     */
    public static boolean Initialized() throws MPIException {
        synchronized (LOCK) {
            return endpoint != null;
        }
    }

    /**
     * Has {@link #Finalize} been called?
     *
     * @return true until {@link #Init} is called again
     * @throws MPIException never
     */
    public static boolean Finalized() throws MPIException {
        synchronized (LOCK) {
            return endpoint != null && !endpoint.isOpen();
        }
    }

    /**
     * Joins the job and says how threads will be used.
     *
     * @param required what the program needs; {@link #THREAD_MULTIPLE} is provided whatever it is
     * @param provided ignored
     * @param args the arguments of {@code main}
     * @return as {@link #Init}
     */
    public static String[] initThread(int required, int provided, String[] args) {
        return Init(args);
    }

    /**
     * The version of the MPI standard that the calls follow.
     *
     * @return the number and the one behind the dot
     * @throws MPIException never
     */
    public static int[] Get_version() throws MPIException {
        return new int[] {1, 2};
    }

    /**
     * The handler that was set last for every communicator; see {@link Errhandler}.
     *
     * @return the handler
     * @throws MPIException never
     */
    public static Errhandler Errorhandler_get() throws MPIException {
        synchronized (LOCK) {
            return errhandler;
        }
    }

    /**
     * Says what shall happen on errors; see {@link Errhandler} for what that means in Java.
     *
     * @param newErrhandler the handler
     * @throws MPIException if it is null
     */
    public static void Errorhandler_set(Errhandler newErrhandler) throws MPIException {
        if (newErrhandler == null) {
            throw new MPIException(ErrorClass.ARG, "Errorhandler_set: the handler is null");
        }
        synchronized (LOCK) {
            errhandler = newErrhandler;
        }
    }

    /**
     * A key of the program's own, for {@link Comm#Set_attr}.
     *
     * @return the key
     */
    public static Keyval Comm_create_keyval() {
        return Keyval.create();
    }

    /**
     * Frees a key: it cannot be used any more.
     *
     * @param keyval the key
     */
    public static void Comm_free_keyval(Keyval keyval) {
        Keyval.free(keyval);
    }

    // ---- where and when ----

    /**
     * The machine this rank runs on.
     *
     * @return its name
     * @throws MPIException if MPI is not initialised
     */
    public static String Get_processor_name() throws MPIException {
        synchronized (LOCK) {
            return require("Get_processor_name").host();
        }
    }

    /**
     * The time since some moment in the past; of ranks that are simulated, their virtual time.
     *
     * @return seconds
     * @throws MPIException never
     */
    public static double Wtime() throws MPIException {
        return (hasOwnTime ? Native.clock(endpoint.handle("Wtime")) : System.nanoTime()) * 1e-9;
    }

    /**
     * The resolution of {@link #Wtime}.
     *
     * @return seconds
     * @throws MPIException never
     */
    public static double Wtick() throws MPIException {
        return 1e-9;
    }

    // ---- threads ----

    /**
     * How threads may be used.
     *
     * @return {@link #THREAD_MULTIPLE}
     * @throws MPIException if MPI is not initialised
     */
    public static int queryThread() throws MPIException {
        synchronized (LOCK) {
            require("queryThread");
            return THREAD_MULTIPLE;
        }
    }

    /**
     * Is this the thread that called {@link #Init}?
     *
     * @return true if so
     * @throws MPIException if MPI is not initialised
     */
    public static boolean isMainThread() throws MPIException {
        synchronized (LOCK) {
            return require("isMainThread").isMainThread();
        }
    }

    /**
     * Is this the thread that called {@link #Init}?
     *
     * @return true if so
     * @throws MPIException if MPI is not initialised
     */
    public static boolean Is_thread_main() throws MPIException {
        return isMainThread();
    }

    // ---- room for buffered sends ----

    /**
     * Gives room for buffered sends: as much as the array is long. The array itself is not used. The room replaces what
     * was attached before, once everything in that has been sent.
     *
     * @param buffer the array
     * @throws MPIException if the buffer is null
     */
    public static void Buffer_attach(byte[] buffer) throws MPIException {
        attach(buffer, null, buffer == null ? -1 : buffer.length);
    }

    /**
     * Gives room for buffered sends, as {@link #Buffer_attach(byte[])}. A direct buffer is used itself, of another its
     * capacity counts.
     *
     * @param buffer the buffer
     * @throws MPIException if the buffer is null
     */
    public static void Buffer_attach(ByteBuffer buffer) throws MPIException {
        attach(buffer != null && buffer.hasArray() ? buffer.array() : null,
                buffer != null && buffer.isDirect() ? buffer : null, buffer == null ? -1 : buffer.capacity());
    }

    /**
     * Gives room for buffered sends, as {@link #Buffer_attach(byte[])}.
     *
     * @param buffer how much
     * @throws MPIException if the buffer is null
     */
    public static void Buffer_attach(BufferMPI buffer) throws MPIException {
        attach(null, null, buffer == null ? -1 : buffer.bytes());
    }

    private static void attach(byte[] array, ByteBuffer direct, int bytes) {
        synchronized (LOCK) {
            long rank = require("Buffer_attach").handle("Buffer_attach");
            if (bytes < 0) {
                throw new MPIException(ErrorClass.BUFFER, "Buffer_attach: the buffer is null");
            }
            if (hasAttached) {
                detach();
            }
            Native.attach(rank, direct, bytes);
            attachedArray = array;
            hasAttached = true;
        }
    }

    /**
     * Takes the room for buffered sends back, after what is in it has been sent.
     *
     * @return the array that was attached, or null if it was a direct buffer
     * @throws MPIException if nothing is attached
     */
    public static byte[] Buffer_detach() throws MPIException {
        return detach();
    }

    /** Gives room for buffered sends, unless there is some. */
    static void attachOnce(String call, byte[] array) {
        synchronized (LOCK) {
            if (hasAttached) {
                throw new MPIException(ErrorClass.BUFFER, call + ": a buffer is attached already");
            }
            Buffer_attach(array);
        }
    }

    static byte[] detach() {
        synchronized (LOCK) {
            long rank = require("Buffer_detach").handle("Buffer_detach");
            if (!hasAttached) {
                throw new MPIException(ErrorClass.BUFFER, "Buffer_detach: no buffer is attached");
            }
            Native.detach(rank);
            byte[] detached = attachedArray;
            attachedArray = null;
            hasAttached = false;
            return detached;
        }
    }
}
