// SPDX-License-Identifier: Apache-2.0
package rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** An interface that another one extends. */
public interface Greeter extends Remote {
    String greet(String name) throws RemoteException;
}
