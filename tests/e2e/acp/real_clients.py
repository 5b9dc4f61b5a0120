"""Clients that others wrote, from npm: the protocol's own, and acpx. Every line that skein writes to them is checked."""
import json
import os
import subprocess
import time

from client import PATIENCE, Client
from place import call
from service import Service

folder = None  # of the packages


def recorder(place):
    """A command like `skein acp` that writes down what both sides say."""
    path = place.write("agent", """#!/bin/sh
log=$(mktemp -d "$LOGS/XXXXXX")
tee "$log/in" | "$SKEIN" acp "$@" 2> "$log/err" | tee "$log/out"
touch "$log/ended"
""")
    os.chmod(path, 0o755)
    os.mkdir(place.at("logs"))
    place.environment.update(LOGS=place.at("logs"), SKEIN=os.environ["SKEIN"])
    return path


def logs(place):
    """The folders of all runs, in their order."""
    made = [os.path.join(place.at("logs"), name) for name in os.listdir(place.at("logs"))]
    return sorted(made, key=lambda name: os.stat(os.path.join(name, "in")).st_ino if os.path.exists(name + "/in") else 0)


def lines(path):
    if not os.path.exists(path):  # its process has just been started
        return []
    with open(path, "rb") as file:
        return [json.loads(line) for line in file if line.endswith(b"\n")]


def check_lines(place):
    for log in logs(place):
        asked = {json.dumps(line["id"]): line["method"] for line in lines(log + "/in") if "method" in line and "id" in line}
        for line in lines(log + "/out"):
            wrong = Client.schema.message(line, asked.get(json.dumps(line.get("id"))) if "method" not in line else None)
            place.check(not wrong, "a correct line", (wrong, line))


def sdk(place):
    service = Service(place)
    place.write("package.json", '{"private":true}')
    os.symlink(os.path.join(folder, "node_modules"), place.at("node_modules"))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sdk.mjs")) as file:
        script = place.write("sdk.mjs", file.read())
    done = subprocess.run(["node", script, recorder(place), place.workspace, "-m", service.model], env=place.environment,
                          capture_output=True, text=True)
    service.end()
    place.check(done.returncode == 0, "the SDK's client is content", done.stdout + done.stderr)
    check_lines(place)


class Acpx:
    def __init__(self, place):
        self.place, self.agent = place, recorder(place)
        # Queue owners and sessions of acpx are below its home.
        self.base = [os.path.join(folder, "node_modules/.bin/acpx"), "--cwd", place.workspace, "--ttl", "1"]

    def command(self, model, *words):
        return [*self.base, "--agent", " ".join([self.agent, *model]), *words]

    def run(self, model, *words, status=0):
        deadline = time.monotonic() + PATIENCE
        while True:
            done = subprocess.run(self.command(model, *words), env=self.place.environment, cwd=self.place.workspace,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * PATIENCE)
            # Its process for the session may be about to end.
            if "shutting down" not in done.stderr or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        self.place.check(status is None or done.returncode == status, "acpx %s exits with %s" % (" ".join(words), status), done)
        return done.stdout


def acpx_once(place):
    acpx = Acpx(place)
    said = acpx.run(place.model([[{"think": "hm"}, {"say": "acp one"}]]), "exec", "hello")
    place.check("acp one" in said, "the answer", said)
    write = place.model([[call("write", "c1", path="acp.txt", content="x")], "finished"])
    acpx.run(write, "--deny-all", "exec", "write it", status=None)
    place.check(place.file("acp.txt") is None, "a refused call", "")
    said = acpx.run(write, "--approve-all", "exec", "write it")
    place.check(place.file("acp.txt") == "x" and "finished" in said, "an allowed call", said)
    said = acpx.run(place.model(["walrus"]), "--format", "json", "exec", "hello")
    events = [json.loads(line) for line in said.splitlines()]
    place.check("walrus" in json.dumps(events) and "end_turn" in json.dumps(events), "events", events)
    check_lines(place)


def acpx_sessions(place):
    acpx = Acpx(place)
    model = place.model(["first answer", "second answer", [{"say": "slow"}, {"wait": 600000}]])
    acpx.run(model, "sessions", "new")
    said = acpx.run(model, "prompt", "one")
    place.check("first answer" in said, "the first prompt", said)
    # When the process that served it has ended, the next prompt resumes the session.
    deadline = time.monotonic() + PATIENCE
    while not all(os.path.exists(log + "/ended") for log in logs(place)):
        place.check(time.monotonic() < deadline, "the agent ends with its client", os.listdir(place.at("logs")))
        time.sleep(0.05)
    said = acpx.run(model, "prompt", "two")
    place.check("second answer" in said, "the second prompt", said)
    methods = [line.get("method") for log in logs(place) for line in lines(log + "/in")]
    place.check("session/resume" in methods or "session/load" in methods, "it was resumed", methods)
    acpx.run(model, "set-mode", "plan")
    said = acpx.run(model, "sessions", "list")
    place.check("main:acp" in said or place.workspace in said, "its sessions", said)
    slow = subprocess.Popen(acpx.command(model, "prompt", "three"), env=place.environment, cwd=place.workspace,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + PATIENCE
    while not any('"slow"' in json.dumps(line) for log in logs(place) for line in lines(log + "/out")):
        place.check(time.monotonic() < deadline, "the turn begins", os.listdir(place.at("logs")))
        time.sleep(0.05)
    acpx.run(model, "cancel")
    said = slow.communicate(timeout=PATIENCE)[0]
    place.check("cancel" in said.lower(), "a cancelled turn", said)
    acpx.run(model, "sessions", "close")
    check_lines(place)


def cases():
    """The slow ones first."""
    if subprocess.run([os.path.join(folder, "node_modules/.bin/acpx"), "--version"], capture_output=True).returncode == 0:
        return [acpx_sessions, acpx_once, sdk]
    print("acp: skipped: acpx does not run on this node")
    return [sdk]
