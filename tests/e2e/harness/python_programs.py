"""Python programs that look at how they were started: a table of name → request. Run in a cold and in a warm interpreter they must give the
same bytes and ends. What differs between any two runs (addresses, numbers of processes and threads) they do not print."""

# Prints all that an interpreter shows of its start.
START = r"""
import builtins, gc, os, signal, site, sys, threading
print(sys.argv, getattr(sys, "orig_argv", None), sys.path, sys.path_importer_cache.keys())
print(sys.flags, sys._xoptions, sys.warnoptions, sys.executable, sys.prefix, sys.base_prefix, sys.getrecursionlimit())
print(__name__, __file__, __doc__, __package__, __spec__, type(__loader__), __loader__.path, __loader__.name, list(globals())[:9])
print(list(sys.modules))
print(list(os.environ), os.environ["HOME"], os.environ["PATH"], os.environ["LANG"])
for stream in (sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__):
    print(stream, stream.encoding, stream.errors, stream.line_buffering, stream.write_through, stream.newlines, stream.closed,
          type(stream.buffer), stream.fileno(), stream.isatty(), stream.mode)
print({number: signal.getsignal(number) for number in signal.Signals}, signal.pthread_sigmask(signal.SIG_BLOCK, []))
print([thread.name for thread in threading.enumerate()], gc.isenabled(), gc.get_threshold(), gc.callbacks, gc.get_freeze_count())
print(site.ENABLE_USER_SITE, site.USER_SITE, site.USER_BASE, site.PREFIXES, sorted(vars(builtins)))
print(sorted(os.listdir("/proc/self/fd"))[:3], len(os.listdir("/proc/self/fd")), os.getcwd(), os.listdir("."), os.listdir("/tmp"))
print(os.getpid() == os.getsid(0) == os.getpgrp(), os.getppid(), oct(os.umask(0)), os.nice(0), sys.getswitchinterval())
print([line for line in open("/proc/self/status") if line.startswith(("SigPnd", "SigBlk", "SigIgn", "SigCgt", "NoNewPrivs", "Seccomp", "Cap", "Threads"))])
print(sys.exc_info(), hasattr(sys, "last_value"), sys.gettrace(), sys.getprofile(), sys.excepthook, sys.displayhook, sys.meta_path, sys.path_hooks)
print([limit for limit in open("/proc/self/limits")], sys.dont_write_bytecode, sys.pycache_prefix, sys._framework, sys.hash_info.algorithm)
import inspect
print([(frame.filename, frame.function) for frame in inspect.stack()], sys._getframe().f_back)
print(open("/proc/self/cmdline").read().split(chr(0))[:3])
"""

TRACEBACK = """
def inner(x):
    return 1 / x
def outer():
    try:
        inner(0)
    except ZeroDivisionError as reason:
        raise ValueError("grüße") from reason
outer()
"""

CHILDREN = """
import multiprocessing, os, sys
def work(x):
    return x * x, __name__, sys.argv, multiprocessing.current_process().name
if __name__ == "__main__":
    for how in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(how)
        with context.Pool(1) as pool:
            print(how, pool.map(work, [1, 2, 3], chunksize=3))
"""

THREADS = """
import threading, sys, time
def fail():
    raise RuntimeError("in a thread")
thread = threading.Thread(target=fail, name="failing")
thread.start(); thread.join()
def late():
    time.sleep(0.5); print("late thread")
threading.Thread(target=late).start()
print("main is done")
"""

LIMITS = """
import resource
for name in sorted(dir(resource)):
    if name.startswith("RLIMIT_"):
        print(name, resource.getrlimit(getattr(resource, name)))
"""

RECURSION = """
import sys
depth = 0
def down():
    global depth
    depth += 1
    down()
try:
    down()
except RecursionError as reason:
    print(depth, reason)
down()
"""

