// SPDX-License-Identifier: Apache-2.0
package rmi;

import corunna.rmi.FastRmi;
import java.rmi.Remote;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The client of the tests: {@code DeskClient fast|plain PORT IS_FAST [CASE]...}. The port is that of a registry;
 * IS_FAST says whether calls must have gone the fast way. Properties test.registry and test.client are the addresses of
 * the two sides, where these are not one host.
 */
public final class DeskClient {
    private DeskClient() {
    }

    /** A case; it throws if it does not hold. */
    interface Case {
        void run(Cases cases) throws Exception;
    }

    private static Map<String, Case> cases() {
        Map<String, Case> all = new LinkedHashMap<>();
        all.put("values", Cases::values);
        all.put("arrays", Cases::arrays);
        all.put("strings", Cases::strings);
        all.put("objects", Cases::objects);
        all.put("sharing", Cases::sharing);
        all.put("exceptions", Cases::exceptions);
        all.put("unwritable", Cases::unwritable);
        all.put("threads", Cases::threads);
        all.put("callbacks", Cases::callbacks);
        all.put("stubs", Cases::stubs);
        all.put("context", Cases::context);
        all.put("filter", Cases::filter);
        all.put("unexport", Cases::unexport);
        all.put("unexportBusy", Cases::unexportBusy);
        all.put("transit", Cases::transit);
        all.put("leases", Cases::leases);
        all.put("death", Cases::death);
        return all;
    }

    public static void main(String[] arguments) throws Exception {
        boolean isFast = Boolean.parseBoolean(arguments[2]);
        boolean isAccelerated = arguments[0].equals("fast");
        Registry registry = LocateRegistry.getRegistry(System.getProperty("test.registry", "127.0.0.1"),
                Integer.parseInt(arguments[1]));
        Cases cases = new Cases(desk(registry, "desk", isAccelerated), desk(registry, "filtered", isAccelerated));
        Map<String, Case> all = cases();
        if (arguments.length > 3) {
            all.keySet().retainAll(java.util.Arrays.asList(arguments).subList(3, arguments.length));
        }
        if (System.getProperty("test.leases", "").equals("no")) { // they take time
            all.remove("leases");
        }
        for (Map.Entry<String, Case> one : all.entrySet()) {
            if (FastRmi.isFast(cases.desk()) != isFast) {
                throw new AssertionError("before " + one.getKey() + " the stub is " + (isFast ? "not " : "") + "fast");
            }
            one.getValue().run(cases);
            System.out.println(one.getKey());
        }
        System.out.println("all " + all.size() + " cases hold");
        System.exit(0);
    }

    private static Desk desk(Registry registry, String name, boolean isAccelerated) throws Exception {
        Remote found = registry.lookup(name);
        return (Desk) (isAccelerated ? FastRmi.accelerate(found) : found);
    }
}
