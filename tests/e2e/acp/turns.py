"""Turns: what is sent of them, permissions, cancelling, several at once, and what the editor has that the disk does not."""
import os
import signal
import time

from client import ALLOW, CANCELLED, NOTHING, REJECT, Client, Error, select
from place import call, text_of

PERMISSION = "session/request_permission"


def joined(updates, kind):
    return "".join(each["content"].get("text", "") for each in updates if each["sessionUpdate"] == kind)


def last_status(updates, id):
    return [each["status"] for each in updates if each.get("toolCallId") == id and each.get("status")][-1]


def plain(place):
    client = Client(place, *place.model([[{"think": "hm hm"}, {"say": "one two"}, {"usage": {"input": 9, "output": 3}}],
                                         [{"say": "cut"}, {"stop": "length"}], [{"say": "no"}, {"stop": "refusal"}],
                                         [{"say": "part"}, {"error": "it broke"}], "after"]))
    session = client.new()
    updates = client.turn(session, "hello")
    client.check(joined(updates, "agent_thought_chunk") == "hm hm", "the thought", updates)
    client.check(joined(updates, "agent_message_chunk") == "one two", "the answer", updates)
    ids = {each.get("messageId") for each in updates if each["sessionUpdate"].startswith("agent_")}
    entries = place.messages(session)
    client.check(len(ids) == 1 and None not in ids, "one id for all of the answer", (ids, entries))
    client.wait_update(session, "usage_update", lambda update: 0 < update["used"] <= update["size"])
    shown = place.shown(session)["session"]
    client.check(shown["key"].startswith("main:acp:") and shown["cwd"] == place.workspace, "its key and folder", shown)
    client.turn(session, "more", stop="max_tokens")
    client.turn(session, "bad", stop="refusal")
    begun = len(client.all)
    client.check("it broke" in str(client.finish(client.begin(session, "break")).get("error")), "the error", client.all[-1])
    client.check('-32603' in str(client.all[-1]), "-32603", client.all[-1])
    client.check(joined(client.updates(session, begun), "agent_message_chunk") == "part", "the partial answer first", "")
    client.check("part" in str(place.messages(session)), "the partial answer is saved", place.messages(session))
    client.check(joined(client.turn(session, "go on"), "agent_message_chunk") == "after", "the next turn", client.all[-3:])
    client.ends()
    loop = [[call("list", "m%d" % number, path=".")] for number in range(4)]
    client = Client(place, *place.model(loop), "--max-turns=2")
    client.turn(client.new(), "loop", stop="max_turn_requests")
    client.ends()


def permissions(place):
    kept = {}
    write = lambda id, path: [[call("write", id, path=path, content="new\n")], "done"]
    client = Client(place, *place.model(sum((write("w%d" % n, "f%d.txt" % n) for n in range(9)), [])),
                    answers={PERMISSION: lambda asked: kept["answer"](asked)})
    session = client.new()

    def ask(number, answer):
        kept["answer"] = answer
        asked = len(client.asked)
        updates = client.turn(session, "write it")
        return updates, client.asked[asked:], place.file("f%d.txt" % number), last_status(updates, "w%d" % number)

    updates, asked, text, status = ask(0, ALLOW)
    client.check(text == "new\n" and status == "completed" and len(asked) == 1, "an allowed call", (text, updates))
    question = asked[0]["params"]
    path = os.path.join(place.workspace, "f0.txt")
    tool = question["toolCall"]
    client.check(tool["kind"] == "edit" and tool["title"] and tool["rawInput"]["content"] == "new\n", "the call", tool)
    diffs = [each for each in tool.get("content", []) if each["type"] == "diff"]
    client.check(diffs and diffs[0]["path"] == path and diffs[0]["newText"] == "new\n" and diffs[0].get("oldText") is None,
                 "the diff of a new file", tool)
    kinds = [option["kind"] for option in question["options"]]
    client.check(kinds[0] == "allow_once" and "allow_always" in kinds and kinds[-1] == "reject_once", "the options", kinds)
    calls = [each for each in updates if each.get("toolCallId") == "w0"]
    client.check(calls[0]["sessionUpdate"] == "tool_call" and calls[0]["kind"] == "edit", "the call is shown", calls)
    shown = [each for update in calls for each in update.get("content", []) if each["type"] == "diff"]
    client.check(shown and shown[-1]["path"] == path and shown[-1]["newText"] == "new\n", "the diff is shown", calls)
    client.check(any(path in str(each.get("locations")) for each in calls), "its place", calls)
    for number, answer in [(1, REJECT), (2, lambda asked: select("unknown")), (3, lambda asked: Error()),
                           (4, lambda asked: {"outcome": "nonsense"})]:
        updates, asked, text, status = ask(number, answer)
        client.check(text is None and status == "failed" and len(asked) == 1, "a refused call (%d)" % number, updates)
    # An answer for the session holds for the very rule that its option names.
    client.check(ask(5, ALLOW)[1], "to allow once is no rule", "")
    always = lambda asked: select(next(each["optionId"] for each in asked["options"]
                                       if each["kind"] == "allow_always" and "session" in each["optionId"]))
    updates, asked, text, status = ask(6, always)
    client.check(text == "new\n" and "f6.txt" in str(asked[0]["params"]["options"]), "a rule for the session", asked)
    updates, asked, text, status = ask(7, REJECT)
    client.check(len(asked) == 1 and text is None, "the rule is about another file", updates)
    client.ends()
    # The rule holds for the next call of the same kind.
    client = Client(place, *place.model([[call("write", "s1", path="d/a.txt", content="1"),
                                          call("write", "s2", path="d/b.txt", content="2")], "done"]),
                    answers={PERMISSION: always})
    client.turn(client.new(), "write")
    client.check(len(client.asked) == 1 and place.file("d/b.txt") == "2", "one question", client.asked)
    client.ends()
    # An answer for the project holds in the next process too.
    for number in range(2):
        client = Client(place, *place.model([[call("write", "p1", path="p/%d.txt" % number, content="1")], "done"]),
                        answers={PERMISSION: lambda asked: select("always")})
        client.turn(client.new(), "write")
        client.check(len(client.asked) == 1 - number and place.file("p/%d.txt" % number) == "1", "one question", client.asked)
        client.ends()


