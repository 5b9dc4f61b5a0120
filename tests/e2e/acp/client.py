"""A client of the Agent Client Protocol on the pipes of `skein acp`. It records every line, and checks each by the
schema and by the rules of order that hold in every test."""
import json
import os
import subprocess
import threading
import time

PATIENCE = 120
LONGEST = 8 << 20  # bytes of a line of skein's
NOTHING = object()  # an answer that never comes
# What belongs to a turn. Other updates may come at any time.
OF_A_TURN = {"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"}


class Failed(Exception):
    pass


class Error:
    """An answer that is an error."""

    def __init__(self, code=-32603, message="no"):
        self.value = {"code": code, "message": message}


def select(option):
    return {"outcome": {"outcome": "selected", "optionId": option}}


CANCELLED = {"outcome": {"outcome": "cancelled"}}


def choose(kind):
    """Answers a permission request with its first option of this kind."""
    return lambda asked: select(next(each["optionId"] for each in asked["options"] if each["kind"] == kind))


ALLOW, REJECT = choose("allow_once"), choose("reject_once")


class Client:
    """`answers`: functions of the parameters, by method; NOTHING is never answered. `asked`: the requests of skein."""
    schema = None  # without it only the order is checked

    def __init__(self, place, *flags, answers=None, capabilities=None, initialize=True, **environment):
        self.place, self.answers = place, answers or {}
        self.all, self.asked, self.faults, self.sent = [], [], [], []
        self.pending, self.questions = {}, set()  # requests without an answer: ours with their methods, skein's
        self.turns, self.calls, self.closed = {}, {}, set()
        self.aliases = {}  # keys and beginnings of ids that are used in place of the id
        self.changed, self.ended, self.number, self.errors = threading.Condition(), False, 0, b""
        self.process = subprocess.Popen([os.environ["SKEIN"], "acp", *flags], cwd=place.workspace,
                                        env={**place.environment, **environment}, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        place.clients.append(self)
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.read_errors, daemon=True).start()
        if initialize:
            self.hello = self.request("initialize", protocolVersion=1, clientCapabilities=capabilities or {},
                                      clientInfo={"name": "test", "version": "1"})

    # What skein writes.

    def read_errors(self):
        for line in self.process.stderr:
            self.errors = (self.errors + line)[-4000:]

    def read(self):
        for raw in self.process.stdout:
            try:
                line = json.loads(raw.decode())
                fault = [] if isinstance(line, dict) else ["no object"]
            except ValueError as error:
                line, fault = {"no JSON": repr(raw[:300])}, [str(error)]
            if len(raw) > LONGEST:
                fault.append("longer than 8 MiB")
            with self.changed:
                if not fault:
                    fault = self.judge(line)
                self.faults += ["%s: %.600s" % (each, raw.decode(errors="replace")) for each in fault]
                self.all.append(line)
                self.changed.notify_all()
            if "method" in line and "id" in line:
                self.answer(line)
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def judge(self, line):
        """What is wrong about it."""
        method = None
        fault = []
        if "method" not in line:
            key = json.dumps(line.get("id"))
            if key in self.pending:
                method, session = self.pending.pop(key)
                fault += self.answered(method, session, line)
            elif line.get("id") is not None:
                fault.append("an answer to no request")
        elif "id" in line:
            key = json.dumps(line["id"])
            if key in self.questions:
                fault.append("the id of a request that has no answer yet")
            self.questions.add(key)
        if Client.schema:
            fault += Client.schema.message(line, method)
        if line.get("method") == "session/update":
            fault += self.judge_update(line["params"])
        if line.get("method") == "session/request_permission":
            fault += self.judge_call(line["params"]["sessionId"], line["params"]["toolCall"]["toolCallId"])
        return fault

    def answered(self, method, session, line):
        if method == "session/close":
            self.closed.add(session)
        if method in ("session/prompt", "session/load"):
            self.turns[session] = self.turns.get(session, 1) - 1
            unfinished = [call for call, status in self.calls.get(session, {}).items()
                          if status not in ("completed", "failed")]
            if method == "session/prompt" and "result" in line and not self.turns[session] and unfinished:
                return ["the turn is over, but not its calls %s" % unfinished]
        return []

    def judge_update(self, params):
        session, update = params["sessionId"], params["update"]
        kind = update["sessionUpdate"]
        if session in self.closed:
            return ["an update of a closed session"]
        if kind in OF_A_TURN and not self.turns.get(session):
            return ["an update of a turn in no turn"]
        calls = self.calls.setdefault(session, {})
        if kind == "tool_call":
            again = update["toolCallId"] in calls
            calls[update["toolCallId"]] = update.get("status", "pending")
            return ["a call that was there before"] if again else []
        if kind == "tool_call_update":
            fault = self.judge_call(session, update["toolCallId"])
            before = calls.get(update["toolCallId"])
            calls[update["toolCallId"]] = update.get("status") or before
            if before in ("completed", "failed") and update.get("status", before) != before:
                fault.append("the call was over")
            return fault
        return []

    def judge_call(self, session, call):
        return [] if call in self.calls.get(session, {}) else ["no tool_call came before"]

    def answer(self, line):
        with self.changed:
            self.asked.append(line)
            self.changed.notify_all()
        made = self.answers.get(line["method"], lambda _: NOTHING)(line["params"])
        if made is not NOTHING:
            self.reply(line, made)

    def reply(self, line, made):
        self.questions.discard(json.dumps(line["id"]))
        self.send({"id": line["id"], **({"error": made.value} if isinstance(made, Error) else {"result": made})})

    # What the client writes.

    def raw(self, data):
        self.sent.append(data[:200])
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def send(self, message):
        session = message.get("params", {}).get("sessionId")
        session = self.aliases.get(session, session) if isinstance(session, str) else None
        if message.get("method") in ("session/prompt", "session/load"):
            with self.changed:
                self.turns[session] = self.turns.get(session, 0) + 1
                if message["method"] == "session/load":
                    self.calls[session] = {}
        if message.get("method") in ("session/load", "session/resume"):
            self.closed.discard(session)
        if "method" in message and "id" in message:
            with self.changed:
                self.pending[json.dumps(message["id"])] = (message["method"], session)
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def start(self, method, **params):
        """Sends a request. Returns its id."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def notify(self, method, **params):
        self.send({"method": method, "params": params})

    def finish(self, id):
        """The answer to the request, as a line."""
        return self.wait(lambda line: "method" not in line and line.get("id") == id, "the answer to request %s" % id)

    def request(self, method, **params):
        answer = self.finish(self.start(method, **params))
        self.check("result" in answer, "%s has a result" % method, answer)
        return answer["result"]

    def refused(self, codes, method, **params):
        """The error of a request that must fail."""
        answer = self.finish(self.start(method, **params))
        codes = (codes,) if isinstance(codes, int) else codes
        self.check(answer.get("error", {}).get("code") in codes,
                   "%s %.200s is refused with %s" % (method, params, codes), answer)
        return answer["error"]

    # Sessions and turns.

    def new(self, cwd=None, **more):
        self.session = self.request("session/new", cwd=cwd or self.place.workspace, mcpServers=[], **more)
        return self.session["sessionId"]

    def begin(self, session, *prompt, **more):
        blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in prompt]
        return self.start("session/prompt", sessionId=session, prompt=blocks, **more)

    def turn(self, session, *prompt, stop="end_turn", **more):
        """The updates of a turn."""
        begun = len(self.all)
        self.stops(self.begin(session, *prompt, **more), stop)
        return self.updates(session, begun)

    def stops(self, prompt, stop="end_turn"):
        answer = self.finish(prompt)
        self.check(answer.get("result", {}).get("stopReason") == stop, "the turn ends with %s" % stop, answer)

    def load(self, session, **more):
        """What a loaded session shows, and the answer."""
        begun = len(self.all)
        answer = self.request("session/load", sessionId=session, cwd=self.place.workspace, mcpServers=[], **more)
        return self.updates(session, begun), answer

    def updates(self, session, begun=0, kind=None):
        return [line["params"]["update"] for line in self.all[begun:]
                if line.get("method") == "session/update" and line["params"]["sessionId"] == session and
                kind in (None, line["params"]["update"]["sessionUpdate"])]

    # Waiting and checking.

    def wait(self, right, what, begun=0):
        """The first line for which this is true."""
        deadline = time.monotonic() + PATIENCE
        with self.changed:
            while True:
                for begun in range(begun, len(self.all)):
                    if right(self.all[begun]):
                        return self.all[begun]
                begun = len(self.all)
                if self.ended or not self.changed.wait(deadline - time.monotonic()):
                    self.check(False, what, "the output ended" if self.ended else "nothing came")

    def wait_update(self, session, kind, right=lambda update: True, begun=0):
        found = self.wait(lambda line: line.get("method") == "session/update" and
                          line["params"]["sessionId"] == session and
                          line["params"]["update"]["sessionUpdate"] == kind and right(line["params"]["update"]),
                          "an update %s" % kind, begun)
        return found["params"]["update"]

    def wait_asked(self, method, number=1):
        """The request of skein with this number."""
        deadline = time.monotonic() + PATIENCE
        with self.changed:
            while True:
                found = [line for line in self.asked if line["method"] == method]
                if len(found) >= number:
                    return found[number - 1]
                if self.ended or not self.changed.wait(deadline - time.monotonic()):
                    self.check(False, "request %d of %s" % (number, method), "it never came")

    def check(self, right, expected, got=""):
        self.place.check(right, expected, got)

    def ends(self, status=0):
        """Closes the input. Lines that came until the end count."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = "none: it still runs"
        self.check(code == status, "exit status %s" % status, code)
        self.fits()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def fits(self):
        self.check(not self.faults, "every line is correct", "\n".join(self.faults[:4]))

    def report(self):
        """The last lines of both sides, for the reader of a failure."""
        lines = ["  sent:     %s" % each.decode(errors="replace").rstrip() for each in self.sent[-4:]]
        lines += ["  got:      %.700s" % json.dumps(each) for each in self.all[-8:]]
        lines += ["  fault:    %.900s" % each for each in self.faults[:3]]
        return "\n".join(lines + ["  stderr:   " + each for each in self.errors.decode(errors="replace").split("\n")[-6:]])
