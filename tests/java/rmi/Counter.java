// SPDX-License-Identifier: Apache-2.0
package rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** A remote object that a server makes for a client. */
public interface Counter extends Remote {
    int next() throws RemoteException;

    /** Waits in the call until {@link Desk#open}. */
    int nextAfterOpen() throws RemoteException;
}
