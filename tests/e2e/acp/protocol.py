"""Lines, ids, errors and the greeting: what needs no model."""
import json
import os

from client import ALLOW, Client
from place import IS_ASAN, call

VERSIONS = (1, 99)
CAPABILITIES = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}


def greeting(place):
    flags = place.model(["one", "two"])
    for version in VERSIONS:
        client = Client(place, *flags, initialize=False)
        for method, params in [("session/list", {}), ("session/new", {"cwd": place.workspace, "mcpServers": []}),
                               ("session/load", {"sessionId": "x", "cwd": "/", "mcpServers": []})]:
            client.refused(-32600, method, **params)
        client.notify("session/cancel", sessionId="x")
        client.refused(-32602, "initialize", clientCapabilities={})
        client.refused(-32602, "initialize", protocolVersion="1")
        hello = client.request("initialize", protocolVersion=version, clientCapabilities=CAPABILITIES,
                               clientInfo={"name": "acpx", "version": "0.19.1"})
        able = hello["agentCapabilities"]
        client.check(hello["protocolVersion"] == 1, "version 1", hello)
        client.check(hello["agentInfo"]["name"] == "skein" and hello["agentInfo"]["version"], "its name", hello)
        client.check(able["loadSession"] is True and able["mcpCapabilities"]["http"] is True, "capabilities", able)
        client.check(able["promptCapabilities"]["image"] and able["promptCapabilities"]["embeddedContext"] and
                     not able["promptCapabilities"].get("audio"), "what a prompt may have", able)
        client.check(set(able["sessionCapabilities"]) >= {"list", "resume", "close", "delete", "additionalDirectories"},
                     "what can be done with sessions", able)
        client.check(hello["authMethods"] == [] and "logout" not in able["auth"], "no login is needed", hello)
        session = client.new()
        client.turn(session, "hello")
        again = client.request("initialize", protocolVersion=99, clientCapabilities={})
        client.check(again == hello, "the same answer as before", again)
        client.turn(session, "still there")
        client.ends()
    # Optional members that are malformed count as absent.
    client = Client(place, *flags, initialize=False)
    client.request("initialize", protocolVersion=1, clientCapabilities="all", clientInfo=5, unknown=[1], _meta={"a": 1})
    client.request("session/new", cwd=place.workspace, mcpServers=[], unknown={}, _meta={"b": [2]})
    client.ends()


def malformed(place):
    client = Client(place, *place.model(["one"]))
    session = client.new()

    def error(raw, codes, id=None):
        begun = len(client.all)
        client.raw(raw + b"\n")
        # The answer to the next request shows that there was one error only.
        client.request("session/list")
        got = [line for line in client.all[begun:] if "error" in line]
        client.check(len(got) == 1 and got[0]["id"] == id and got[0]["error"]["code"] in codes,
                     "one error %s with the id %s for %.80r" % (codes, id, raw), got)

    one = {"jsonrpc": "2.0", "id": 1000, "method": "session/list", "params": {}}
    for array in ([one], [one, {**one, "id": 1001}], [], [1, 2]):
        error(json.dumps(array).encode(), (-32600,))
    for value in (b"5", b'"text"', b"null", b"true", b"{}"):
        error(value, (-32600,))
    for text in (b'{"jsonrpc":', b"nonsense", b'{"a":1} {"b":2}', b"\x00\x01", b'{"id":1,}', b"[" * 200000):
        error(text, (-32700, -32600))
    error(b'{"jsonrpc":"2.0","id":1002,"method":', (-32700,))
    for id in (1.5, True, {}, [1]):
        client.raw(json.dumps({**one, "id": id}).encode() + b"\n")
    client.request("session/list")
    codes = [line["error"]["code"] for line in client.all[-5:] if "error" in line]
    client.check(codes == [-32600] * 4, "an id of another kind is refused with -32600", codes)
    client.pending['"five"'] = ("session/list", None)
    client.raw(b'{"jsonrpc":"2.0","id":"five","method":5}\n')
    client.check(client.finish("five")["error"]["code"] == -32600, "a method that is no text", client.all[-1])
    for params in ([], "text", 5):
        client.number += 1
        client.pending[str(client.number)] = ("session/list", None)
        client.raw(json.dumps({**one, "id": client.number, "params": params}).encode() + b"\n")
        answer = client.finish(client.number)
        client.check(answer.get("error", {}).get("code") in (-32600, -32602), "params %r are wrong" % (params,), answer)
    # Answers to requests that were never made, and notifications that are not known.
    for message in ({"id": 4711, "result": {}}, {"id": "x", "error": {"code": 1, "message": "m"}},
                    {"method": "unknown/notification", "params": {}}, {"method": "$/something"}, {"method": "_own", "params": 5},
                    {"method": "session/cancel", "params": {"sessionId": "ffffffffffffffff"}},
                    {"method": "session/cancel", "params": {}}, {"method": "$/cancel_request", "params": {"requestId": 9}},
                    {"method": "$/cancel_request", "params": {"id": 9}}):
        client.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    begun = len(client.all)
    client.request("session/list")
    answers = [line for line in client.all[begun:] if "method" not in line]
    client.check(len(answers) == 1, "what needs no answer has none", answers)
    # Bytes that are no UTF-8, and an empty line.
    client.pending["2000"] = ("session/list", None)
    client.raw(b'\n{"jsonrpc":"2.0","id":2000,"method":"session/list","params":{"_meta":{"a":"caf\xff\xfe"}}}\n')
    client.request("session/list")
    got = [line for line in client.all[begun + 1:] if line.get("id") == 2000 or line.get("id", 0) is None]
    client.check(len(got) == 1, "one answer to a line that is no UTF-8", got)
    client.pending.pop("2000", None)
    client.turn(session, "still there")
    client.ends()


