// SPDX-License-Identifier: Apache-2.0
/**
 * Remote method invocation at the speed of fast sockets. {@link corunna.rmi.FastRmi} is what programs call; stubs,
 * registries, leases and exceptions are those of {@code java.rmi}.
 */
package corunna.rmi;
