#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# The first process of the guest: load the drivers, put a writable layer over the host's files, run the script that the
# kernel's command line names, leave its exit status in the exchange folder.
busybox=/bin/busybox
$busybox mkdir -p /proc /sys /dev /host /layer /root
$busybox mount -t proc proc /proc
$busybox --install -s /bin
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev

value() { sed -n "s/.*corunna\.$1=\([^ ]*\).*/\1/p" /proc/cmdline; }
date -s "@$(value now)" > /dev/null
while read -r module; do
    insmod "/modules/$module" || echo "guest: the driver $module does not load"
done < /modules/order

share="trans=virtio,version=9p2000.L,msize=1048576"
mount -t 9p -o "ro,cache=loose,$share" host /host &&
    mount -t tmpfs tmpfs /layer && mkdir /layer/upper /layer/work &&
    mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work overlay /root || poweroff -f
for place in proc sys dev; do
    mount --move /$place /root/$place
done
mkdir -p /root/dev/shm /root/dev/pts /root/exchange
ln -s /proc/self/fd /root/dev/fd
mount -t tmpfs tmpfs /root/dev/shm
mount -t tmpfs tmpfs /root/run
mount -t devpts devpts /root/dev/pts
mount -t 9p -o "cache=none,$share" exchange /root/exchange
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
ip link set lo up
hostname guest

chroot /root /bin/sh -c 'ulimit -l unlimited; ulimit -n 65536; exec sh /exchange/command' < /root/dev/null 2>&1
echo $? > /root/exchange/status
sync
poweroff -f