def cancelling(place):
    client = Client(place, *place.model([[{"say": "first"}, call("bash", "b1", command="touch started; sleep 600")],
                                         [{"say": "slow"}, {"wait": 600000}],
                                         [call("write", "b2", path="late.txt", content="x")], "after", "again",
                                         [{"say": "slow again"}, {"wait": 600000}], "at last"]),
                    answers={PERMISSION: ALLOW})
    session = client.new()

    # While a command runs.
    prompt = client.begin(session, "go")
    while place.file("started") is None:
        client.check(prompt not in [line.get("id") for line in client.all if "result" in line], "the command starts",
                     client.all[-1])
    client.notify("session/cancel", sessionId=session)
    client.stops(prompt, "cancelled")
    client.check(client.calls[session]["b1"] == "failed", "the call failed", client.calls)
    entries = place.messages(session)
    results = [block for entry in entries if entry["payload"]["role"] == "tool" for block in entry["payload"]["content"]]
    client.check([block["tool_use_id"] for block in results] == ["b1"] and results[0]["isError"], "it is saved", entries)
    # While the model speaks.
    begun = len(client.all)
    prompt = client.begin(session, "go")
    client.wait_update(session, "agent_message_chunk", begun=begun)
    client.notify("session/cancel", sessionId=session)
    client.stops(prompt, "cancelled")
    client.check("slow" in str(place.messages(session)), "what was said is saved", place.messages(session))
    # While a question is open; the client answers it as it must.
    client.answers[PERMISSION] = lambda asked: NOTHING
    prompt = client.begin(session, "go")
    question = client.wait_asked(PERMISSION, 2)
    client.notify("session/cancel", sessionId=session)
    client.reply(question, CANCELLED)
    client.stops(prompt, "cancelled")
    client.check(place.file("late.txt") is None, "the call was not made", "")
    # Nothing runs: nothing happens.
    client.notify("session/cancel", sessionId=session)
    client.turn(session, "and now")
    # The other way to cancel.
    client.turn(session, "and now")
    begun = len(client.all)
    prompt = client.begin(session, "go")
    client.wait_update(session, "agent_message_chunk", begun=begun)
    client.notify("$/cancel_request", requestId=prompt)
    answer = client.finish(prompt)
    client.check(answer.get("error", {}).get("code") == -32800 or
                 answer.get("result", {}).get("stopReason") == "cancelled", "a cancelled request", answer)
    client.turn(session, "and now")
    client.ends()


