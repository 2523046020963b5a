"""Attacks of the same kinds as the catalogue's that it does not list: ways out of the sandbox."""

from catalogue import Case, contained, says

PRELUDE = """
import ctypes, errno, fcntl, os, socket, struct, sys
c = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    ctypes.set_errno(0)
    return c.syscall(*[ctypes.c_long(n) if isinstance(n, int) else n for n in numbers])
def reached(what): print("REACHABLE:" + what)
def tried(what, action):
    try: action()
    except (OSError, ValueError): return
    reached(what)
"""


def python(identity, name, program, judge=contained, limits=None, **more):
    return Case(identity, name, "py", PRELUDE + program + "\nprint('contained')\n", judge, limits or {}, **more)


def shell(identity, name, program, judge=contained, limits=None, **more):
    return Case(identity, name, "sh", program, judge, limits or {}, **more)


REFUSED_BY_NUMBER = """
import platform
x86 = platform.machine() == "x86_64"
calls = {"keyctl": 250, "add_key": 248, "request_key": 249, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "unshare": 272,
         "setns": 308, "kexec_load": 246, "init_module": 175, "finit_module": 313, "open_by_handle_at": 304, "name_to_handle_at": 303,
         "fanotify_init": 300, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "syslog": 103, "acct": 163, "swapon": 167,
         "reboot": 169, "quotactl": 179, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "ptrace": 101, "iopl": 172,
         "ioperm": 173, "sethostname": 170, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159, "vhangup": 153,
         "modify_ldt": 154, "move_pages": 279, "migrate_pages": 256} if x86 else {}
calls |= {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430,
          "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442,
          "quotactl_fd": 443, "memfd_secret": 447, "process_mrelease": 448, "cachestat": 451, "statmount": 457, "listmount": 458}
# Without a flag unshare changes nothing; files without handles are what the kernel says of some file systems too.
first = {"unshare": 0x10000000}
own = {"name_to_handle_at": errno.EOPNOTSUPP}
for name, number in calls.items():
    result = call(number, first.get(name, 0), 0, 0, 0, 0, 0)
    told = ctypes.get_errno()
    if result >= 0 or told not in ((own[name],) if name in own else (errno.EPERM, errno.ENOSYS)): reached(f"{name} {result} {told}")
"""

