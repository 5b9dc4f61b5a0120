"""A headless Chromium driven over its debugging pipe, with the standard library alone."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def chromium():
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp()
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()

        def pipes():  # it reads commands from 3 and answers at 4
            reads, writes = os.dup(to_browser), os.dup(from_browser)
            for source, target in ((reads, 3), (writes, 4)):
                os.dup2(source, target)
                os.set_inheritable(target, True)

        self.process = subprocess.Popen(
            [chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-background-networking", "--disable-component-update", "--no-first-run",
             "--user-data-dir=" + self.folder, "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.rest, self.events = 0, b"", []
        page = next(t for t in self.command("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.page = None
        self.page = self.command("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Security"):
            self.command(domain + ".enable")

    def receive(self):
        while b"\0" not in self.rest:
            piece = os.read(self.inp, 1 << 20)
            if not piece:
                raise EOFError("the browser is gone")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def command(self, name, **parameters):
        self.number += 1
        message = {"id": self.number, "method": name, "params": parameters}
        if getattr(self, "page", None):
            message["sessionId"] = self.page
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{name}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, address):
        """Seconds until the page says that it is ready."""
        self.events.clear()
        begun = time.monotonic()
        self.command("Page.navigate", url=address)
        while self.run("document.documentElement?.dataset.ready") != "yes":
            if time.monotonic() - begun > 120:
                raise TimeoutError(address)
            time.sleep(0.01)
        return time.monotonic() - begun

    def run(self, expression):
        answer = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def type(self, text):
        for key in text:
            self.command("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            self.command("Input.dispatchKeyEvent", type="keyUp", key=key)

    def trouble(self):
        """What the page complained about, and what it asked for over a network."""
        self.run("new Promise((done) => setTimeout(done, 100))")
        found = []
        for event in self.events:
            name, what = event.get("method"), event.get("params", {})
            if name == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
                found.append("console: " + json.dumps(what["args"])[:300])
            elif name == "Runtime.exceptionThrown":
                found.append("exception: " + json.dumps(what["exceptionDetails"])[:500])
            elif name == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                found.append("log: " + json.dumps(what["entry"])[:300])
            elif name == "Page.javascriptDialogOpening":
                found.append("dialog: " + what["message"])
            elif name == "Network.requestWillBeSent":
                address = what["request"]["url"]
                if not address.startswith(("file:", "data:", "about:")):
                    found.append("request: " + address)
        return found

    def emulate(self, width=1440, height=1000, phone=False, **features):
        media = features.pop("media", "")
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.command("Emulation.setEmulatedMedia", media=media, features=[{"name": n.replace("_", "-"), "value": v} for n, v in features.items()])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        try:
            self.page = None
            self.command("Browser.close")
        except (OSError, EOFError):
            pass
        self.process.wait(timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)
