// SPDX-License-Identifier: Apache-2.0
package table;

/** A parameter of a row: its Java type or one of the two of {@link Kinds}, its name, and what it is. */
final class Parameter {
    final String type;
    final String name;
    final String text;

    Parameter(String type, String name, String text) {
        this.type = type;
        this.name = name;
        this.text = text;
    }
}