def ids(place):
    client = Client(place, *place.model(["one"]))
    for id in (None, "text", "", 0, -1, 2 ** 53, 2 ** 63 - 1, -2 ** 63, "a\u0000\n\U0001f600"):
        begun = len(client.all)
        client.send({"id": id, "method": "session/list", "params": {}})
        answer = client.wait(lambda line: "method" not in line, "an answer to the id %r" % (id,), begun)
        client.check(answer["id"] == id and type(answer["id"]) is type(id) and "result" in answer,
                     "the id %r as it came" % (id,), answer)
    client.ends()


def methods(place):
    client = Client(place, *place.model(["one"]))
    session = client.new()
    here = {"cwd": place.workspace, "mcpServers": []}
    unknown = "ffffffffffffffff"
    for method in ("unknown", "session/unknown", "_private/method", "fs/read_text_file", "initialized"):
        client.refused(-32601, method, sessionId=session)
    client.refused((-32601, -32602), "logout", **{})
    wrong = [("session/new", {"mcpServers": []}), ("session/new", {"cwd": 5, "mcpServers": []}),
             ("session/new", {"cwd": "relative/path", "mcpServers": []}), ("session/new", {"cwd": "", "mcpServers": []}),
             ("session/new", {"cwd": place.at("nowhere"), "mcpServers": []}),
             ("session/new", {"cwd": place.write("file", ""), "mcpServers": []}),
             ("session/new", {**here, "additionalDirectories": ["relative"]}),
             ("session/load", {"sessionId": session}), ("session/load", {**here, "sessionId": 5}),
             ("session/load", {"sessionId": session, "cwd": "relative", "mcpServers": []}),
             ("session/list", {"cursor": "nonsense"}), ("session/list", {"cursor": 5}),
             ("session/prompt", {"sessionId": session}), ("session/prompt", {"sessionId": session, "prompt": "text"}),
             ("session/prompt", {"prompt": [{"type": "text", "text": "x"}]}),
             ("session/prompt", {"sessionId": session, "prompt": [{"type": "hologram"}]}),
             ("session/prompt", {"sessionId": session, "prompt": [{"type": "text"}]}),
             ("session/prompt", {"sessionId": session, "prompt": ["text"]}),
             ("session/set_mode", {"sessionId": session}), ("session/set_mode", {"sessionId": session, "modeId": "loose"}),
             ("session/set_mode", {"sessionId": session, "modeId": "bypassPermissions"}),
             ("session/set_config_option", {"sessionId": session, "configId": "model"}),
             ("session/set_config_option", {"sessionId": session, "configId": "unknown", "value": "x"}),
             ("session/set_config_option", {"sessionId": session, "configId": "model", "value": "no such model"}),
             ("session/set_config_option", {"sessionId": session, "configId": "model", "type": "boolean", "value": True}),
             ("authenticate", {}), ("authenticate", {"methodId": "unknown"})]
    for method, params in wrong:
        client.refused(-32602, method, **params)
    text = [{"type": "text", "text": "x"}]
    for method, params in [("session/prompt", {"prompt": text}), ("session/load", here), ("session/resume", here),
                           ("session/set_mode", {"modeId": "plan"}),
                           ("session/set_config_option", {"configId": "mode", "value": "plan"})]:
        client.refused((-32002, -32602), method, sessionId=unknown, **params)
    client.check(client.request("session/delete", sessionId=unknown) == {}, "to delete what is not there is no error")
    client.turn(session, "still there")
    client.ends()


