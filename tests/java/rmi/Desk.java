// SPDX-License-Identifier: Apache-2.0
package rmi;

import java.io.IOException;
import java.rmi.RemoteException;

/** What the tests call. */
public interface Desk extends Greeter {
    void nothing() throws RemoteException;

    String primitives(boolean a, byte b, char c, short d, int e, long f, float g, double h) throws RemoteException;

    boolean not(boolean value) throws RemoteException;

    byte next(byte value) throws RemoteException;

    char next(char value) throws RemoteException;

    short next(short value) throws RemoteException;

    int next(int value) throws RemoteException;

    long next(long value) throws RemoteException;

    float next(float value) throws RemoteException;

    double next(double value) throws RemoteException;

    double sum(double[] values) throws RemoteException;

    Object echo(Object value) throws RemoteException;

    /** The same object twice? */
    boolean isSame(Object first, Object second) throws RemoteException;

    /** Is one of them an array of objects whose first element is the other one? */
    boolean isFirst(Object one, Object other) throws RemoteException;

    /** Is the array the one in the parcel? */
    boolean isInside(Parcel parcel, double[] values) throws RemoteException;

    void fail(String how) throws IOException;

    /** Calls back, which calls again, so many times. */
    int call(Back back, int depth) throws RemoteException;

    /** A new remote object to which the server keeps no reference: as itself, or as its stub, fast or ordinary. */
    Counter counter(String how, String group) throws RemoteException;

    /** How many counters of a group no client refers to any more. */
    int abandoned(String group) throws RemoteException;

    /** Collects garbage. */
    void collect() throws RemoteException;

    String clientHost() throws RemoteException;

    String contextLoader() throws RemoteException;

    /** An object that cannot be serialised. */
    Object unwritable() throws RemoteException;

    /** Unexports the object, unless a call is under way; says whether. */
    boolean unexport(Counter counter, boolean isForced) throws RemoteException;

    /** Unexports the object, and exports it anew. */
    Counter reexport(Counter counter) throws RemoteException;

    /** Waits in the call until {@link #open}. */
    void waitForOpen() throws RemoteException;

    /** So many threads are in {@link #waitForOpen}. */
    int waiting() throws RemoteException;

    void open() throws RemoteException;

    /** Ends the server's JVM, without a reply. */
    void halt() throws RemoteException;
}
