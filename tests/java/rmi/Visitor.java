// SPDX-License-Identifier: Apache-2.0
package rmi;

import corunna.rmi.FastRmi;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.rmi.RemoteException;
import java.rmi.server.RemoteObject;

/**
 * A server and its clients, of several users, which find it by a file. Arguments: {@code serve FILE}, until its input
 * ends, or {@code visit FILE}.
 */
public final class Visitor {
    private Visitor() {
    }

    private static final class OpenDoor implements Door {
        @Override
        public String knock() {
            return "open";
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[1]);
        if (args[0].equals("serve")) {
            serve(file);
        } else {
            visit(file);
        }
    }

    private static void serve(Path file) throws Exception {
        OpenDoor door = new OpenDoor();
        FastRmi.export(door, 0);
        Path draft = Path.of(file + ".draft");
        try (ObjectOutputStream out = new ObjectOutputStream(Files.newOutputStream(draft))) {
            out.writeObject(RemoteObject.toStub(door));
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        while (System.in.read() >= 0) {
            continue;
        }
        FastRmi.unexport(door, true);
    }

    private static void visit(Path file) throws Exception {
        Door ordinary;
        try (ObjectInputStream in = new ObjectInputStream(Files.newInputStream(file))) {
            ordinary = (Door) in.readObject();
        }
        Door fast = FastRmi.accelerate(ordinary);
        System.out.println("fast: " + knock(fast) + (FastRmi.isFast(fast) ? "" : ", by RMI"));
        System.out.println("ordinary: " + knock(ordinary));
        System.exit(0); // a lease may still be asked for
    }

    private static String knock(Door door) {
        try {
            return door.knock();
        } catch (RemoteException e) {
            return "refused";
        }
    }
}
