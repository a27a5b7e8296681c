# SPDX-License-Identifier: Apache-2.0
# Inside the guest: make the devices. rxe0 is Soft-RoCE at 10.0.0.1. siw0 is soft-iWARP at 10.0.1.1, if its driver is
# there; the kernel routes what goes to an own address over the loopback interface, so that one has a device as well.
make_interface() # name, address
{
    ip link add "$1" type dummy
    ip address add "$2/24" dev "$1"
    ip link set "$1" mtu 4200 up # room for packets of 4096 bytes
}

make_devices()
{
    make_interface roce 10.0.0.1
    rdma link add rxe0 type rxe netdev roce
    [ -d /sys/module/siw ] || return 0
    make_interface iwarp 10.0.1.1
    rdma link add siw0 type siw netdev iwarp
    rdma link add siw1 type siw netdev lo
}