def silent(place):
    """A client that never answers."""
    write = lambda id: [call("write", id, path="silent.txt", content="x")]
    client = Client(place, *place.model([write("s1"), write("s2"), "done"]))
    session = client.new()
    prompt = client.begin(session, "go")
    client.wait_asked(PERMISSION)
    client.notify("session/cancel", sessionId=session)
    client.stops(prompt, "cancelled")
    prompt = client.begin(session, "go")
    client.wait_asked(PERMISSION, 2)
    client.check(client.request("session/close", sessionId=session) == {}, "close is answered", "")
    client.stops(prompt, "cancelled")
    client.refused((-32002, -32602), "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "x"}])
    session = client.new()
    client.ends()
    # The end of the input is a no.
    client = Client(place, *place.model([write("s3"), "done"]))
    session = client.new()
    client.begin(session, "go")
    client.wait_asked(PERMISSION)
    client.ends()
    client.check(place.file("silent.txt") is None and "s3" in str(place.messages(session)), "refused and saved",
                 place.messages(session))


def busy(place):
    """Another prompt while a turn runs; it waits with a question, so that the order is certain."""
    ask = lambda id: [call("bash", id, command="touch " + id)]
    client = Client(place, *place.model([ask("y1"), "done"]), answers={PERMISSION: lambda _: NOTHING})
    session = client.new()
    prompt = client.begin(session, "go")
    question = client.wait_asked(PERMISSION)
    error = client.refused(-32600, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "second"}])
    client.check("busy" in error["message"], "the word busy", error)
    client.reply(question, ALLOW(question["params"]))
    client.stops(prompt)
    client.ends()


def unshown(place):
    """A file that is too large to be shown is not shown as a new one."""
    with open(os.path.join(place.workspace, "big.txt"), "w") as file:
        file.write("x" * 1500000)
    calls = [[call("write", "w1", path="big.txt", content="small")], "done",
             [call("write", "w2", path="new.txt", content="small")], "done"]
    client = Client(place, *place.model(calls), answers={PERMISSION: lambda _: NOTHING})
    session = client.new()
    for count, kinds in ((1, {"content"}), (2, {"diff"})):
        prompt = client.begin(session, "go")
        question = client.wait_asked(PERMISSION, count)
        content = question["params"]["toolCall"]["content"]
        client.check({each["type"] for each in content} == kinds, kinds, content)
        client.reply(question, ALLOW(question["params"]))
        client.stops(prompt)
    client.ends()


def editor(place):
    """What the editor has and the disk does not."""
    open(os.path.join(place.workspace, "a.txt"), "w").write("disk\n")
    calls = [[call("write", "e1", path="a.txt", content="x\n")], "done", [call("edit", "e2", path="a.txt", old_text="disk",
                                                                    new_text="x")],
             "done", [call("write", "e3", path="a.txt", content="y\n")], "done",
             [call("write", "e4", path="b.txt", content="z\n")], "done"]
    kept = {}
    client = Client(place, *place.model(calls), "--permission-mode=acceptEdits",
                    capabilities={"fs": {"readTextFile": True, "writeTextFile": True}},
                    answers={"fs/read_text_file": lambda asked: kept["answer"]})
    session = client.new()
    kept["answer"] = {"content": "not saved\n"}
    for id in ("e1", "e2"):
        updates = client.turn(session, "change it")
        client.check(last_status(updates, id) == "failed" and place.file("a.txt") == "disk\n", "it fails", updates)
        client.check("editor" in str(updates), "a sentence that says why", updates)
    asked = client.asked[0]["params"]
    client.check(asked["path"] == os.path.join(place.workspace, "a.txt") and asked["sessionId"] == session, "the path", asked)
    kept["answer"] = {"content": "disk\n"}
    updates = client.turn(session, "change it")
    client.check(last_status(updates, "e3") == "completed" and place.file("a.txt") == "y\n", "the same text", updates)
    diffs = [each for update in updates for each in update.get("content", []) if isinstance(each, dict) and each["type"] == "diff"]
    client.check(diffs and diffs[-1]["oldText"] == "disk\n" and diffs[-1]["newText"] == "y\n", "the diff of a change", updates)
    kept["answer"] = Error(-32002)
    updates = client.turn(session, "change it")
    client.check(last_status(updates, "e4") == "completed" and place.file("b.txt") == "z\n", "not open there", updates)
    client.check({each["method"] for each in client.asked} == {"fs/read_text_file"}, "nothing else is asked", client.asked)
    client.ends()
    # An editor that does not answer.
    client = Client(place, *place.model([[call("write", "e5", path="a.txt", content="late\n")], "done"]),
                    "--permission-mode=acceptEdits", capabilities={"fs": {"readTextFile": True}})
    session = client.new()
    prompt = client.begin(session, "change it")
    client.wait_asked("fs/read_text_file")
    client.notify("session/cancel", sessionId=session)
    client.stops(prompt, "cancelled")
    client.check(place.file("a.txt") == "y\n", "it can be cancelled", place.file("a.txt"))
    client.ends()
    # One that offers no files is not asked.
    client = Client(place, *place.model([[call("write", "e6", path="a.txt", content="n\n")], "done"]),
                    "--permission-mode=acceptEdits")
    client.turn(client.new(), "change it")
    client.check(client.asked == [] and place.file("a.txt") == "n\n", "no question", client.asked)
    client.ends()


