# Sourced by the recipes: makes an image of packages of Debian 12 alone, in the form that `docker load` takes.
# Needs no engine and no root: packages are fetched and verified by apt and unpacked; nothing is installed, none of their scripts runs.
# A recipe sets `packages`, may define adapt_tree (run in the unpacked tree), and ends with: build_image "$@"
caller=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/../../../tools/lib/common.sh"
IMAGES=$ROOT/docker/images
RELEASE=bookworm

# What programs expect of any system.
BASE=(
    base-files bash coreutils dash diffutils findutils grep gzip hostname libc-bin mawk mount procps sed tar util-linux
)
# Only what installs packages needs them, and nothing is installed in an image.
NOT_INSIDE=(debconf dpkg init-system-helpers perl-base usr-is-merged usrmerge)

usage() {
    cat <<TEXT
usage: docker/images/$recipe/build [--name NAME] [--mirror URL] [--installed] OUT.tar
       docker/images/$recipe/build --packages

  --name        what the image is called, $name by default
  --mirror      where the packages come from, $mirror by default;
                https://snapshot.debian.org/archive/debian/20250601T000000Z always has the same
  --installed   of this host's own installed packages instead: quick and without the network, for tests
  --packages    only prints the packages that the image is made of, one a line
The same packages and the same SOURCE_DATE_EPOCH (the packages' newest file by default) give the same bytes.
TEXT
}

read_options() {
    recipe=$(basename "$(dirname "$(realpath "$0")")")
    name=caisson-$recipe:$RELEASE mirror=http://deb.debian.org/debian installed=no out=''
    while [ $# -gt 0 ]; do
        case "$1" in
        --name) name=${2:?--name needs a name}; shift ;;
        --mirror) mirror=${2:?--mirror needs a URL}; shift ;;
        --installed) installed=yes ;;
        --packages) printf '%s\n' "${packages[@]}"; exit 0 ;;
        -h | --help) usage; exit 0 ;;
        -*) usage >&2; refuse "unknown option $1" ;;
        *) [ -z "$out" ] || refuse "one file is enough, and $1 is another one"; out=$1 ;;
        esac
        shift
    done
    [ -n "$out" ] || { usage >&2; refuse "where should the image go?"; }
    case "$out" in /*) ;; *) out=$caller/$out ;; esac
    [ -d "$(dirname "$out")" ] || refuse "the directory $(dirname "$out") is not there"
}

refuse() { fail "$recipe: $*"; }

need() {
    command -v "$1" >/dev/null || refuse "$1 is missing; on Debian: apt-get install $2"
}

apt() {
    apt-get -q -y \
        -o Dir::State="$apt_state/state" -o Dir::State::status="$apt_state/status" -o Dir::Cache="$apt_state/cache" \
        -o Dir::Etc::sourcelist="$apt_state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
        -o APT::Update::Error-Mode=any -o Acquire::Check-Valid-Until=false -o Acquire::Retries=3 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 \
        -o APT::Install-Recommends=false -o APT::Sandbox::User= "$@" >"$work/apt.log" 2>&1 && return
    tail -n 8 "$work/apt.log" >&2
    refuse "apt-get could not get the packages from $mirror"
}

# The release and its security updates, which lie beside it on Debian's own mirrors.
sources() {
    local security
    security=$(sed -E 's#/debian(/|$)#/debian-security\1#' <<<"$mirror")
    printf 'deb [signed-by=%s] %s %s main\n' "$1" "$mirror" "$RELEASE"
    [ "$security" = "$mirror" ] || printf 'deb [signed-by=%s] %s %s-security main\n' "$1" "$security" "$RELEASE"
}

# The packages' files, into build/images, where the next recipe finds those that it shares. The system's own apt is left alone.
fetch() {
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    need apt-get apt
    need dpkg-deb dpkg
    [ -r "$keyring" ] || refuse "$keyring is missing; on Debian: apt-get install debian-archive-keyring"
    apt_state=$ROOT/build/images/$(printf %s "$mirror" | tr -c 'a-zA-Z0-9.\n' _)
    mkdir -p "$apt_state"/state/lists/partial "$apt_state"/cache/archives/partial
    exec 9>"$apt_state/.lock"
    flock 9
    : >"$apt_state/status"
    sources "$keyring" >"$apt_state/sources.list"
    note "reading the lists of $mirror"
    apt update
    note "fetching ${packages[*]}"
    apt --download-only install "${packages[@]}" usr-is-merged
    apt --simulate install "${packages[@]}" usr-is-merged
    # "Inst bc (1.07.1-3+b1 Debian:12.11/stable [amd64])" is bc_1.07.1-3+b1_amd64.deb
    mapfile -t debs < <(sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*\[\([a-z0-9]*\)\]).*/\1_\2_\3.deb/p' "$work/apt.log" | sed 's/:/%3a/' | sort)
    [ ${#debs[@]} -gt 0 ] || refuse "apt-get named no packages"
}

is_inside() {
    local each
    for each in "${NOT_INSIDE[@]}"; do
        case "$1" in "${each}"_*) return 1 ;; esac
    done
}

