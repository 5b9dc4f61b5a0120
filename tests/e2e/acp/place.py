"""The folders of a test, its scripts, and what other commands of skein say about its sessions."""
import json
import os
import subprocess
import tempfile
import threading

from client import Failed

IS_ASAN = "asan" in os.environ["SKEIN"]
counted, lock = [0], threading.Lock()


def call(name, id, **arguments):
    return {"call": {"name": name, "id": id, "input": arguments}}


def text_of(update):
    """All text of an update of a call."""
    return "\n".join(each["content"].get("text", "") for each in update.get("content", [])
                     if each["type"] == "content")


class Place:
    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.folder = os.path.realpath(self.temporary.name)
        self.workspace, self.clients, self.scripts = self.at("ws"), [], 0
        for name in ("ws", "user", "config/skein"):
            os.makedirs(self.at(name))
        self.environment = {name: value for name, value in os.environ.items()
                            if name in ("PATH", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TMPDIR")}
        self.environment.update(HOME=self.at("user"), SKEIN_HOME=self.at("home"), SKEIN_DEMO_PACE="0",
                                XDG_CONFIG_HOME=self.at("config"), XDG_STATE_HOME=self.at("state"),
                                XDG_CACHE_HOME=self.at("cache"))

    def at(self, name):
        return os.path.join(self.folder, name)

    def file(self, name):
        """The text of a file of the workspace; None: there is no such file."""
        try:
            with open(os.path.join(self.workspace, name)) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), "w") as file:
            file.write(text)
        return self.at(name)

    def model(self, replies):
        """The flags for a model that says this."""
        self.scripts += 1
        return ["-m", "scripted/" + self.write("script%d.json" % self.scripts, json.dumps(replies))]

    def skein(self, *words, into="", status=0):
        done = subprocess.run([os.environ["SKEIN"], *words], env=self.environment, cwd=self.workspace, input=into,
                              capture_output=True, text=True)
        self.check(done.returncode == status, "`skein %s` exits with %d" % (" ".join(words), status), done)
        return done.stdout

    def shown(self, session):
        return json.loads(self.skein("sessions", "show", session, "--json"))

    def messages(self, session):
        """The entries of the path that are messages."""
        return [entry for entry in self.shown(session)["path"] if entry["type"] == "message"]

    def check(self, right, expected, got=""):
        with lock:
            counted[0] += 1
        if not right:
            raise Failed("expected: %s\n  got:      %.2500s" % (expected, got))

    def leave(self):
        """Ends what still runs. Returns the lines that came, for a failure."""
        report = "\n".join(client.report() for client in self.clients[-2:])
        for client in self.clients:
            if client.process.poll() is None:
                client.kill()
        self.temporary.cleanup()
        return report
