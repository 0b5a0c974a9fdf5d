"""A headless Chromium behind its driver, spoken to in W3C WebDriver over HTTP: no library, hard limits on time."""

import base64
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --force-device-scale-factor=1"
).split()
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}
START_SECONDS, CALL_SECONDS = 90, 120


def programs():
    """Paths of (chromium, chromedriver); None where one is missing."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """One session. `send` speaks WebDriver, the rest is what tests say often."""

    def __init__(self, port, session):
        self.root = f"http://127.0.0.1:{port}/session/{session}"

    def send(self, path, body=None, method=None):
        """The value of a command; GET without a body."""
        return call(f"{self.root}{path}", body, method)

    def run(self, script, *arguments):
        """The value that a script returns."""
        return self.send("/execute/sync", {"script": script, "args": list(arguments)})

    def open(self, address, width=1280, height=900):
        """Load a page in a window whose viewport has this size."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
        # a click must not aim at what is still moving
        still = [{"name": "prefers-reduced-motion", "value": "reduce"}]
        self.devtools("Emulation.setEmulatedMedia", {"features": still})
        self.send("/url", {"url": address})

    def devtools(self, command, parameters):
        """A command of the DevTools protocol."""
        return self.send("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def press(self, *keys):
        """Press keys, each down and up, on what has the focus."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.send("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def click(self, selector):
        """Click the first element of a CSS selector."""
        found = self.send("/element", {"using": "css selector", "value": selector})
        self.send(f"/element/{found[ELEMENT]}/click", {})

    def log(self, kind):
        """Entries of a log ("browser", "performance") since it was last read."""
        return self.send("/se/log", {"type": kind})

    def screenshot(self, path):
        """The viewport as png."""
        path.write_bytes(base64.b64decode(self.send("/screenshot")))


def call(address, body=None, method=None, seconds=CALL_SECONDS):
    """One request to the driver; its error message in a RuntimeError."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=seconds) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{address}: {error.read().decode()[:1000]}") from None


@contextlib.contextmanager
def chromium():
    """A Browser of its own, with a fresh profile; ended by the pid of its process group, whatever happens."""
    browser, driver = programs()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            _await(port)
            options = {"binary": browser, "args": [*FLAGS, f"--user-data-dir={profile}"]}
            wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                      "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}  # fmt: skip
            made = call(f"http://127.0.0.1:{port}/session", {"capabilities": {"alwaysMatch": wanted}})
            yield Browser(port, made["sessionId"])
            call(f"http://127.0.0.1:{port}/session/{made['sessionId']}", method="DELETE", seconds=20)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=20)


def _await(port):
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            if call(f"http://127.0.0.1:{port}/status", seconds=10)["ready"]:
                return
        time.sleep(0.2)
    raise RuntimeError(f"chromedriver was not ready after {START_SECONDS} s")
