// SPDX-License-Identifier: Apache-2.0
package rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** What a server calls while it is called. */
public interface Back extends Remote {
    int again(int depth) throws RemoteException;
}
