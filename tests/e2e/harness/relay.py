"""An engine over TCP, as one of another host is: a relay to its socket, which tests can hold up."""

import socket
import threading


class TcpRelay:
    """Listens on a free port of this host until close(). While `hold` is set, requests that begin with it wait in the middle."""

    def __init__(self, address):
        self.path = address.removeprefix("unix://")
        self.hold, self.held, self.go_on = None, threading.Event(), threading.Event()
        self.cuts = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.seen = []    # first lines of requests
        self.accepting = threading.Thread(target=self._accept, daemon=True)
        self.accepting.start()

    def hold_back(self, words):
        """From now on the first request with `words` in its first line is kept from the engine, until release()."""
        self.held.clear()
        self.go_on.clear()
        self.hold = words

    def cut(self, words):
        """The first request with `words` from now on never gets an answer: its connection breaks."""
        self.cuts = words

    def release(self):
        self.hold = None
        self.go_on.set()

    def count(self, words):
        return sum(words in line for line in self.seen)

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            engine = socket.socket(socket.AF_UNIX)
            try:
                engine.connect(self.path)
            except OSError:
                client.close()
                continue
            threading.Thread(target=self._carry, args=(client, engine, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(engine, client, False), daemon=True).start()

    def _carry(self, source, target, asks):
        try:
            while data := source.recv(1 << 16):
                if asks:
                    self._look(data)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            for each in (source, target):
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def _look(self, data):
        line = data.split(b"\r\n", 1)[0].decode(errors="replace")
        if " HTTP/1.1" not in line:
            return
        self.seen.append(line)
        if self.cuts and self.cuts in line:
            self.cuts = None
            raise ConnectionResetError
        if self.hold and self.hold in line:
            self.held.set()
            self.go_on.wait(60)

    def close(self):
        self.release()
        self.listener.shutdown(socket.SHUT_RDWR)    # closing alone would not wake who accepts: it would keep the port, and take one more
        self.accepting.join(10)
        self.listener.close()
