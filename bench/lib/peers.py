"""Peers that need more than a command line."""

import os
import re
import time

from bench_setup import free_port
from processes import Failed, run, run_json

NGINX_CONFIG = """
{user}
worker_processes 1;
pid {dir}/nginx.pid;
error_log {dir}/nginx-error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nodelay on;
    keepalive_requests 1000000000;
    client_body_temp_path {dir}/nginx-tmp; proxy_temp_path {dir}/nginx-tmp; fastcgi_temp_path {dir}/nginx-tmp;
    uwsgi_temp_path {dir}/nginx-tmp; scgi_temp_path {dir}/nginx-tmp;
    default_type application/json;
    open_file_cache max=16 inactive=600s; open_file_cache_valid 600s;
    server {{ listen 127.0.0.1:{port}; root {dir}/www; }}
}}
"""
SANDBOX = "the sandbox alone, made as the server makes it, and ended at once"
GROUPED = "bwrap --unshare-all in a control group of its own, with limits"


def bubblewrap(program):
    """bwrap as one types it: all namespaces, /usr read-only, /proc, /dev, an empty /tmp. No limits, filters, records or output."""
    argv = ["/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in ("/bin", "/lib", "/lib64", "/sbin"):
        if os.path.islink(path):
            argv += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            argv += ["--ro-bind", path, path]
    return [*argv, "--", *program]


def nginx(bench, body):
    """Serves `body` as a static file; returns its address."""
    port = free_port()
    bench.fresh_dir("www").chmod(0o755)
    bench.write("www/body.json", body).chmod(0o644)
    user = "user root;" if os.geteuid() == 0 else ""
    config = bench.write("nginx.conf", NGINX_CONFIG.format(dir=bench.dir, port=port, user=user))
    argv = ["/usr/sbin/nginx", "-e", bench.path("nginx-error.log"), "-c", config, "-g", "daemon off;"]
    server = bench.background(argv, "nginx")
    server.wait_until(lambda: bench.path("nginx.pid").exists())
    return f"http://127.0.0.1:{port}/body.json"


def beast_hello(bench, body):
    server = bench.background([bench.program("beast-hello"), "--body", bench.write("hello.json", body)], "hello", reads_line=True)
    return f"http://127.0.0.1:{server.line['port']}/"


def wrk(bench, url, seconds, script="wrk.lua", **more):
    """One thread, 64 kept-alive connections. `more` is environment for the script."""
    env = {**os.environ, "BENCH_AUTHORIZATION": f"Bearer {bench.key}", **more}
    found = run_json(["/usr/bin/wrk", "-t1", "-c64", f"-d{seconds}s", "-s", bench.root / "bench" / script, url], env=env)
    if found["errors"] > 0 or found["requests"] == 0:
        raise Failed(f"wrk at {url}: {found}")
    return found


def dd_pipe(blocks):
    """dd | dd of `blocks` times 64 KiB; returns bytes and seconds of the whole pipe."""
    begin = time.monotonic()
    _, err = run(["/bin/sh", "-c", f"dd if=/dev/zero bs=64k count={blocks} status=none | dd of=/dev/null bs=64k"], env={**os.environ, "LC_ALL": "C"})
    seconds = time.monotonic() - begin
    copied = re.search(r"(\d+) bytes", err)
    if not copied or int(copied.group(1)) != blocks * 65536:
        raise Failed(f"dd | dd copied something else: {err}")
    return int(copied.group(1)), seconds