def modes(place):
    write = lambda id: [[call("write", id, path=id + ".txt", content="x")], "done"]
    client = Client(place, *place.model(write("m1") + write("m2") + write("m3")), answers={PERMISSION: REJECT},
                    capabilities={"session": {"configOptions": {"boolean": {}}}})
    session = client.new()
    options = {option["id"]: option for option in client.session["configOptions"]}

    def change(id, value, **more):
        now = client.request("session/set_config_option", sessionId=session, configId=id, value=value, **more)
        client.check({each["id"] for each in now["configOptions"]} == set(options), "all options", now)
        return next(each["currentValue"] for each in now["configOptions"] if each["id"] == id)

    def values(option):
        return [each["value"] for one in option["options"] for each in one.get("options", [one])]

    for mode, id, asks in (("plan", "m1", 0), ("acceptEdits", "m2", 0), ("default", "m3", 1)):
        if id == "m2":
            client.check(change("mode", mode) == mode, "the mode by its option", mode)
        else:
            client.check(client.request("session/set_mode", sessionId=session, modeId=mode) == {}, "the mode", mode)
        before = len(client.asked)
        updates = client.turn(session, "write it")
        client.check(len(client.asked) - before == asks and (place.file(id + ".txt") == "x") == (mode == "acceptEdits"),
                     "what mode %s allows" % mode, updates)
    for category in ("model", "thought_level"):
        option = next(each for each in options.values() if each.get("category") == category)
        others = [value for value in values(option) if value != option["currentValue"]]
        client.check(option["currentValue"] in values(option) and others and len(values(option)) <= 61, "others", option)
        client.check(change(option["id"], others[0]) == others[0], "it is changed", others[0])
        client.refused(-32602, "session/set_config_option", sessionId=session, configId=option["id"], value="nonsense")
    for option in options.values():
        if option["type"] == "boolean":
            other = not option["currentValue"]
            client.check(change(option["id"], other, type="boolean") is other, "a switch", option)
    client.ends()
    # Without the capability there are no switches.
    client = Client(place, *place.model(["one"]))
    client.new()
    client.check(all(each["type"] == "select" for each in client.session["configOptions"]), "no switches", client.session)
    client.ends()


def plans(place):
    items = [{"text": "one", "state": "done"}, {"text": "two", "state": "doing"}, {"text": "three", "state": "pending"}]
    questions = [{"question": "Which?", "options": [{"label": "red"}, {"label": "green"}]}]
    script = [[call("todo", "t1", items=items)], [call("ask", "t2", questions=questions)], "done"]
    # By a form.
    form = lambda asked: {"action": "accept", "content": {name: (each.get("enum") or ["green"])[-1] if "oneOf" not in each
                                                          else each["oneOf"][-1]["const"]
                                                          for name, each in asked["requestedSchema"]["properties"].items()
                                                          if name in asked["requestedSchema"].get("required", [name])}}
    client = Client(place, *place.model(script), capabilities={"elicitation": {"form": {}}},
                    answers={"elicitation/create": form})
    session = client.new()
    updates = client.turn(session, "plan it")
    shown = [each for each in updates if each["sessionUpdate"] == "plan"]
    client.check(shown and [(each["content"], each["status"]) for each in shown[-1]["entries"]] ==
                 [("one", "completed"), ("two", "in_progress"), ("three", "pending")], "the list", shown)
    asked = [each for each in client.asked if each["method"] == "elicitation/create"]
    client.check(len(asked) == 1 and asked[0]["params"]["mode"] == "form" and asked[0]["params"]["sessionId"] == session,
                 "a form", client.asked)
    client.check("green" in str(place.messages(session)[-2]), "the answer", place.messages(session)[-2])
    client.ends()
    # By a question with the choices as options.
    green = lambda asked: select(next(each["optionId"] for each in asked["options"] if "green" in each["name"]))
    client = Client(place, *place.model(script), answers={PERMISSION: green})
    session = client.new()
    client.turn(session, "plan it")
    client.check("green" in str(place.messages(session)[-2]), "the answer", place.messages(session)[-2])
    client.check([each["method"] for each in client.asked] == [PERMISSION], "one question", client.asked)
    client.ends()


