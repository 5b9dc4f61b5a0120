"""Holds the exports of one session against what each format promises."""
import base64
import hashlib
import json
import re
import sys

folder = sys.argv[1]


def text(name):
    with open(f"{folder}/one.{name}", encoding="utf-8") as file:
        return file.read()


whole = json.loads(text("json"))
assert set(whole) == {"session", "entries", "leaves"}, whole.keys()
lines = [json.loads(line) for line in text("jsonl").splitlines()]
assert lines == whole["entries"]
assert whole["leaves"] == [lines[-1]["id"]]
assert whole["session"]["seal"] == "intact" and whole["session"]["key"] == "main:t:one"

markdown = text("markdown")
front = markdown.split("---\n")[1]
assert json.loads(re.search(r"^session: (.*)$", front, re.M)[1]) == whole["session"]["id"]
marked = re.findall(r"^<!-- entry ([0-9a-f]{16})", markdown, re.M)
assert marked == [e["id"] for e in lines if e["type"] == "message"], marked

messages = json.loads(text("openai"))["messages"]
assert messages[0]["role"] == "system"
calls = [call for m in messages if m["role"] == "assistant" for call in m.get("tool_calls", [])]
assert len(calls) == 3 and all(isinstance(json.loads(c["function"]["arguments"]), dict) for c in calls)
assert [c["id"] for c in calls] == [m["tool_call_id"] for m in messages if m["role"] == "tool"]

messages = json.loads(text("anthropic"))["messages"]
assert [m["role"] for m in messages] == ["user", "assistant"] * (len(messages) // 2), "not by turns"
for before, after in zip(messages, messages[1:]):
    used = [b["id"] for b in before["content"] if b["type"] == "tool_use"]
    answered = [b["tool_use_id"] for b in after["content"] if b["type"] == "tool_result"]
    assert used == answered

contents = json.loads(text("google"))["contents"]
assert [c["role"] for c in contents] == ["user", "model"] * (len(contents) // 2)
assert sum("functionCall" in p for c in contents for p in c["parts"]) == 3
assert sum("functionResponse" in p for c in contents for p in c["parts"]) == 3

pi = [json.loads(line) for line in text("pi").splitlines()]
assert pi[0]["type"] == "session" and pi[0]["version"] == 3
ids = set()
for entry in pi[1:]:
    assert entry["parentId"] is None or entry["parentId"] in ids, entry
    assert re.fullmatch("[0-9a-f]{8}", entry["id"]) and entry["id"] not in ids
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["timestamp"])
    ids.add(entry["id"])
kinds = {(e["type"], e.get("message", {}).get("role")) for e in pi[1:]}
assert {("message", "system"), ("message", "user"), ("message", "assistant"), ("message", "toolResult"), ("model_change", None)} <= kinds, kinds

page = text("html")
policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
assert policy.startswith("default-src 'none'") and "unsafe" not in policy

for tag, body in (("script", page[page.rindex("<script>") + 8:page.rindex("</script>")]), ("style", page[page.index("<style>") + 7:page.index("</style>")])):
    digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    assert f"{tag}-src 'sha256-{digest}'" in policy, tag
entries = [entry for data in re.findall(r'class="entries">(.*?)</script>', page, re.S) for entry in json.loads(data)]
assert len([e for e in entries if not e.get("x")]) == len(lines)
