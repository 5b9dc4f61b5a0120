"""Sessions: what prompts may contain, loading, resuming, deleting, several at once, and MCP servers of the client."""
import base64
import json
import os
import struct
import time
import zlib

from client import ALLOW, NOTHING, PATIENCE, REJECT, Client
from place import call, text_of
from service import Service
from turns import PERMISSION, joined, last_status

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support/mcp_server.py")


def picture():
    """A PNG of one pixel."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
                            chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")).decode()


IMAGE = {"type": "image", "data": picture(), "mimeType": "image/png"}


def contents(place):
    """The blocks of a prompt."""
    place.write("ws/near.txt", "the text on disk\n")
    place.write("config/skein/commands/greet.md", "---\ndescription: Greets\nargument-hint: [who]\n---\nSay hello to $1.\n")
    client = Client(place, *place.model(["one", "two", "three"]))
    session = client.new()
    near = "file://" + place.at("ws/near.txt")
    client.turn(session, "Look at @near.txt:", {"type": "resource_link", "uri": "https://example.org/a", "name": "a page"},
                {"type": "resource_link", "uri": "file:///etc/passwd", "name": "passwd", "size": 5, "title": "t"},
                {"type": "resource", "resource": {"uri": near, "text": "not saved yet\n", "mimeType": "text/plain"}},
                {"type": "resource", "resource": {"uri": "file:///x.png", "blob": IMAGE["data"], "mimeType": "image/png"}}, IMAGE)
    entry = [each for each in place.messages(session) if not each["payload"].get("continuation")][0]
    said = json.dumps(entry)
    kinds = [block["type"] for block in entry["payload"]["content"]]
    client.check("not saved yet" in said and "near.txt" in said and "the text on disk" not in said, "the buffer", said)
    client.check("https://example.org/a" in said and "/etc/passwd" in said and "root:" not in said, "links", said)
    client.check(kinds.count("image") == 2, "two images", kinds)
    client.turn(session, "And this:", {"type": "resource_link", "uri": near, "name": "near.txt"})
    client.check("the text on disk" in json.dumps(place.messages(session)[-2]), "a file of the workspace",
                 place.messages(session)[-2])
    commands = client.wait_update(session, "available_commands_update")["availableCommands"]
    greet = [each for each in commands if each["name"] == "greet"]
    client.check(greet and greet[0]["description"] == "Greets" and "who" in greet[0]["input"]["hint"], "a command", commands)
    client.turn(session, "/greet walrus")
    client.check("Say hello to walrus." in json.dumps(place.messages(session)[-2]), "it is run", place.messages(session)[-2])
    for wrong in ({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}, {"type": "image", "mimeType": "image/png"},
                  {"type": "resource", "resource": {"uri": "file:///x"}}, {"type": "resource_link", "name": "x"}):
        client.refused(-32602, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "x"}, wrong])
    client.check(len(place.messages(session)) == 6, "what is refused is not saved", place.messages(session))
    client.ends()


def expected_replay(path):
    """What a load shows of the entries of a path, in order; and the results of its calls."""
    shown, results = [], {}
    for entry in path:
        payload = entry["payload"]
        if entry["type"] == "compaction_summary":
            shown.append(("compaction", payload["summary"]))
        if entry["type"] != "message" or payload.get("continuation"):
            continue
        for block in payload["content"]:
            kind = block["type"]
            if kind == "tool_use":
                shown.append(("call", block["id"], json.dumps(block["input"], sort_keys=True)))
            elif kind == "tool_result":
                text = "\n".join(each.get("text", "") for each in block["content"])
                results[block["tool_use_id"]] = ("failed" if block.get("isError") else "completed", text)
            else:
                role = "thought" if kind == "thinking" else "user" if payload["role"] == "user" else "agent"
                shown.append((role, entry["id"], block.get("thinking") or block.get("text") or block["mimeType"]))
    return shown, results


def replay(updates):
    """The same of the updates."""
    shown, results = [], {}
    for update in updates:
        kind = update["sessionUpdate"]
        if kind.endswith("_chunk") and kind != "compaction_summary_chunk":
            content = update["content"]
            one = [{"user_message_chunk": "user", "agent_message_chunk": "agent"}.get(kind, "thought"),
                   update.get("messageId"), content.get("text") or content.get("mimeType")]
            if shown and content["type"] == "text" and list(shown[-1][:2]) == one[:2] and shown[-1][0] != "user":
                one[2] = shown.pop()[2] + one[2]
            shown.append(tuple(one))
        elif kind == "compaction_update" and update["status"] == "completed":
            shown.append(("compaction", "".join(each["text"] for each in update.get("summary") or [])))
        elif kind == "tool_call":
            shown.append(("call", update["toolCallId"], json.dumps(update.get("rawInput"), sort_keys=True)))
        if kind in ("tool_call", "tool_call_update"):
            status, text = results.get(update["toolCallId"], ("", ""))
            results[update["toolCallId"]] = (update.get("status") or status, text_of(update) or text)
    return shown, results


def appended(place, key, role, text, parent=None):
    """Appends a message. Returns its id."""
    id = os.urandom(8).hex()
    place.skein("append", key, into=json.dumps({"id": id, "type": "message", **({"parentId": parent} if parent else {}),
                                                "payload": {"role": role, "content": [{"type": "text", "text": text}]}}) + "\n")
    return id


def storied(place):
    """A session with calls, an image, branches, a compaction and a redaction. Returns its id and what is secret."""
    place.write("ws/a.txt", "alpha\nbeta\n")
    client = Client(place, *place.model([[{"think": "let me see"}, {"say": "I look."}, call("read", "r1", path="a.txt"),
                                          call("write", "r2", path="no.txt", content="x")],
                                         [call("write", "r3", path="yes.txt", content="y\n"),
                                          call("todo", "r4", items=[{"text": "one", "state": "doing"}])], "all done",
                                         "second answer"]),
                    answers={PERMISSION: lambda asked: (REJECT if "no.txt" in json.dumps(asked["toolCall"]) else ALLOW)(asked)})
    session = client.new()
    client.turn(session, "What is in this?", IMAGE)
    client.turn(session, "second")
    client.ends()
    head = place.messages(session)[-1]["id"]
    first = place.messages(session)[0]["id"]
    appended(place, session, "user", "another way", parent=first)
    appended(place, session, "assistant", "that was the other way")
    kept = appended(place, session, "user", "third", parent=head)
    appended(place, session, "assistant", "third answer")
    place.skein("append", session, into=json.dumps({
        "id": os.urandom(8).hex(), "type": "compaction_summary",
        "payload": {"summary": "They looked at a file.", "firstKeptEntryId": kept, "tokensBefore": 1000,
                    "filesRead": ["a.txt"], "filesChanged": []}}) + "\n")
    secret = "the word is xylophone"
    hidden = appended(place, session, "user", secret)
    appended(place, session, "assistant", "I keep it to myself")
    place.skein("redact", session, hidden)
    return session, secret


def loading(place):
    session, secret = storied(place)
    path = place.shown(session)["path"]
    client = Client(place, *place.model(["x"] * 20 + ["after"]), capabilities={"session": {"compaction": {}}})
    key = place.shown(session)["session"]["key"]
    client.aliases = {key: session, session[:12]: session}
    for name in (session, key, session[:12]):
        begun = len(client.all)
        answer = client.request("session/load", sessionId=name, cwd=place.workspace, mcpServers=[])
        updates = client.updates(session, begun)
        (shown, results), (right, right_results) = replay(updates), expected_replay(path)
        hide = lambda value: value.replace("(redacted)", "[redacted]") if isinstance(value, str) else value
        shown, right = ([tuple(map(hide, each)) for each in one] for one in (shown, right))
        wrong = next((pair for pair in zip(shown + [None], right + [None]) if pair[0] != pair[1]), None)
        client.check(shown == right, "what `sessions show` shows", "the first difference, and what is right: %s" % (wrong,))
        client.check(set(results) == set(right_results) and all(
            results[id][0] == status and (id == "r3" or text.strip() in results[id][1])
            for id, (status, text) in right_results.items()), "the results %s" % right_results, results)
        client.check(secret not in json.dumps(client.all[begun:]) and "another way" not in json.dumps(updates),
                     "nothing secret, and only this branch", updates)
        images = [each["content"] for each in updates if each.get("content") and each["sessionUpdate"] == "user_message_chunk"
                  and each["content"]["type"] == "image"]
        client.check([each["data"] for each in images] == [IMAGE["data"]], "the image", images)
        plans = [each for each in updates if each["sessionUpdate"] == "plan"]
        client.check(plans and plans[-1]["entries"][0]["content"] == "one", "the list", updates)
        client.check({each["id"] for each in answer["configOptions"]} and answer["modes"]["availableModes"], "options", answer)
    # A client that declares nothing gets no update of a compaction.
    client.turn(session, "go on")
    client.ends()
    client = Client(place, *place.model(["x"]))
    updates, _ = client.load(session)
    client.check("compaction" not in json.dumps([each["sessionUpdate"] for each in updates]), "no compaction", updates)
    client.wait_update(session, "available_commands_update")
    client.ends()


def resuming(place):
    session, _ = storied(place)
    client = Client(place, *place.model(["x"] * 20 + ["after"]))
    # The rules of every test forbid updates of a turn here.
    answer = client.request("session/resume", sessionId=session, cwd=place.workspace)
    client.check(answer["modes"]["currentModeId"] == "default" and answer["configOptions"], "modes and options", answer)
    client.request("session/list")
    before = len(place.messages(session))
    client.turn(session, "go on")
    client.check(len(place.messages(session)) >= before + 2, "it goes on", place.messages(session))
    client.request("session/close", sessionId=session)
    updates, _ = client.load(session)
    client.check("go on" in joined(updates, "user_message_chunk"), "after closing it can be loaded", updates[-3:])
    client.ends()
    # A session that another command of skein made.
    place.skein("-p", "-s", "main:cli:other", *place.model(["from print mode"]), "hello")
    client = Client(place, *place.model(["x", "yes"]))
    client.aliases["main:cli:other"] = place.shown("main:cli:other")["session"]["id"]
    client.request("session/load", sessionId="main:cli:other", cwd=place.workspace, mcpServers=[])
    client.wait(lambda line: "from print mode" in json.dumps(line), "its answer")
    client.ends()


def at_work(place):
    """A session in which another process is at work can be read, but takes no prompt."""
    first = Client(place, *place.model([[{"say": "slow"}, {"wait": 600000}]]))
    session = first.new()
    first.begin(session, "go")
    first.wait_update(session, "agent_message_chunk")
    second = Client(place, *place.model(["x", "y"]))
    updates, _ = second.load(session)
    second.check(joined(updates, "user_message_chunk") == "go", "it can be read", updates)
    error = second.refused(-32603, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "x"}])
    second.check(str(first.process.pid) in error["message"], "the name of the other process", error)
    first.ends()
    second.turn(session, "now")
    second.ends()


def deleting(place):
    client = Client(place, *place.model(["one", [{"say": "slow"}, {"wait": 600000}]]))
    session, other = client.new(), client.new()
    client.turn(session, "hello")
    client.check(session in [each["sessionId"] for each in client.request("session/list")["sessions"]], "it is listed", "")
    client.check(client.request("session/delete", sessionId=session) == {}, "it is deleted", "")
    client.check(client.request("session/delete", sessionId=session) == {}, "and is no more", "")
    client.check(session not in str(client.request("session/list")), "it is not listed", "")
    trash = json.loads(place.skein("sessions", "list", "--trash", "--json"))
    client.check([each["id"] for each in trash] == [session], "it is in the trash", trash)
    client.refused((-32002, -32602), "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "x"}])
    client.refused((-32002, -32602), "session/load", sessionId=session, cwd=place.workspace, mcpServers=[])
    place.skein("sessions", "restore", trash[0]["key"])
    client.check(joined(client.load(session)[0], "agent_message_chunk") == "one", "it is restored", client.all[-3:])
    # With a turn that runs.
    prompt = client.begin(other, "go")
    client.wait_update(other, "agent_message_chunk")
    client.check(client.request("session/delete", sessionId=other) == {}, "it is deleted", "")
    client.finish(prompt)
    client.ends()


def several(place):
    """Eight sessions in eight workspaces, with turns at the same time."""
    count = 8
    service = Service(place, together=count)
    client = Client(place, "-m", service.model, answers={PERMISSION: lambda _: NOTHING})
    sessions = []
    for number in range(count):
        os.mkdir(place.at("ws/%d" % number))
        sessions.append(client.new(place.at("ws/%d" % number)))
    prompts = [client.begin(session, "write n.txt %d" % number) for number, session in enumerate(sessions)]
    client.wait_asked(PERMISSION, count)  # all of them wait at the same time
    for question in client.asked:
        client.reply(question, ALLOW(question["params"]))
    for number, (session, prompt) in enumerate(zip(sessions, prompts)):
        client.stops(prompt)
        client.check(place.file("%d/n.txt" % number) == str(number), "its file", number)
        updates = client.updates(session)
        client.check(joined(updates, "agent_message_chunk") == "wrote %d" % number, "its answer", updates)
        client.check(len(client.calls[session]) == 1, "its call", client.calls)
    client.ends()
    service.end()


def is_running(pid):
    try:
        with open("/proc/%s/stat" % pid) as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def servers(place):
    """MCP servers that come with a session."""
    server = {"name": "s", "command": "python3", "args": [SERVER], "env": [{"name": "GIVEN", "value": "by the editor"}]}
    script = [[call("mcp__s__echo", "p1", text="walrus")], "done", [call("mcp__s__environment", "p2")], "done",
              [call("mcp__s__echo", "p3", text="no")], "done"]
    client = Client(place, *place.model(script), answers={PERMISSION: ALLOW}, capabilities={"session": {"notices": {}}})
    session = client.request("session/new", cwd=place.workspace, mcpServers=[server])["sessionId"]
    updates = client.turn(session, "call it")
    calls = [each for each in updates if each.get("toolCallId") == "p1"]
    client.check(len(client.asked) == 1 and calls[0]["kind"] == "other", "a question", (client.asked, calls))
    client.check(last_status(updates, "p1") == "completed" and "walrus" in text_of(calls[-1]), "its result", calls)
    updates = client.turn(session, "call it")
    found = json.loads([text_of(each) for each in updates if each.get("toolCallId") == "p2" and text_of(each)][-1])
    client.check(found["GIVEN"] == "by the editor" and len(client.asked) == 2, "its environment", found)
    client.answers[PERMISSION] = REJECT
    updates = client.turn(session, "call it")
    client.check(last_status(updates, "p3") == "failed", "a refused call", updates)
    client.request("session/close", sessionId=session)
    deadline = time.monotonic() + PATIENCE
    while is_running(found["pid"]):
        client.check(time.monotonic() < deadline, "the server ends with its session", found["pid"])
        time.sleep(0.02)
    # Another session has no such server. One that cannot be used does not prevent a session.
    other = client.new()
    client.check(other != session, "another session", other)
    bad = {"name": "bad", "command": place.at("nowhere"), "args": [], "env": []}
    client.request("session/new", cwd=place.workspace, mcpServers=[bad])
    # skein does not offer this transport, so a client must not name it.
    old = {"type": "sse", "name": "old", "url": "http://127.0.0.1:9", "headers": []}
    client.send({"id": 500, "method": "session/new", "params": {"cwd": place.workspace, "mcpServers": [old]}})
    answer = client.finish(500)
    client.check("result" in answer or "old" in answer["error"]["message"], "an error with its name, or a session", answer)
    client.ends()


CASES = [contents, loading, resuming, at_work, deleting, several, servers]