def leaving(place):
    """The end of the input and of the process in a turn."""
    script = [[{"say": "slow"}, {"wait": 600000}], "after"]
    for end in ("EOF", signal.SIGTERM, signal.SIGKILL):
        client = Client(place, *place.model(script))
        session = client.new()
        client.begin(session, "go " + str(end))
        client.wait_update(session, "agent_message_chunk")
        if end == "EOF":
            client.ends()
        else:
            client.process.send_signal(end)
            code = client.process.wait()
            client.check(code in (143, -end), "the end by a signal", code)
        if end != signal.SIGKILL:
            said = [entry for entry in place.messages(session) if entry["payload"]["role"] == "assistant"]
            client.check(said and "slow" in str(said), "the turn is saved (%s)" % end, place.shown(session)["path"])
        # What a killed process had not saved yet does not count as an answer.
        again = Client(place, *place.model(["after", "after"]))
        updates, _ = again.load(session)
        client.check(joined(updates, "user_message_chunk") == "go " + str(end), "the prompt is there", updates)
        again.check(joined(again.turn(session, "more"), "agent_message_chunk") == "after", "it goes on", again.all[-3:])
        again.ends()
    # Killed while a command runs: the call is there, and failed.
    client = Client(place, *place.model([[call("bash", "k1", command="touch running; sleep 600")], "after"]),
                    answers={PERMISSION: ALLOW})
    session = client.new()
    prompt = client.begin(session, "go")
    while place.file("running") is None:
        client.check(not [line for line in client.all if line.get("id") == prompt], "the command starts", client.all[-1])
    client.kill()
    again = Client(place, *place.model(["one", "after"]))
    updates, _ = again.load(session)
    again.check([each["toolCallId"] for each in updates if each["sessionUpdate"] == "tool_call"] == ["k1"] and
                again.calls[session]["k1"] == "failed", "an interrupted call", updates)
    again.turn(session, "more")
    again.ends()


def output(place):
    """What a command prints while it runs, and texts that are too long for a line."""
    script = [[call("bash", "o1", command="echo begun; while [ ! -e go ]; do sleep 0.01; done; seq 1 60000; echo the end")],
              "done", [call("write", "o2", path="large.txt", content="x" * (9 << 20))], "done"]
    client = Client(place, *place.model(script), answers={PERMISSION: ALLOW})
    session = client.new()
    started = time.monotonic()
    prompt = client.begin(session, "run it")
    client.wait_update(session, "tool_call_update", lambda update: "begun" in text_of(update))
    place.write("ws/go", "")
    client.stops(prompt)
    updates = [each for each in client.updates(session) if each.get("toolCallId") == "o1"]
    client.check("the end" in text_of(updates[-1]) and len(text_of(updates[-1])) < 200000, "the last of its output", updates[-1])
    client.check(all(len(text_of(each)) <= 70000 for each in updates[:-1]), "at most 64 KiB while it runs",
                 [len(text_of(each)) for each in updates])
    client.check(len(updates) < 10 * (time.monotonic() - started) + 10, "at most ten updates in a second", len(updates))
    # Every line is checked to be shorter than 8 MiB.
    client.turn(session, "write it")
    client.check(os.path.getsize(place.at("ws/large.txt")) == 9 << 20, "the whole file", "")
    client.load(session)
    client.ends()


def helpers(place):
    """A sub-agent is a call, and its report the result."""
    inner = place.model([[call("list", "i1", path=".")], "the report of the walrus"])[1]
    place.write("config/skein/agents/helper.md",
                "---\nname: helper\ndescription: helps\nmodel: %s\n---\nYou help.\n" % inner)
    client = Client(place, *place.model([[call("agent", "a1", description="find it", prompt="look", agent="helper")], "done"]),
                    answers={PERMISSION: ALLOW})
    session = client.new()
    updates = client.turn(session, "delegate it")
    calls = [each for each in updates if each.get("toolCallId") == "a1"]
    client.check(calls and calls[0]["kind"] == "other" and "the report of the walrus" in text_of(calls[-1]), "its report", calls)
    ids = {each["toolCallId"] for each in updates if "toolCallId" in each}
    client.check(ids == {"a1"} and joined(updates, "agent_message_chunk") == "done", "nothing of its own turn", updates)
    client.ends()


CASES = [plain, permissions, cancelling, silent, busy, unshown, editor, output, modes, plans, helpers, leaving]
