# Sourced by tools/guest-test and tools/systemd-guest: a kernel, a root file system, and qemu to boot them. Needs tools/lib/common.sh.
# The guest is emulated (TCG): it needs no rights and no KVM.
GUEST=$ROOT/build/guest

newest_kernel() {
    local image newest=''
    for image in /boot/vmlinuz-*-cloud-amd64 "$GUEST"/kernel/boot/vmlinuz-*-cloud-amd64; do
        [ ! -e "$image" ] || newest=$(printf '%s\n' "$newest" "$image" | sort -V | tail -n 1)
    done
    echo "$newest"
}

# Sets KERNEL and MODULES: Debian's cloud kernel as it is installed, else fetched and unpacked below build/guest, not installed.
find_kernel() {
    local image
    image=$(newest_kernel)
    if [ -z "$image" ]; then
        fetch_kernel_or_again
        image=$(newest_kernel)
    fi
    [ -r "$image" ] || fail "no kernel for the guest: $image cannot be read"
    KERNEL=$image
    MODULES=${image%/boot/*}/lib/modules/${image##*/vmlinuz-}
    [ -d "$MODULES" ] || fail "the modules of $KERNEL are not in $MODULES"
}

# The lists of packages may be older than what their server has.
fetch_kernel_or_again() {
    local try
    for try in 1 2 3; do
        ! fetch_kernel || return 0
        [ "$try" -lt 3 ] || break
        renew_lists
        sleep $((5 * try))
    done
    tail -n 5 "$GUEST/kernel.log" >&2
    fail "no kernel for the guest: linux-image-cloud-amd64 cannot be fetched, see $GUEST/kernel.log; apt-get update may help"
}

# Whole or not at all. 1 if it fails.
fetch_kernel() {
    local name new=$GUEST/kernel.new
    name=$(apt-cache depends linux-image-cloud-amd64 2>"$GUEST/kernel.log" | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
    [ -n "$name" ] || return 1
    note "fetching $name"
    rm -rf "$new"
    mkdir -p "$new"
    (cd "$new" && apt-get download -q -o Acquire::Retries=3 "$name" && dpkg -x "$name"_*.deb . && rm -f "$name"_*.deb) >>"$GUEST/kernel.log" 2>&1 &&
        rm -rf "$GUEST/kernel" && mv "$new" "$GUEST/kernel"
}

# Where this may.
renew_lists() {
    [ "$(id -u)" -eq 0 ] || return 0
    note "reading the package lists"
    apt-get update -q -o Acquire::Retries=3 >>"$GUEST/kernel.log" 2>&1 || true
}

# make_initramfs FILE: busybox, the modules that the root file system and sandboxes need, and init.
make_initramfs() {
    local tree=$GUEST/initramfs order=10 module
    rm -rf "$tree"
    mkdir -p "$tree"/{bin,dev,proc,root,modules}
    cp /usr/bin/busybox "$tree/bin/busybox"
    install -m 0755 "$ROOT/tools/guest/init" "$tree/init"
    for module in drivers/virtio/virtio_ring drivers/virtio/virtio drivers/virtio/virtio_pci_legacy_dev \
        drivers/virtio/virtio_pci_modern_dev drivers/virtio/virtio_pci drivers/block/virtio_blk fs/overlayfs/overlay; do
        cp "$MODULES/kernel/$module.ko" "$tree/modules/$order-${module##*/}.ko"
        order=$((order + 1))
    done
    (cd "$tree" && find . | cpio --quiet -o -H newc | gzip -1) >"$1"
    rm -rf "$tree"
}

# make_disk FOLDER FILE SIZE: an ext4 file system with what is in FOLDER.
make_disk() {
    rm -f "$2"
    PATH=$PATH:/usr/sbin:/sbin mke2fs -q -F -t ext4 -O ^has_journal -E root_owner=0:0 -m 0 -d "$1" "$2" "$3" >/dev/null ||
        fail "the disk of the guest cannot be made"
}

# boot SECONDS CONSOLE INIT DISK [QEMU ARGUMENTS]: runs the guest until it powers off. 124 if it does not in time; its console, the
# kernel's and init's, goes to the file CONSOLE, to be read when something went wrong.
boot() {
    local seconds=$1 console=$2 init=$3 disk=$4
    shift 4
    timeout --kill-after=5 "$seconds" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 2048 -nodefaults -no-reboot \
        -display none -monitor none -kernel "$KERNEL" -initrd "${GUEST_INITRAMFS:-$GUEST/initramfs.gz}" \
        -append "console=ttyS0 quiet panic=-1 random.trust_cpu=on mitigations=off GUEST_INIT=$init" \
        -serial "file:$console" -drive "file=$disk,format=raw,if=virtio,cache=unsafe" "$@" </dev/null
}