OWN_ESCAPES = [
    python("X01", "abstract sockets of the host", """
for name in (os.environ["HOST_ABSTRACT"], "/tmp/.X11-unix/X0", "@/org/kernel/udev"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        s = socket.socket(socket.AF_UNIX, kind)
        try: s.connect("\\0" + name); print("BREACH:" + name)
        except OSError: pass
""", more={"env": {"HOST_ABSTRACT": "caisson-attacks-host"}}),
    python("X02", "memory, environment and descriptors of the agent", """
for name in ("mem", "environ", "maps", "auxv", "syscall", "stack", "io", "pagemap", "fd", "fdinfo", "map_files", "clear_refs"):
    try:
        path = "/proc/1/" + name
        got = os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(16)
        if got: print("BREACH:" + name, got)
    except OSError: pass
for name in ("exe", "cwd", "root", "ns/user"):
    tried(name, lambda: os.readlink("/proc/1/" + name))
own = {(os.fstat(n).st_dev, os.fstat(n).st_ino) for n in (0, 1, 2)}
for number in range(64):
    for flag in (os.O_RDONLY, os.O_WRONLY):
        try: fd = os.open(f"/proc/1/fd/{number}", flag | os.O_NONBLOCK)
        except OSError: continue
        seen = os.fstat(fd); os.close(fd)
        if (seen.st_dev, seen.st_ino) not in own and seen.st_rdev != os.makedev(1, 3): print("BREACH: descriptor", number)
"""),
    python("X03", "every signal to pid 1", """
import signal
for number in range(1, 65):
    for target in (1,):
        try: os.kill(target, number)
        except OSError: pass
for number in (signal.SIGRTMIN, signal.SIGRTMAX, 33):
    for _ in range(2000): c.sigqueue(1, number, None)
"""),
    python("X04", "ptrace of a sibling, by every request", """
pid = os.fork()
if pid == 0:
    import time; time.sleep(5); os._exit(0)
for request in (0, 16, 0x4206, 0x4207, 0x4208):
    if c.ptrace(request, pid, 0, 0) == 0: reached(f"ptrace {request}")
os.kill(pid, 9)
"""),
    shell("X05", "input pushed into a terminal", """python3 - <<'E'
import fcntl, os
for request in (0x5412, 0x541c, 0x100005412, 0xffffffff00005412):
    import ctypes
    c = ctypes.CDLL(None, use_errno=True)
    if c.ioctl(0, ctypes.c_ulong(request), b"x") == 0: print("BREACH:", hex(request))
print("contained")
E
""", more={"pty": {"cols": 80, "rows": 24}}),
    python("X06", "descriptors that were left open", """
for fd in range(3, 1024):
    try: os.fstat(fd); print("BREACH:", fd, os.readlink(f"/proc/self/fd/{fd}"))
    except OSError: pass
"""),
    python("X07", "set-user-id files and file capabilities", """
import shutil, subprocess
shutil.copy("/usr/bin/id", "i"); os.chmod("i", 0o6755)
if b"uid=0" in subprocess.run(["./i"], capture_output=True).stdout: print("BREACH:suid")
caps = struct.pack("<5I", 0x02000001, 0xffffffff, 0, 0xffffffff, 0)
tried("capabilities", lambda: os.setxattr("i", "security.capability", caps))
tried("trusted xattr", lambda: os.setxattr("i", "trusted.overlay.opaque", b"y"))
tried("chown", lambda: os.chown("i", 0, 0))
tried("setuid 0", lambda: os.setuid(0))
tried("setgroups", lambda: os.setgroups([0]))
"""),
    python("X08", "calls that no program may make, by number", REFUSED_BY_NUMBER),
    python("X09", "protocols that nothing here needs", """
for family in (2, 10):
    for kind in (1, 2, 5):
        for protocol in (262, 132, 136, 33, 256, 1, 58, 41, 47, 50, 94, 103, 108, 115, 137, 255):
            tried(f"{family} {kind} {protocol}", lambda: socket.socket(family, kind, protocol))
for family in list(range(3, 10)) + list(range(11, 16)) + list(range(17, 50)):
    for kind in (1, 2, 3, 5): tried(f"family {family}", lambda: socket.socket(family, kind, 0))
for family in (2, 10): tried(f"{family} seqpacket", lambda: socket.socket(family, 5, 0))
for protocol in range(1, 24): tried(f"netlink {protocol}", lambda: socket.socket(16, 3, protocol))
for family in (2, 10, 16, 30):
    for protocol in (0, 6, 17, 132, 136, 262): tried(f"a pair {family} {protocol}", lambda: socket.socketpair(family, 1, protocol))
"""),
    python("X10", "control groups and sysfs", """
import re
paths = {line.strip().split(":", 2)[2] for line in open("/proc/self/cgroup")}
for path in paths:
    if not re.fullmatch(r"/|/((\\.\\./)?work|sbx_[0-9a-z]{26})", path): print("BREACH: more than the own id:", path)
for path in ("/sys", "/sys/fs/cgroup", "/sys/kernel", "/proc/sys/fs/binfmt_misc", "/proc/scsi", "/proc/acpi"):
    if os.path.isdir(path) and os.listdir(path): print("BREACH:", path)
"""),
    python("X11", "core dumps and who handles them", """
import resource
for value in (0, 2, 4096, -1):
    try: resource.setrlimit(resource.RLIMIT_CORE, (value, value))
    except (OSError, ValueError): pass
if resource.getrlimit(resource.RLIMIT_CORE) != (1, 1): reached("RLIMIT_CORE " + str(resource.getrlimit(resource.RLIMIT_CORE)))
pid = os.fork()
if pid == 0: os.kill(os.getpid(), 11)
status = os.waitpid(pid, 0)[1]
if os.WCOREDUMP(status) or [n for n in os.listdir(".") if n.startswith("core")]: print("BREACH: a core was dumped")
"""),
    python("X12", "devices and the controlling terminal of somebody else", """
for path in ("tty", "console", "tty0", "tty1", "ttyS0", "vcs", "mem", "port", "kmsg", "fuse", "kvm", "net/tun", "loop-control", "vsock", "vda", "sda"):
    tried(path, lambda: os.open("/dev/" + path, os.O_RDWR))
"""),
    python("X13", "limits raised again, and what pid 1 has", """
import resource
def refused(result):
    if result < 0: raise OSError(ctypes.get_errno(), "")
for name in ("NOFILE", "NPROC", "FSIZE", "MEMLOCK", "STACK", "MSGQUEUE", "SIGPENDING", "RTPRIO", "NICE", "CPU"):
    which = getattr(resource, "RLIMIT_" + name)
    hard = resource.getrlimit(which)[1]
    if hard == resource.RLIM_INFINITY: continue
    tried("raise " + name, lambda: resource.setrlimit(which, (hard, hard + 1)))
    tried("raise " + name, lambda: resource.setrlimit(which, (hard, resource.RLIM_INFINITY)))
tried("pid 1's limit", lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3)))
tried("pid 1's affinity", lambda: os.sched_setaffinity(1, {0}))
tried("pid 1's scheduler", lambda: os.sched_setscheduler(1, os.SCHED_BATCH, os.sched_param(0)))
tried("pid 1's priority", lambda: os.setpriority(os.PRIO_PROCESS, 1, 19))
tried("pid 1's group's priority", lambda: os.setpriority(os.PRIO_PGRP, 1, 19))
tried("pid 1's attributes", lambda: refused(call(314, 1, ctypes.c_char_p(struct.pack("IIQiIQQQ", 48, 5, 0, 0, 0, 0, 0, 0)), 0)))
tried("pid 1's parameters", lambda: os.sched_setparam(1, os.sched_param(0)))
tried("pid 1's core limit", lambda: resource.prlimit(1, resource.RLIMIT_CORE, (1, 1)))
for which, who in ((1, 1), (2, 1), (3, 0), (3, 1000)):
    tried(f"pid 1's I/O priority {which} {who}", lambda: refused(call(251, which, who, 3 << 13)))
tried("the user's priority", lambda: os.setpriority(os.PRIO_USER, 1000, 19))
for pid in (0, os.getpid()):
    for policy in (os.SCHED_FIFO, os.SCHED_RR, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK):
        tried(f"real time {policy:x}", lambda: os.sched_setscheduler(pid, policy, os.sched_param(1)))
    for policy in (1, 2, 6):
        attributes = struct.pack("IIQiIQQQ", 48, policy, 0, 0, 1 if policy < 3 else 0, 1 << 20, 1 << 30, 1 << 30)
        tried(f"real time attributes {policy}", lambda: refused(call(314, pid, ctypes.c_char_p(attributes), 0)))
    tried("a better priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, -5))
"""),
    python("X14", "writes through /proc", """
def write(name, text):
    with open("/proc/" + name, "r+b", buffering=0) as file: file.write(text.encode())
for name, text in (("self/mem", "x"), ("self/uid_map", "0 0 1"), ("self/setgroups", "allow"), ("self/timens_offsets", "monotonic 9 9"),
                   ("self/oom_score_adj", "-1000"), ("self/oom_score_adj", "0"), ("self/attr/current", "x"), ("self/projid_map", "0 0 1"), ("1/oom_score_adj", "1000"),
                   ("1/comm", "x"), ("sys/kernel/ns_last_pid", "9"), ("sys/kernel/hostname", "x"), ("sys/kernel/shmmax", "1"),
                   ("sys/user/max_user_namespaces", "9"), ("sys/net/ipv4/ip_unprivileged_port_start", "1")):
    tried(name, lambda: write(name, text))
"""),
    python("X15", "other processes by descriptor and number, and the server by its port", """
fd = call(434, 1, 0)
for number in (9, 19, 15): call(424, fd, number, 0, 0)
for number in range(64):
    if call(438, fd, number, 0) >= 0: print("BREACH: descriptor", number, "of pid 1")
for pid in (3, 100, 1000):
    try: os.kill(-pid, 9)
    except OSError: pass
for address, family in (("127.0.0.1", 2), ("::1", 10)):
    tried("the server", lambda: socket.socket(family).connect((address, int(os.environ["SRV_PORT"]))))
"""),
    python("X16", "a nested namespace, by every way to make one", """
for flag in (0x10000000, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x20000000, 0x40000000, 0x80):
    if c.unshare(ctypes.c_int(flag)) == 0: reached(f"unshare {flag:x}")
    if flag != 0x80:
        pid = call(56, flag | 17, 0, 0, 0, 0)
        if pid == 0: os._exit(0)
        if pid > 0: reached(f"clone {flag:x}"); os.waitpid(pid, 0)
"""),
    python("X17", "interfaces of the own network", """
s = socket.socket(2, 2)
for request, text in ((0x8914, b"lo".ljust(16, b"\\0") + struct.pack("H", 1)), (0x8916, b"lo".ljust(32, b"\\0")), (0x8923, b"lo".ljust(32, b"\\0"))):
    tried(hex(request), lambda: fcntl.ioctl(s, request, text.ljust(40, b"\\0")))
tried("SO_RCVBUFFORCE", lambda: s.setsockopt(1, 33, 1 << 20))
tried("raw", lambda: socket.socket(2, 3, 255))
names = [name for _, name in socket.if_nameindex()]
if names != ["lo"]: print("BREACH:", names)
"""),
    python("X18", "file system requests on the host's directories", """
fd = os.open("/usr", 0)
for name, request in (("FIFREEZE", 0xC0045877), ("FITHAW", 0xC0045878), ("FITRIM", 0xC0185879), ("SETFLAGS", 0x40086602), ("FSSETXATTR", 0x401C5820)):
    tried(name, lambda: fcntl.ioctl(fd, request, b"\\0" * 32))
tried("utime", lambda: os.utime("/usr/bin/env"))
tried("chmod", lambda: os.chmod("/usr/bin/env", 0o777))
tried("xattr", lambda: os.setxattr("/usr/bin/env", "user.x", b"y"))
tried("link", lambda: os.link("/usr/bin/env", "/workspace/env"))
tried("lease", lambda: fcntl.fcntl(os.open("/usr/bin/env", 0), 1024, 0))
"""),
    python("X19", "pages of the pool that the administrator set aside", """
import mmap
tried("mmap", lambda: mmap.mmap(-1, 2 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000))
tried("memfd", lambda: os.memfd_create("h", 4))
if c.shmget(0, 2 << 20, 0o1600 | 0o4000) >= 0: reached("shmget")
"""),
    python("X20", "which pages of the host's files are in memory", """
import mmap
fd = os.open("/usr/bin/python3", 0)
tried("RWF_NOWAIT", lambda: os.preadv(fd, [bytearray(4096)], 0, os.RWF_NOWAIT))
tried("merging", lambda: mmap.mmap(-1, 4096).madvise(12))
if c.prctl(67, 1, 0, 0, 0) == 0: reached("PR_SET_MEMORY_MERGE")
if call(451, fd, 0, 0, 0) == 0: reached("cachestat")
"""),
    shell("X21", "a kernel's secrets", "for f in kallsyms kcore keys key-users timer_list locks kmsg sysrq-trigger cmdline slabinfo vmallocinfo "
          "pagetypeinfo sched_debug; do [ -n \"$(head -c 20 /proc/$f 2>/dev/null | tr -d '\\0')\" ] && echo BREACH:$f; done; "
          "dmesg >/dev/null 2>&1 && echo BREACH:dmesg; echo contained"),
    python("X23", "modules that the kernel loads for a request", """
terminal = os.openpty()[1]
for discipline in range(31):
    tried(f"line discipline {discipline}", lambda: fcntl.ioctl(terminal, 0x5423, struct.pack("i", discipline)))
stream, datagram = socket.socket(2, 1), socket.socket(2, 2)
for request in (0x8940, 0x8941, 0x8980, 0x8981, 0x8982, 0x8983, 0x8990, 0x89a0, 0x89a1):
    try: fcntl.ioctl(datagram, request, b"br0".ljust(64, b"\\0")); reached(hex(request))
    except OSError as e:
        if e.errno != errno.ENOTTY: reached(f"{request:x} {e}")
listener = socket.create_server(("127.0.0.1", 0))
joined = socket.create_connection(listener.getsockname())
for name in (b"tls", b"espintcp", b"smc", b"mptcp"):
    tried(f"upper protocol {name}", lambda: joined.setsockopt(6, 31, name))
for option, size in ((14, 216), (32, 216), (38, 256)):
    tried(f"signatures {option}", lambda: stream.setsockopt(6, option, struct.pack("HHI", 2, 0, 0x0100007f).ljust(size, b"\\1")))
for level, option in ((0, 64), (41, 64), (17, 100), (282, 1), (283, 4), (279, 1)):
    tried(f"option {option} of {level}", lambda: (datagram if level == 17 else stream).setsockopt(level, option, struct.pack("i", 1)))
"""),
    python("X22", "links that lead out before the sandbox is removed", """
for n, target in enumerate(("/", "/proc/1/root", os.environ["CANARY"], os.path.dirname(os.environ["CANARY"]), "/proc/self/fd", "x22", "../../../..")):
    os.symlink(target, f"l{n}")
    os.makedirs(f"d{n}/e"); os.symlink(target, f"d{n}/e/f")
for n in range(2000): os.symlink(f"s{n + 1}", f"s{n}")
os.symlink("s0", "s2000")
"""),
]