# Everything is below usr, as in a merged Debian.
new_tree() {
    local each
    mkdir -p "$tree"/{dev,etc,home,proc,root,run,sys,tmp,workspace,usr/{bin,sbin,lib,lib64},var/{lib,tmp}}
    for each in bin sbin lib lib64; do ln -s "usr/$each" "$tree/$each"; done
    chmod 0755 "$tree"
}

unpack() {
    local deb
    for deb in "${debs[@]}"; do
        is_inside "$deb" || continue
        dpkg-deb --fsys-tarfile "$apt_state/cache/archives/$deb" |
            tar -C "$tree" -x --no-same-owner --keep-directory-symlink --exclude-from="$IMAGES/lib/left-out"
    done
    note "unpacked ${#debs[@]} packages"
}

copy_installed() {
    need dpkg-query dpkg
    /usr/bin/python3 -B "$ROOT/tools/lib/packages.py" "${packages[@]}" >"$work/files" || refuse "--installed takes installed packages"
    sed 's#.*#^&(/|$)#' "$IMAGES/lib/left-out" >"$work/left-out"
    grep -vEf "$work/left-out" "$work/files" >"$work/copied"
    tar -C / -c --no-recursion -T "$work/copied" 2>"$work/tar.log" |
        tar -C "$tree" -x --no-same-owner --keep-directory-symlink
    note "copied $(wc -l <"$work/copied") files of this host's packages"
}

# What the packages' own scripts would do of it.
finish_tree() {
    local each
    [ -e "$tree/usr/bin/sh" ] || ! [ -e "$tree/usr/bin/dash" ] || ln -s dash "$tree/usr/bin/sh"
    [ -e "$tree/usr/bin/awk" ] || ! [ -e "$tree/usr/bin/mawk" ] || ln -sf mawk "$tree/usr/bin/awk"
    printf '%s\n' root:x:0:0:root:/root:/bin/sh sandbox:x:1000:1000::/workspace:/bin/sh nobody:x:65534:65534::/nonexistent:/bin/false >"$tree/etc/passwd"
    printf '%s\n' root:x:0: sandbox:x:1000: nogroup:x:65534: >"$tree/etc/group"
    printf '%s\n' 'passwd: files' 'group: files' 'hosts: files dns' >"$tree/etc/nsswitch.conf"
    find "$tree" -xdev -type f -perm /6000 -exec chmod a-s {} +
    [ ! -d "$tree/usr/share/doc" ] || find "$tree/usr/share/doc" -depth \( -type f ! -name copyright -o -type d -empty \) -delete
    for each in etc/shadow etc/gshadow etc/machine-id etc/hostname etc/resolv.conf etc/ld.so.cache; do rm -f "$tree/$each"; done
    chmod 1777 "$tree/tmp" "$tree/var/tmp"
}

# Compiles Python's library with the tree's own Python: the image's files cannot be written later. Reproducible: by hash, not by time.
compile_python() {
    local loader python
    python=$(find "$tree/usr/bin" -name 'python3.[0-9]*' -type f -printf '%f\n' | grep -x 'python3\.[0-9]*' || true)
    [ -n "$python" ] || return 0
    loader=$(find "$tree/usr/lib64" "$tree/usr/lib" -maxdepth 2 -name 'ld-linux*' | head -n 1)
    find "$tree" -name __pycache__ -prune -exec rm -rf {} +
    PYTHONHASHSEED=0 PYTHONHOME=$tree/usr "$loader" --library-path "$(dirname "$(find "$tree/usr/lib" -name libc.so.6)")" "$tree/usr/bin/$python" \
        -S -m compileall -q -j 0 --invalidation-mode unchecked-hash -s "$tree" -p / "$tree/usr/lib/$python" >"$work/compile.log" 2>&1 ||
        { tail -n 5 "$work/compile.log" >&2; refuse "the Python of the packages does not run here"; }
    note "compiled the library of $python"
}

build_image() {
    local start
    read_options "$@"
    start=$(now_ms)
    umask 022
    need tar tar
    need python3 python3
    work=$(mktemp -d "${TMPDIR:-/tmp}/caisson-image.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    tree=$work/tree
    new_tree
    if [ "$installed" = yes ]; then
        say "$name, of this host's packages"
        copy_installed
    else
        say "$name, of packages of Debian $RELEASE"
        fetch
        unpack
        compile_python
    fi
    # Links and the like, of one recipe alone.
    if declare -F adapt_tree >/dev/null; then (cd "$tree" && adapt_tree); fi
    finish_tree
    /usr/bin/python3 -B "$IMAGES/lib/archive.py" "$tree" "$out" --name "$name" --recipe "$recipe"
    note "$(du -h "$out" | cut -f1) in $out after $(seconds_since "$start")"
}
