#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# maven_test.sh BUILD SOURCE: the Maven project in examples, built offline with Debian's plugins, and run.
set -eu
build=$1 source=$2
plugins=/usr/share/maven-repo/org/apache/maven/plugins
for plugin in resources compiler surefire jar; do
    [ -d "$plugins/maven-$plugin-plugin" ] || {
        echo "SKIPPED: Debian's package of the Maven plugin $plugin is not here"
        exit 77
    }
done
command -v mvn > /dev/null || {
    echo "SKIPPED: Maven is not here (Debian package maven)"
    exit 77
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# A repository of this test's own; what Debian's packages have comes by a file, everything else does not exist.
cp -r "$build/maven" repository
cat > settings.xml << 'END'
<settings>
  <mirrors>
    <mirror><id>debian</id><mirrorOf>*</mirrorOf><url>file:///usr/share/maven-repo</url></mirror>
  </mirrors>
</settings>
END
cp -r "$source/examples/maven" project
timeout 1200 mvn -o -B -q -s settings.xml -Dmaven.repo.local="$work/repository" -Daether.offline.protocols=file \
    -f project/pom.xml package > log 2>&1 || fail "mvn package: $(cat log)"

expected="168 primes below 1000, the largest is 997, found by 3 ranks"
timeout 600 "$build/bin/mpjrun" -np 3 -jar project/target/primes-1.0.jar 1000 > out 2>&1 || fail "mpjrun: $(cat out)"
[ "$(cat out)" = "$expected" ] || fail "mpjrun printed $(cat out)"
timeout 600 java -jar repository/corunna/corunna/*/corunna-*[0-9].jar -np 3 -jar project/target/primes-1.0.jar 1000 \
    > out 2>&1 ||
    fail "java -jar: $(cat out)"
[ "$(cat out)" = "$expected" ] || fail "java -jar printed $(cat out)"