# What a second layer must not break: each says "works" in the end.
POSITIVE = [
    python("P01", "renames and links between directories, truncation, sockets", """
os.makedirs("a/b"); open("a/x", "w").write("1"); os.rename("a/x", "a/b/y"); os.link("a/b/y", "z"); os.rename("a", "/workspace/c")
os.truncate("z", 0); os.mkfifo("p"); s = socket.socket(1); s.bind("sock"); s.listen(); socket.socket(1).connect("sock")
open("/tmp/t", "w").write("x"); open("/dev/shm/t", "w").write("x"); open("/dev/null", "w").write("x"); os.replace("z", "c/z")
open("/proc/self/fd/1", "w").write("works\\n")
""", says("works")),
    python("P02", "programs from memory, threads, processes, locks", """
import resource, sqlite3, subprocess, threading
f = os.memfd_create("m"); os.write(f, open("/usr/bin/true", "rb").read())
assert subprocess.run([f"/proc/self/fd/{f}"], pass_fds=[f]).returncode == 0
db = sqlite3.connect("x.db"); db.execute("create table t (x)"); db.commit()
with open("l", "w") as l: fcntl.flock(l, fcntl.LOCK_EX)
os.sync(); os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
t = threading.Thread(target=print, args=("works",)); t.start(); t.join()
""", says("works")),
    shell("P03", "a terminal", "stty size && tty && bash -c 'echo works' </dev/tty >/dev/tty", says("works"), more={"pty": {"cols": 80, "rows": 24}}),
]
