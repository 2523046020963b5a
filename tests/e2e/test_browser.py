"""A real browser on a page of another origin: EventSource that is cut and comes back, WebSocket, fetch."""

import base64
import http.server
import json
import os
import shutil
import signal
import socket
import socketserver
import subprocess
import threading

import pytest

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

PAGE = """<!doctype html><title>caisson</title><script>
const go = JSON.parse(atob(location.hash.slice(1)));
const tell = async found => fetch("/done", {method: "POST", body: JSON.stringify(found)});
const call = async (path, more) => (await fetch(go.api + path, {...more, headers: {Authorization: "Bearer " + go.key, "Content-Type": "application/json"}}));
const ticket = async () => (await (await call("/v1/tickets", {method: "POST"})).json()).ticket;

async function events() {
  const source = new EventSource(`${go.cutting}/v1/executions/${go.execution}/events?ticket=${await ticket()}`);
  const seen = [];
  let lost = 0;
  return new Promise(done => {
    source.onerror = () => { lost += 1; if (source.readyState === 2) done({seen, lost, closed: true}); };
    const take = event => {
      const one = JSON.parse(event.data);
      seen.push([one.kind, one.data ?? "", event.lastEventId]);
      if (one.kind === "output") call(`/v1/executions/${go.execution}/stdin`, {method: "POST", body: JSON.stringify({data: "\\n"})});
      if (one.kind === "exit") { source.close(); done({seen, lost, closed: false}); }
    };
    for (const kind of ["message", "state", "output", "usage", "exit"]) source.addEventListener(kind, take);
  });
}

async function socket() {
  const opened = new WebSocket(`${go.api.replace("http", "ws")}/v1/executions/${go.execution}/stream?ticket=${await ticket()}`);
  const kinds = [];
  return new Promise(done => {
    opened.onmessage = message => kinds.push(JSON.parse(message.data).kind);
    opened.onclose = close => done({kinds, code: close.code, reason: close.reason});
  });
}

async function failures() {
  const refused = await call("/v1/executions", {method: "POST", body: JSON.stringify({command: []})});
  const foreign = await fetch(go.closed + "/v1/languages", {headers: {Authorization: "Bearer " + go.key}}).then(() => "read", () => "kept away");
  return {status: refused.status, id: refused.headers.get("X-Request-Id"), error: (await refused.json()).error, foreign};
}

(async () => tell({events: await events(), socket: await socket(), failures: await failures()}))().catch(why => tell({why: String(why)}));
</script>"""


class Site(http.server.ThreadingHTTPServer):
    """Serves the page, and waits for what it tells."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.told, self.done = None, threading.Event()
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def do_POST(self):
        self.server.told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.done.set()

    def log_message(self, *_):
        pass


class Cutter(socketserver.ThreadingTCPServer):
    """Passes connections on to the server; the first event stream is cut behind its second output."""

    daemon_threads, allow_reuse_address = True, True

    def __init__(self, target):
        super().__init__(("127.0.0.1", 0), Cut)
        self.target, self.cuts, self.lock = target, 0, threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Cut(socketserver.BaseRequestHandler):
    def handle(self):
        with socket.create_connection(self.server.target) as inner:
            threading.Thread(target=self.forward, args=(self.request, inner), daemon=True).start()
            seen = b""
            while piece := inner.recv(65_536):
                self.request.sendall(piece)
                seen += piece
                with self.server.lock:
                    cut = self.server.cuts == 0 and seen.count(b'"kind":"output"') >= 2
                    self.server.cuts += cut
                if cut:
                    return

    @staticmethod
    def forward(outer, inner):
        try:
            while piece := outer.recv(65_536):
                inner.sendall(piece)
        except OSError:
            pass


@pytest.fixture
def site():
    made = Site()
    yield made
    made.shutdown()
    made.server_close()


def browse(folder, url):
    """A browser with a profile of its own in a process group of its own."""
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={folder}", url]
    with open(folder / "log", "wb") as log:
        env = {**os.environ, "HOME": str(folder)}
        return subprocess.Popen([*words[:-1], "--remote-debugging-port=0", url], stdout=log, stderr=log, env=env, start_new_session=True)


def test_a_page_follows_an_execution_through_a_cut(new_server, site, tmp_path):
    ours = new_server("--set", f"http.allowed_origins={site.origin}")
    cutter = Cutter(ours.api.address)
    one = ours.api.create(want=202, wait=False, shell="for n in 1 2 3 4; do echo line $n; read go; done", stdin_open=True)["execution_id"]
    told = {"api": ours.api.url, "cutting": cutter.url, "closed": new_server().api.url, "key": ours.api.key, "execution": one}
    browser = browse(tmp_path, site.origin + "/#" + base64.b64encode(json.dumps(told).encode()).decode())
    try:
        assert site.done.wait(240), (tmp_path / "log").read_text(errors="replace")[-2000:]
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()
        cutter.shutdown()
        cutter.server_close()
    found = site.told
    assert "why" not in found, found
    events = found["events"]
    assert cutter.cuts == 1 and events["lost"] >= 1 and not events["closed"], events
    assert "".join(data for kind, data, _ in events["seen"] if kind == "output") == "line 1\nline 2\nline 3\nline 4\n", "nothing lost, nothing twice"
    assert len({position for _, _, position in events["seen"]}) == len(events["seen"]) and events["seen"][-1][0] == "exit"
    assert found["socket"]["code"] == 1000 and found["socket"]["kinds"][-1] == "exit" and found["socket"]["reason"] == "the log is at its end"
    assert found["failures"]["status"] == 400 and found["failures"]["id"] and found["failures"]["error"] == "bad_request"
    assert found["failures"]["foreign"] == "kept away", "another server allows no page"
