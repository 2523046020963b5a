"""Attacks of the same kinds as the catalogue's that it does not list: on what tenants share."""

from catalogue import MIB, ends_by
from own_escape import python, shell

SMALL = {"memory_bytes": 64 * MIB, "disk_bytes": 16 * MIB}
TWO_SECONDS = {"wall_ms": 2_000}


# Held by one limit or another, or ended by itself: what counts is what is left behind, and the neighbours.
over = ends_by("exited", "signaled", "memory_limit", "wall_limit", "cpu_limit")
over_in_time = ends_by("wall_limit", "cpu_limit")

OWN_RESOURCES = [
    python("X30", "message queues", """
n = 0
while n < 5000 and ctypes.CDLL("librt.so.1").mq_open(f"/q{n}".encode(), 0o102, 0o600, None) >= 0: n += 1
if n > 100: print("REACHABLE:", n, "queues")
"""),
    python("X31", "shared memory of System V, never attached again", """
c.shmat.restype = ctypes.c_void_p
for n in range(64):
    i = c.shmget(0, 8 << 20, 0o1600)
    if i < 0: break
    at = c.shmat(i, None, 0); ctypes.memset(at, 1, 8 << 20); c.shmdt(ctypes.c_void_p(at))
""", ends_by("memory_limit", "exited", "signaled"), SMALL),
    python("X32", "semaphores of System V", """
n = 0
while n < 40000 and c.semget(0, 250, 0o1600) >= 0: n += 1
""", over, SMALL),
    python("X33", "timers", """
n = 0
t = ctypes.c_void_p()
while n < 100000 and c.timer_create(1, None, ctypes.byref(t)) == 0: n += 1
if n > 2000: print("REACHABLE:", n, "timers")
"""),
    python("X34", "queued signals", """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
n = 0
while n < 100000 and c.sigqueue(os.getpid(), signal.SIGRTMIN, None) == 0: n += 1
if n > 2000: print("REACHABLE:", n, "signals")
"""),
    python("X35", "names that do not exist, to fill the kernel's cache of names", """
import time
end = time.monotonic() + 1.5; n = 0
while time.monotonic() < end:
    for _ in range(500):
        os.path.lexists(f"/usr/none-{n}"); os.path.lexists(f"/workspace/none-{n}"); n += 1
""", limits={**SMALL, "wall_ms": 10_000}),
    python("X36", "deep directories of long names", """
n = 0
try:
    while n < 5000: os.mkdir("d" * 255); os.chdir("d" * 255); n += 1
except OSError: pass
""", limits={"wall_ms": 20_000, "cpus": 1}),
    python("X37", "sparse files", """
tried("a petabyte", lambda: os.truncate(os.open("s", os.O_CREAT | os.O_RDWR), 1 << 50))
for n in range(100):
    with open(f"s{n}", "wb") as f:
        try: f.truncate(15 << 20); f.seek(15 << 20); f.write(b"x")
        except OSError: break
fd = os.open("s0", os.O_RDWR)
for mode in (0, 1, 3, 8, 16): c.fallocate(fd, mode, ctypes.c_long(0), ctypes.c_long(1 << 40))
""", over, SMALL),
    python("X38", "names of files that are no text", """
for name in (b"-rf", b"*", b"\\n", b"\\x1b[2J", b"\\xff\\xfe", b" ", b"...", b"a" * 255, b"\\\\", b"$(reboot)", b"sbx_x", b"exe_y", b"cgroup.procs"):
    open(name, "w"); os.makedirs(b"D" + name[:200] + b"/" + name, exist_ok=True); os.chmod(b"D" + name[:200], 0)
"""),
    shell("X39", "daemons that leave the session and ignore everything", """for i in 1 2 3 4 5 6 7 8; do
setsid sh -c 'trap "" TERM INT HUP QUIT PIPE ALRM USR1 USR2; (setsid sh -c "trap \\"\\" TERM HUP INT; while :; do sleep 3600; done" </dev/null >/dev/null 2>&1 &)' &
done; sleep 0.2; echo contained"""),
    python("X40", "dead children that nobody waits for", """
for n in range(10000):
    try: pid = os.fork()
    except OSError: break
    if pid == 0: os._exit(0)
""", over, {**TWO_SECONDS, "pids": 64}),
    python("X41", "everyone stopped, also the writer", """
import signal
for _ in range(8):
    if os.fork() == 0:
        while 1: signal.pause()
os.kill(-1, signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGSTOP)
""", over_in_time, {"wall_ms": 1_000}),
    python("X42", "a storm of sync", """
for _ in range(20000): os.sync()
fd = os.open("/usr/bin/env", 0)
for _ in range(200): os.fsync(fd); c.syncfs(fd)
"""),
    python("X43", "descriptors in flight, in circles", """
try:
    for n in range(4000):
        x, y = socket.socketpair()
        socket.send_fds(x, [b"x"], [x.fileno(), y.fileno()] * 60)
        x.close(); y.close()
except OSError: pass
""", over, {**SMALL, "wall_ms": 5_000}),
    python("X44", "nested and crowded epoll", """
import select
deep = [select.epoll()]
try:
    for _ in range(20):
        e = select.epoll(); e.register(deep[-1]); deep.append(e)
except OSError: pass
r, w = os.pipe()
try:
    for _ in range(500):
        e = select.epoll(); e.register(r); deep.append(e)
except OSError: pass
for _ in range(300): os.write(w, b"x"); os.read(r, 1)
""", over, {"wall_ms": 5_000}),
    python("X45", "a flood of netlink requests", """
import time
s = socket.socket(16, 3, 0); s.bind((0, 0)); s.setblocking(False)
end = time.monotonic() + 1; n = 0
while time.monotonic() < end:
    for kind in (18, 22, 26, 30, 16, 20):
        try: s.send(struct.pack("<IHHIIB3x", 20, kind, 0x301, n, 0, 0))
        except OSError: pass
        n += 1
    try:
        while s.recv(65536): pass
    except OSError: pass
"""),
    python("X46", "a lock on the inode that the kernel has one of for all anonymous files", """
import time
f = c.epoll_create1(0)
try: fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB); time.sleep(1)
except BlockingIOError: print("REACHABLE: the lock is held by another sandbox")
except OSError: pass
""", twice=True, limits={"cpus": 1}),
    python("X47", "attributes of files", """
open("x", "w")
try:
    for n in range(4000): os.setxattr("x", f"user.{n}", b"v" * 60000)
except OSError: pass
""", over, SMALL),
    python("X48", "memory files, sealed", """
held = []
try:
    for n in range(400):
        f = os.memfd_create("m", os.MFD_ALLOW_SEALING); os.write(f, b"x" * (1 << 20)); fcntl.fcntl(f, 1033, 0xf); held.append(f)
except OSError: pass
""", ends_by("memory_limit"), SMALL),
    python("X49", "record locks without end", """
import time
for command in (36, 37, 38):    # F_OFD_*: nobody finds those whose file is in a message
    tried(f"locks of open files {command}", lambda: fcntl.fcntl(os.open("l", os.O_CREAT | os.O_RDWR), command, struct.pack("hhqqi4x", 1, 0, 0, 1, 0)))
files = []
for n in range(500):
    f = open(f"l{n}", "w"); files.append(f)
    for k in range(500): fcntl.lockf(f, fcntl.LOCK_EX, 1, 2 * k)
time.sleep(10)
print("REACHABLE: 250000 locks that no group counts")
""", over, {**SMALL, "wall_ms": 60_000}),
    python("X50", "pipes enlarged until the user's share is used up", """
held = []
try:
    for n in range(400):
        r, w = os.pipe(); held += [r, w]
        try: fcntl.fcntl(w, 1031, 1 << 20)
        except OSError: pass
except OSError: pass
""", over, SMALL),
    shell("X51", "a program that starts itself again and again",
          'printf "#!/bin/sh\\nexec ./again\\n" > again; chmod +x again; exec ./again', over_in_time, TWO_SECONDS),
    python("X52", "threads without end", """
import threading, time
try:
    for n in range(5000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
except RuntimeError: pass
print("contained", flush=True)
os._exit(0)
""", limits={"pids": 64, "wall_ms": 10_000}),
    python("X53", "filters stacked on filters", """
allow = ctypes.create_string_buffer(struct.pack("<HBBI", 6, 0, 0, 0x7fff0000) * 4096)
program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", 4096, ctypes.addressof(allow)))
n = 0
while n < 64 and c.syscall(317, 1, 0, ctypes.byref(program)) == 0: n += 1
""", over, SMALL),
    python("X54", "output by many writers at once", """
import time
for _ in range(7):
    if os.fork() == 0: break
b = b"y" * 65536
end = time.monotonic() + 1.5
while time.monotonic() < end: os.write(1, b); os.write(2, b)
os._exit(0)
""", over, {"max_output_bytes": 65_536, "wall_ms": 3_000}),
    python("X56", "spinning children", """
for _ in range(31):
    if os.fork() == 0: break
while 1: pass
""", over_in_time, {**TWO_SECONDS, "cpus": 0.5, "pids": 64}),
    python("X57", "asynchronous requests, of which the host has one number", """
context = ctypes.c_long(0)
for size in (1, 128, 65536):
    if call(206 if os.uname().machine == "x86_64" else 0, size, ctypes.byref(context)) >= 0: reached(f"io_setup {size}")
"""),
    python("X58", "programs for sockets, whose translations share one bound of the host", """
code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
program = struct.pack("HxxxxxxQ", 1, ctypes.addressof(code))
for family, kind in ((1, 1), (1, 2), (2, 1), (2, 2), (10, 2), (16, 3)):
    for option in (26, 51): tried(f"filter {option} of {family}", lambda: socket.socket(family, kind).setsockopt(1, option, program))
    for option in (50, 52): tried(f"program {option} of {family}", lambda: socket.socket(family, kind).setsockopt(1, option, 3))
"""),
    python("X59", "terminals, of which the host has one number", """
held = []
try:
    while len(held) < 100: held.append(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
except OSError: pass
if len(held) > 64: reached(f"{len(held)} terminals")
"""),
    python("X60", "labels of flows, of which the host has one number", """
for share in (1, 2, 3, 255):
    label = struct.pack("16sIBBHHHI", b"\\0" * 15 + b"\\1", 0, 0, share, 1, 60, 60, 0)
    tried(f"label {share}", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).setsockopt(41, 32, label))
"""),
    python("X61", "answers of the kernel that are left in netlink sockets", """
import time
ask = struct.pack("=IHHIIBxHiII", 32, 18, 1, 0, 0, 0, 0, 1, 0, 0) * 32    # of the one interface
held, total = [], 0
while total < 96 << 20 and len(held) < 900:
    s = socket.socket(16, 3, 0); held.append(s)
    s.setsockopt(1, 8, 1 << 30)
    room, used = s.getsockopt(1, 8), 0
    try:
        while used < room - 40_000:
            s.send(ask, socket.MSG_DONTWAIT)
            used = struct.unpack("I", s.getsockopt(1, 55, 36)[:4])[0]
    except OSError: pass
    total += used
time.sleep(10)
if total >= 96 << 20: print("REACHABLE:", total, "bytes that no group counts")
""", ends_by("memory_limit"), {**SMALL, "wall_ms": 60_000}),
    python("X62", "messages that nobody reads in UDP sockets of the own loopback", """
import time
sender, held, total = socket.socket(2, 2), [], 0
def waiting(s):
    try: return struct.unpack("I", s.getsockopt(1, 55, 36)[:4])[0]
    except OSError: return 0    # gVisor does not tell
while total < 160 << 20 and len(held) < 900:
    s = socket.socket(2, 2); held.append(s)
    s.setsockopt(1, 8, 1 << 30); s.bind(("127.0.0.1", 0))
    used, before = 0, -1
    while used > before:
        before = used
        try: sender.sendto(bytes(60_000), socket.MSG_DONTWAIT, s.getsockname())
        except OSError: break
        used = waiting(s)
    total += used
time.sleep(10)
if total >= 160 << 20: print("REACHABLE:", total, "bytes that no group counts")
""", over, {**SMALL, "wall_ms": 60_000}),
    python("X63", "data that nobody reads in TCP sockets of the own loopback", """
import time
listener, held, total = socket.socket(), [], 0
listener.setsockopt(1, 8, 1 << 30); listener.bind(("127.0.0.1", 0)); listener.listen(1000)
while total < 160 << 20 and len(held) < 400:
    s = socket.socket(); s.setsockopt(1, 7, 1 << 30); s.settimeout(5)
    s.connect(listener.getsockname())
    other, _ = listener.accept(); held.append((s, other)); s.setblocking(False)
    try:
        while True: total += s.send(bytes(65_536))
    except OSError: pass
time.sleep(10)
if total >= 160 << 20: print("REACHABLE:", total, "bytes that no group counts")
""", over, {**SMALL, "wall_ms": 60_000}),
    python("X66", "messages that UDP sockets keep until they are complete", """
import time
held = []
try:
    for _ in range(900):
        s = socket.socket(2, 2); s.connect(("127.0.0.1", 9)); held.append(s)
        s.send(bytes(60_000), 0x8000)    # MSG_MORE
except OSError: pass
time.sleep(10)
if len(held) == 900: print("REACHABLE:", len(held) * 60_000, "bytes that no group counts")
""", over, {**SMALL, "wall_ms": 60_000}),
    python("X67", "an obsolete option of sockets whose memory no group counts", """
tried("64 KiB", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).setsockopt(41, 6, struct.pack("QII", 65_000, 77, 1) + bytes(64_984)))
"""),
    python("X68", "copies of what was sent, which nobody reads", """
import time
held = []
try:
    for _ in range(300):
        s = socket.socket(2, 2); held.append(s)
        s.setsockopt(1, 8, 4 << 20); s.setsockopt(1, 7, 4 << 20)
        s.setsockopt(1, 37, struct.pack("I", 0x12))    # SO_TIMESTAMPING: the time at which each was sent, with the message
        for _ in range(140): s.sendto(bytes(60_000), socket.MSG_DONTWAIT, ("127.0.0.1", 9))
except OSError: pass
time.sleep(5)
def waiting(s):
    try: return struct.unpack("I", s.getsockopt(1, 55, 36)[:4])[0]
    except OSError: return 0    # gVisor does not tell
total = sum(map(waiting, held))
if total > 64 << 20: print("REACHABLE:", total, "bytes that no group counts")
""", over, {**SMALL, "wall_ms": 60_000}),
    python("X64", "page tables, by reading where nothing is", """
import mmap
n, step = 0, 2 << 20
wide = mmap.mmap(-1, 1 << 38, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ)
while n < 1 << 17:
    wide[n * step]; n += 1
print("REACHABLE:", n, "page tables")
""", over, {**SMALL, "wall_ms": 60_000}),
    python("X65", "data that nobody reads in pairs of sockets", """
held, total = [], 0
while total < 160 << 20:
    try: one, other = socket.socketpair()
    except OSError: break
    held.append((one, other)); one.setblocking(False)
    try:
        while True: total += one.send(bytes(4096))
    except OSError: pass
if total >= 160 << 20: print("REACHABLE:", total, "bytes")
""", over, {**SMALL, "wall_ms": 60_000}),
    shell("X55", "arguments and variables as large as they may be",
          'a=$(head -c 120000 /dev/zero | tr "\\0" a); i=0; while [ $i -lt 50 ]; do A=$a B=$a C=$a /bin/true "$a" "$a" || break; i=$((i+1)); done; '
          "echo contained"),
]
