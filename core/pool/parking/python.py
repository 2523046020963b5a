"""Stops a starting interpreter where `site` looks for sitecustomize, until it is told which program it is.

The agent of a sandbox that is kept ready has the interpreter find this file by PYTHONPATH. What an interpreter does before it
reads its program is done by then; everything after is left to the interpreter itself, so that the program meets nothing of this.
"""
import os
import sys

CONTROL = 3


def read(size):
    data = b""
    while len(data) < size:
        piece = os.read(CONTROL, size - len(data))
        if not piece:
            os._exit(1)
        data += piece
    return data


def be_as_if_never_found():
    here = os.path.dirname(__file__)
    sys.path.remove(here)
    sys.path_importer_cache.pop(here, None)
    sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")    # the one that this interpreter has otherwise
    except ImportError as reason:
        if reason.name != "sitecustomize":
            raise


def preload(names):
    for name in filter(None, names.split(",")):
        try:
            __import__(name)
        except ImportError:
            pass


def take_environment(variables):
    for name in list(os.environb):
        del os.environb[name]
    for variable in variables:
        name, _, value = variable.partition(b"=")
        os.environb[name] = value


def would_see_own_packages():
    """Packages of the user's own are looked for once only, before this."""
    site = sys.modules["site"]
    place = site.getusersitepackages() if site.ENABLE_USER_SITE else None
    return place is not None and place not in sys.path and os.path.isdir(place)


def wait_for_program():
    os.write(CONTROL, b"R")
    count, *texts = read(int.from_bytes(read(4), "little")).split(b"\0")
    arguments = [os.fsdecode(text) for text in texts[:int(count)]]
    take_environment(texts[int(count):])
    if would_see_own_packages():
        os._exit(1)
    sys.argv.extend(arguments)
    if hasattr(sys, "orig_argv"):
        sys.orig_argv.extend(arguments)
    os.write(CONTROL, b"Y")
    if read(1) != b"G":
        os._exit(1)
    os.close(CONTROL)


try:
    if sys.implementation.name != "cpython" or sys.version_info < (3, 8):
        os._exit(1)
    be_as_if_never_found()
    preload(os.environ.get("CAISSON_PRELOAD", ""))
    wait_for_program()
except BaseException:
    os._exit(1)
if "sitecustomize" not in sys.modules:
    raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
