#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cmake/setup.sh asks for no package that is installed, and for a JDK only if Java is wanted: setup_test.sh SETUP. Its
# apt-get is one that installs nothing.
set -eu
setup=$1
command -v dpkg-query > /dev/null 2>&1 || {
    echo "SKIPPED: dpkg-query, which knows what is installed, is not here"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\nexit 1\n' > "$work/apt-get"
printf '#!/bin/sh\necho 0\n' > "$work/id" # as root, whoever runs the test
chmod +x "$work/apt-get" "$work/id"

for purpose in build check merge all; do
    said=$(PATH="$work:$PATH" "$setup" "$purpose" 2> /dev/null) || true
    for package in ${said#setup: installing}; do
        if dpkg-query -W -f '${Status}\n' "$package" 2> /dev/null | grep -q '^install ok installed'; then
            echo "FAILED: setup.sh $purpose asks for $package, which is installed"
            exit 1
        fi
    done
done

# On a machine without a JDK.
mkdir "$work/bin"
ln -s /bin/* /usr/bin/* "$work/bin" 2> /dev/null || true
rm -f "$work/bin/javac"
ask()
{
    env -u JAVA_HOME PATH="$work:$work/bin" JAVA="$1" "$setup" build 2> /dev/null || true
}
case $(ask ON) in
    *default-jdk-headless*) ;;
    *) echo "FAILED: setup.sh does not see that there is no JDK: $(ask ON)" && exit 1 ;;
esac
case $(ask OFF) in
    *default-jdk-headless*) echo "FAILED: setup.sh asks for a JDK though JAVA is OFF" && exit 1 ;;
esac