PROGRAMS = {
    # Starts
    "start": {"code": START},
    "arguments": {"code": START, "args": ["a", "", "b c", "ä\n", "-x", "--"]},
    "environment": {"code": "import os, subprocess\nprint([(k, v) for k, v in os.environ.items() if k != 'CAISSON_EXECUTION_ID'], flush=True)\n"
                            "subprocess.run(['/bin/sh', '-c', 'env | grep -v EXECUTION_ID | grep -v ^_='])\nprint(os.getenv('ZÄ'))",
                    "env": {"A": "", "B": "x=y", "ZÄ": "ü\n", "CAISSON_PRELOAD": "none"}},
    "limits": {"code": LIMITS, "limits": {"open_files": 99, "file_bytes": 12_345, "wall_ms": 20_000, "cpu_ms": 7_000}},
    "recursion": {"code": RECURSION},
    "warnings": {"code": "import warnings\nwarnings.warn('odd')\nwarnings.warn('old', DeprecationWarning)\nprint(warnings.filters)"},
    "own_modules": {"code": "import helper, pack.sub\nprint(helper.__file__, helper.X, pack.sub.Y, pack.__path__)\nhelper.fail()",
                    "files": {"helper.py": "X = 1\ndef fail():\n    raise KeyError('of the helper')\n", "pack/__init__.py": "",
                              "pack/sub.py": "Y = __name__\n"}},
    "a_module_of_a_known_name": {"code": "import sitecustomize, random\nprint(sitecustomize.X, random.X)",
                                 "files": {"sitecustomize.py": "X = 'own'\n", "random.py": "X = 'own'\n"}},
    "no_sitecustomize": {"code": "import sys\nprint('sitecustomize' in sys.modules)\nimport usercustomize"},
    "usual_modules": {"code": "import argparse, ctypes, datetime, decimal, json, hashlib, socket, sqlite3, ssl, struct, uuid, zlib\n"
                              "print(ctypes.CDLL(None).getpid() > 0, json.dumps({'a': 1}), hashlib.sha256(b'').hexdigest(), "
                              "datetime.date(2020, 1, 1), sqlite3.connect(':memory:').execute('select 1').fetchall())"},
    "time": {"code": "import time, locale\nprint(time.tzname, time.timezone, locale.getpreferredencoding(), locale.setlocale(locale.LC_ALL))"},
    "hooks_of_the_interpreter": {"code": "import faulthandler, tracemalloc, gc\nprint(faulthandler.is_enabled(), tracemalloc.is_tracing(), "
                                         "gc.get_debug())"},
    # Sources
    "syntax_error": {"code": "x = 1\nif x\n    print(x)\n"},
    "indentation": {"code": "def f():\nreturn 1\n"},
    "bytes_that_are_no_text": {"code": "# coding: ascii\nprint('ä')"},
    "coding": {"code": "# coding: utf-8\nprint('ä', 'π'.encode())"},
    "future": {"code": "from __future__ import annotations\ndef f(x: y): pass\nprint(f.__annotations__)"},
    "empty": {"code": "\n"},
    # Ends
    "traceback": {"code": TRACEBACK},
    "exit_none": {"code": "import sys\nprint('x')\nsys.exit()"},
    "exit_number": {"code": "import sys\nsys.exit(7)"},
    "exit_large_number": {"code": "import sys\nsys.exit(300)"},
    "exit_negative": {"code": "import sys\nsys.exit(-1)"},
    "exit_text": {"code": "import sys\nsys.exit('it failed: ü')"},
    "exit_object": {"code": "import sys\nsys.exit([1, 2])"},
    "exit_true": {"code": "raise SystemExit(True)"},
    "exit_bare": {"code": "raise SystemExit"},
    "exit_of_the_builtin": {"code": "print('a')\nexit(3)"},
    "exit_at_once": {"code": "import os, sys\nprint('kept')\nsys.stdout.write('also, as it is not buffered')\nos._exit(4)"},
    "abort": {"code": "import os\nos.abort()"},
    "segfault": {"code": "import os, signal\nprint('before')\nos.kill(os.getpid(), signal.SIGSEGV)"},
    "terminated": {"code": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)"},
    "interrupted": {"code": "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)"},
    "interrupt_caught": {"code": "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    [0] * 9\nexcept KeyboardInterrupt:\n    print('caught')"},
    "interrupt_raised": {"code": "raise KeyboardInterrupt"},
    "faulthandler": {"code": "import faulthandler, os, signal\nfaulthandler.enable()\ndef f():\n    os.kill(os.getpid(), signal.SIGABRT)\nf()"},
    "atexit": {"code": "import atexit\natexit.register(print, 'first registered')\natexit.register(print, 'last registered')\n"
                       "atexit.register(lambda: 1 / 0)\nprint('main')"},
    "excepthook": {"code": "import sys\nsys.excepthook = lambda kind, value, trace: print('hook', kind, value, trace.tb_frame.f_code.co_name, trace.tb_next)\n1 / 0"},
    "destructor": {"code": "class A:\n    def __del__(self):\n        print('gone')\n        raise ValueError('in a destructor')\na = A()\nb = [a]"},
    "broken_repr": {"code": "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E"},
    "group": {"code": "raise ExceptionGroup('both', [ValueError(1), TypeError(2)])"},
    "memory": {"code": "x = bytearray(300 << 20)", "limits": {"memory_bytes": 64 << 20}},
    "wall": {"code": "import time\nprint('in time')\ntime.sleep(60)", "limits": {"wall_ms": 1_500}},
    "wall_caught": {"code": "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *a: sys.exit(9))\nprint('in time')\ntime.sleep(60)",
                    "limits": {"wall_ms": 1_500}},
    "cpu": {"code": "while True: pass", "limits": {"cpu_ms": 400}},
    "file_size": {"code": "f = open('big', 'wb', 0)\nprint(f.write(b'x' * 9000))\nf.write(b'x')", "limits": {"file_bytes": 9_000}},
    # Threads and processes
    "threads": {"code": THREADS},
    "daemon": {"code": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('main')"},
    "multiprocessing": {"code": CHILDREN, "args": ["x"]},
    "fork": {"code": "import os\npid = os.fork()\nif pid == 0:\n    print('child'); os._exit(3)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"},
    "subprocess": {"code": "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'import sys, os; print(sys.flags, sys.path, os.listdir(\"/proc/self/fd\"))'], "
                           "capture_output=True, text=True))\nsubprocess.run('echo shell; exit 5', shell=True)"},
    "sigpipe_of_children": {"code": "import subprocess\nprint(subprocess.run('yes | head -1; echo ${PIPESTATUS[0]}', shell=True, executable='/bin/bash', capture_output=True))"},
    "executor": {"code": "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as p:\n    print(sum(p.map(abs, range(-100, 0))))"},
    "asyncio": {"code": "import asyncio\nasync def main():\n    p = await asyncio.create_subprocess_exec('echo', 'hi', stdout=-1)\n    print(await p.communicate(), p.returncode)\nasyncio.run(main())"},
    "many_processes": {"code": "import os, time\nfor i in range(20):\n    try:\n        if os.fork() == 0:\n            time.sleep(5); os._exit(0)\n    except OSError as e:\n        print(i, e); break",
                       "limits": {"pids": 6, "wall_ms": 3_000}},
    # Streams
    "stdin_absent": {"code": "import sys\nprint(repr(sys.stdin.read()), sys.stdin.buffer.read())\ninput()"},
    "stdin_given": {"code": "print(input('name? '))\nimport sys\nprint(sys.stdin.readlines())", "stdin": "Ann\nzwei ä\ndrei"},
    "stdin_closed": {"code": "import sys\nsys.stdin.close()\nprint(input())"},
    "stdin_of_a_child": {"code": "import subprocess\nprint(subprocess.run('cat', capture_output=True))", "stdin": "to the child"},
    "unicode": {"code": "import sys\nprint('ä€😀', file=sys.stderr)\nprint('ä€😀')\nprint(chr(0xd800).encode('utf8', 'surrogatepass'))\nprint(chr(0xd800))"},
    "both_streams": {"code": "import sys\nfor i in range(5):\n    sys.stdout.write(f'o{i}'); sys.stderr.write(f'e{i}')"},
    "large_output": {"code": "import sys\nfor i in range(200_000):\n    sys.stdout.buffer.write(b'%049d\\n' % i)", "limits": {"max_output_bytes": 16 << 20}},
    "replaced_stdout": {"code": "import sys, io\nsys.stdout = io.StringIO()\nprint('lost')\nsys.stdout = open('/dev/stdout', 'w')\nprint('kept')"},
    "closed_stdout": {"code": "import os, sys\nprint('a')\nos.close(1)\ntry:\n    print('b')\nfinally:\n    print('c', file=sys.stderr)"},
    "closed_all": {"code": "import os\nos.closerange(0, 3)\nprint('x')"},
    "reconfigured": {"code": "import sys\nsys.stdout.reconfigure(encoding='latin-1', newline='\\r\\n')\nprint('ä')"},
    "broken_pipe": {"code": "import os, sys\nr, w = os.pipe(); os.close(r); os.dup2(w, 1); os.close(w)\nsys.stdout = os.fdopen(1, 'w')\nprint('x' * 100)"},
    "print_and_flush": {"code": "import time\nprint('a', end='')\ntime.sleep(0.05)\nprint('b', end='', flush=True)"},
    # What runs make
    "files": {"code": "import os\nopen('out.txt', 'w').write('x')\nprint(oct(os.stat('out.txt').st_mode), os.stat('out.txt').st_uid == os.getuid(), sorted(os.listdir('.')))\n"
                      "import helper\nprint(os.listdir('__pycache__'))", "files": {"helper.py": "pass\n"}},
}
