// SPDX-License-Identifier: Apache-2.0
package rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** What a process of another user knocks at. */
public interface Door extends Remote {
    /** Says that it is open. */
    String knock() throws RemoteException;
}
