"""A server on this machine that serves files well or badly, request by request."""

import hashlib
import http.server
import re
import socket
import threading
import time
import urllib.parse

import pytest

from workflow_scripts.acquire.http_download import Policy


class Server:
    """Files by path, and for each path the faults of the next requests; after them it behaves.

    A fault is a function of (handler, body); `asked` records (path, headers) of every request.
    """

    def __init__(self):
        self.files, self.faults, self.asked, self.etags = {}, {}, [], True
        self.usual = lambda path: self.well
        self.stop = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 20

            def do_GET(self):
                outer.asked.append((self.path, dict(self.headers)))
                faults = outer.faults.get(self.path, [])
                fault = faults.pop(0) if faults else outer.usual(self.path)
                self.close_connection = True
                try:
                    fault(self, outer.files.get(self.path))
                except (BrokenPipeError, ConnectionResetError):
                    pass

            def log_message(self, *arguments):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        """Stop serving."""
        self.stop.set()
        self.http.shutdown()
        self.http.server_close()

    def add(self, name, body, folder="", md5=None):
        """Serve a file with its .md5 (of other bytes where `md5` says so)."""
        digest = md5 or hashlib.md5(body).hexdigest()
        self.files[f"{folder}/{name}"] = body
        self.files[f"{folder}/{name}.md5"] = f"MD5({name})= {digest}\n".encode()

    def ranges(self, path):
        """Range headers of the requests for a path, None where there was none."""
        return [headers.get("Range") for asked, headers in self.asked if asked == path]

    # What a request may meet.

    def well(self, handler, body):
        """Serve the file, or the part of it that is asked for."""
        if body is None:
            return self.status(404)(handler, body)
        tag = '"' + hashlib.sha256(body).hexdigest()[:16] + '"'
        match = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        condition = handler.headers.get("If-Range")
        start = int(match[1]) if match and condition in (None, tag) else 0
        if match and start >= len(body) > 0 and condition in (None, tag):
            handler.send_response(416)
            handler.send_header("Content-Range", f"bytes */{len(body)}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return None
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if self.etags:
            handler.send_header("ETag", tag)
        handler.send_header("Content-Length", str(len(body) - start))
        handler.end_headers()
        handler.wfile.write(body[start:])
        return None

    def cut(self, count):
        """Serve well, but end the connection after `count` bytes of the body."""

        def fault(handler, body):
            real = handler.wfile

            class Short:
                left = count

                def write(self, data):
                    if data.startswith(b"HTTP/"):
                        return real.write(data)
                    real.write(data[: self.left])
                    real.flush()
                    handler.connection.shutdown(socket.SHUT_RDWR)

                def flush(self):
                    pass

            handler.wfile = Short()
            try:
                self.well(handler, body)
            finally:
                handler.wfile = real

        return fault

    def length(self, stated):
        """Serve all bytes under a wrong Content-Length."""

        def fault(handler, body):
            handler.send_response(200)
            handler.send_header("Content-Length", str(stated))
            handler.end_headers()
            handler.wfile.write(body)

        return fault

    def whole(self, handler, body):
        """Serve the whole file whatever the Range."""
        self.length(len(body))(handler, body)

    def other(self, replacement):
        """Serve other bytes."""
        return lambda handler, body: self.well(handler, replacement)

    def part(self, header, length=None):
        """Answer 206 with this Content-Range and all the file."""

        def fault(handler, body):
            handler.send_response(206)
            handler.send_header("Content-Range", header)
            handler.send_header("Content-Length", str(len(body) if length is None else length))
            handler.end_headers()
            handler.wfile.write(body)

        return fault

    def status(self, code, **headers):
        """Answer with an error."""

        def fault(handler, body):
            handler.send_response(code)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        return fault

    def hang(self, count):
        """Send the headers and `count` bytes, then nothing."""

        def fault(handler, body):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body[:count])
            handler.wfile.flush()
            self.stop.wait(15)

        return fault

    def drip(self, handler, body):
        """Send a byte now and then."""
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        for i in range(len(body)):
            handler.wfile.write(body[i : i + 1])
            handler.wfile.flush()
            if self.stop.wait(0.05):
                return
            time.sleep(0)


@pytest.fixture
def server():
    """A running Server."""
    running = Server()
    yield running
    running.close()


@pytest.fixture
def policy():
    """Short waits."""
    return Policy(attempts=4, timeout=1.0, first_wait=0.01, longest_wait=0.3)


class Uts:
    """The download service of the UTS as NLM documents it: /download?url=<file>&apiKey=<key>, for one key."""

    KEY = "11112222-3333-4444-5555-666677778888"

    def __init__(self, server):
        self.server = server
        self.environment = {"UTS_ENDPOINT": f"{server.address}/download", "UMLS_API_KEY": self.KEY}
        server.usual = self.answer

    def path(self, release, key=None):
        """The path with query of a release's full archive."""
        url = f"https://download.nlm.nih.gov/umls/kss/{release}/umls-{release}-full.zip"
        return "/download?" + urllib.parse.urlencode({"url": url, "apiKey": key or self.KEY})

    def add(self, release, body):
        """Serve an archive."""
        self.server.files[self.path(release)] = body

    def answer(self, path):
        """What the service does with a request."""
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)
        if path.startswith("/download") and query.get("apiKey") != [self.KEY]:
            return self.server.status(401)
        return self.server.well


@pytest.fixture
def uts(server):
    """A running Uts on the server."""
    return Uts(server)
