/* SPDX-License-Identifier: Apache-2.0 */
/* Which version of Java a command would run, found without starting it. */
#ifndef COR_RUN_JAVA_H
#define COR_RUN_JAVA_H

/* The version, 25 for instance, of the JDK that `java` belongs to, a path or a name that is searched for; from the
 * file `release` which every JDK has. 0: not known, for instance because it is a script that finds a JDK itself. */
int cor_run_java_version(const char *java);

/* From this version on a JVM warns, in four lines, about every native library it loads, unless the manifest of the jar
 * that is run, or else the option --enable-native-access, allows it. A JVM before 17 rejects the option. */
enum { RUN_JAVA_WARNS_OF_LIBRARIES = 24 };

#endif
