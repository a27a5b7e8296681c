// SPDX-License-Identifier: Apache-2.0
/** What programs for MPJ Express use of its buffers: {@link mpjbuf.Buffer} with {@code Pack} and {@code Unpack}. */
package mpjbuf;