def created(place):
    client = Client(place, *place.model(["one"]))
    os.mkdir(place.at("more"))
    first, second = client.new(), client.new(additionalDirectories=[place.at("more")])
    made = client.session
    client.check(first != second and len(second) == 16 and int(second, 16) >= 0, "an id of 16 digits", second)
    client.check(made["modes"]["currentModeId"] == "default" and
                 [mode["id"] for mode in made["modes"]["availableModes"]] == ["default", "acceptEdits", "plan"],
                 "the modes", made["modes"])
    options = {option["id"]: option for option in made["configOptions"]}
    client.check({option.get("category") for option in options.values()} >= {"mode", "model", "thought_level"},
                 "options for the mode, the model and the thinking", options)
    client.wait_update(second, "available_commands_update")
    client.ends()
    client = Client(place, *place.model(["one"]), "-y")
    client.new()
    client.check("bypassPermissions" in json.dumps(client.session["modes"]), "a mode that asks nothing", client.session)
    client.ends()


def without_key(place):
    client = Client(place)
    methods = client.hello["authMethods"]
    client.check(methods and all("type" not in each for each in methods), "a method without a terminal", methods)
    client.refused(-32000, "session/new", cwd=place.workspace, mcpServers=[])
    client.ends()
    client = Client(place, capabilities={"auth": {"terminal": True}})
    offered = [each for each in client.hello["authMethods"] if each.get("type") == "terminal"]
    client.check(offered and offered[0]["args"][-1:] == ["login"], "a login at the terminal", client.hello)
    client.ends()


def debugging(place):
    """Every line of standard output is checked; here skein has much to say besides."""
    client = Client(place, *place.model([[{"say": "one"}, call("bash", "d1", command="echo out; echo err >&2")], "two"]),
                    "--debug", answers={"session/request_permission": ALLOW})
    session = client.new()
    client.turn(session, "go")
    client.raw(b"nonsense\n")
    client.request("session/list")
    client.ends()


def too_long(place):
    client = Client(place, *place.model(["one"]))
    session = client.new()
    line = json.dumps({"jsonrpc": "2.0", "id": 77, "method": "session/list", "params": {"_meta": {"x": ""}}}).encode()
    begun = len(client.all)
    client.raw(line[:-4])
    for _ in range(100):
        client.raw(b"x" * (1 << 20))
    client.raw(b'"}}}\n')
    client.wait(lambda line: line.get("id", 0) is None and line["error"]["code"] in (-32600, -32700),
                "an error for a line of 100 MB", begun)
    if not IS_ASAN:
        with open("/proc/%d/status" % client.process.pid) as file:
            most = next(int(each.split()[1]) >> 10 for each in file if each.startswith("VmHWM"))
        client.check(most < 200, "at most 200 MB of memory", most)
    # A prompt may have 32 MiB.
    client.refused(-32602, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "x" * (33 << 20)}])
    client.turn(session, "still there")
    client.ends()


def checker(place):
    """The check of lines notices what is wrong."""
    update = lambda **members: {"method": "session/update", "params": {"sessionId": "s", "update": members}}
    call_of = lambda **members: update(sessionUpdate="tool_call", toolCallId="c", title="t", **members)
    for line, method in [({"id": 1, "result": {"stopReason": "done"}}, "session/prompt"), (call_of(rawinput=1), None),
                         ({"id": 1, "result": {"stopReason": "end_turn", "more": 1}}, "session/prompt"),
                         (call_of(kind="bash"), None), (update(sessionUpdate="agent_message_chunk"), None),
                         ({"id": 1, "method": "fs/unknown", "params": {}}, None), ({"id": 1.5, "result": {}}, "session/close"),
                         (call_of(content=[{"type": "diff", "path": "/a"}]), None), ({"result": {}}, "session/close")]:
        place.check(Client.schema.message({"jsonrpc": "2.0", **line}, method), "an error in the line", line)
    for line, method in [({"id": None, "result": {}}, "session/close"), (call_of(kind="edit", rawInput={"a": [1]}), None)]:
        place.check(not Client.schema.message({"jsonrpc": "2.0", **line}, method), "no error in the line", line)


CASES = [greeting, malformed, ids, methods, created, without_key, debugging, too_long]
