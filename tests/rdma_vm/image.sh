#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# image.sh FOLDER: make the kernel and the initial RAM disk of the guest in FOLDER, from Debian packages that are
# unpacked there and not installed. What is there already stays. RDMA_SIW=no: without soft-iWARP.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"

fail()
{
    echo "rdma_vm: $1: the guest cannot be made" >&2
    exit 1
}

wants_siw()
{
    [ "${RDMA_SIW:-yes}" != no ]
}

is_made()
{
    [ -f kernel/made ] && { ! wants_siw || [ -n "$(find kernel/lib/modules -name siw.ko)" ]; }
}

fetch() # folder, packages: unpack them there
{
    into=$1
    shift
    mkdir -p packages
    (cd packages && apt-get download -q "$@" > ../download.log 2>&1) || return 1
    for package; do
        dpkg-deb -x packages/"${package%%=*}"_*.deb "$into"
    done
}

make_siw() # Debian's kernel has no soft-iWARP; its source package does
{
    fetch headers "linux-headers-$release=$version" "linux-headers-${release%-*}-common=$version" \
        "linux-kbuild-${release%.*}" &&
        (cd packages && apt-get download -q "linux-source-${release%.*}=$version" >> ../download.log 2>&1) || return 1
    sources=$PWD/headers/usr/src
    sed -i "s#/usr/src/#$sources/#; s#/usr/lib/#$PWD/headers/usr/lib/#" "$sources/linux-headers-$release/Makefile"
    dpkg-deb --fsys-tarfile packages/linux-source-*.deb | tar -xO --wildcards '*.tar.xz' | xz -dc -T0 |
        tar -x --wildcards --strip-components=5 --one-top-level=siw '*/drivers/infiniband/sw/siw/*' || return 1
    make -s -C "$sources/linux-headers-$release" M="$PWD/siw" CONFIG_RDMA_SIW=m modules > siw.log 2>&1 || return 1
    mkdir -p "kernel/lib/modules/$release/extra"
    strip -d -o "kernel/lib/modules/$release/extra/siw.ko" siw/siw.ko
}

modules="virtio_pci virtio_mmio 9pnet_virtio 9p overlay virtio_rng dummy crc32_generic ib_uverbs rdma_ucm rdma_rxe"
make_initrd()
{
    rm -rf initrd
    mkdir -p initrd/bin initrd/modules
    depmod -b kernel "$release"
    [ ! -f "kernel/lib/modules/$release/extra/siw.ko" ] || modules="$modules crc32c_generic siw"
    for module in $modules; do
        modprobe -d kernel -S "$release" --show-depends "$module"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' > initrd/files
    while read -r file; do
        cp "$file" initrd/modules/
        basename "$file" .xz
    done < initrd/files > initrd/modules/order
    find initrd/modules -name '*.xz' -exec xz -d {} +
    cp /bin/busybox initrd/bin/
    cp "$here/init.sh" initrd/init
    chmod 755 initrd/init
    (cd initrd && find . | cpio -o -H newc --quiet) > initrd.cpio
}

for tool in apt-get dpkg-deb cpio depmod busybox xz; do
    PATH=$PATH:/usr/sbin:/sbin command -v $tool > /dev/null ||
        fail "there is no $tool (cmake/setup.sh rdma installs what is missing)"
done
PATH=$PATH:/usr/sbin:/sbin
if ! is_made; then
    rm -f initrd.cpio
    image=$(apt-cache depends "linux-image-$(dpkg --print-architecture)" 2> /dev/null |
        awk '/Depends:/ { print $2; exit }')
    [ -n "$image" ] || fail "apt knows no package of a kernel (apt-get update)"
    fetch kernel "$image" || fail "$image cannot be fetched (apt-get update; see $PWD/download.log)"
    version=$(dpkg-deb -f packages/"$image"_*.deb Version)
    release=${image#linux-image-}
    ! wants_siw || make_siw ||
        fail "soft-iWARP cannot be built (see $PWD/siw.log, download.log; RDMA_SIW=no goes without)"
    rm -rf packages headers siw
    touch kernel/made
fi
release=$(ls kernel/lib/modules)
[ initrd.cpio -nt "$here/init.sh" ] && [ initrd.cpio -nt "$here/image.sh" ] || make_initrd
