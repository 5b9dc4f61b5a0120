"""The page in a real browser: it says nothing to anyone, and shows what it should."""
import json
import signal
import subprocess
import sys
import time

from browser import Browser

skein, folder = sys.argv[1:]
SETTLE = "new Promise((done) => setTimeout(done, 300))"


def entry(number, parent, payload, kind="message"):
    return {"id": f"{number:016x}", "parentId": f"{parent:016x}" if parent else None, "type": kind,
            "timestamp": "2026-11-16T08:00:00.000Z", "payload": payload}


def said(text, role="user", more=()):
    return {"role": role, "content": [{"type": "text", "text": text}, *more], **({"model": "m", "provider": "p"} if role == "assistant" else {})}


def page_of(key, entries, *flags):
    for begin in range(0, len(entries), 4000):
        lines = "\n".join(json.dumps(each) for each in entries[begin:begin + 4000])
        subprocess.run([skein, "append", key], input=lines, text=True, check=True, stdout=subprocess.DEVNULL)
    name = f"{folder}/{key.replace(':', '-')}.html"
    subprocess.run([skein, "export", key, "--format", "html", "-o", name, *flags], check=True, stderr=subprocess.DEVNULL)
    return "file://" + name


def check(browser, expression, wanted=True):
    end = time.monotonic() + 20  # a busy machine may not have settled yet
    while True:
        try:
            found = browser.run(expression)
        except RuntimeError as error:  # what it looks for is not there
            found = error
        if found == wanted:
            return
        assert time.monotonic() < end, f"{expression}: {found!r} instead of {wanted!r}"
        time.sleep(0.05)


HOSTILE = [
    "<script>window.hit=1</script>", "</script><script>window.hit=1</script>", "<img src=x onerror=window.hit=1>",
    "[x](javascript:window.hit=1)", "[x](JaVaScRiPt:window.hit=1)", "[x](data:text/html,<script>window.hit=1</script>)",
    "![x](https://example.com/x.png)", "![x](javascript:window.hit=1)", "]]>", "a\u2028b\u2029c", "<!--", "<!--<script>",
    "-->", "<svg onload=window.hit=1>", "<a href=\"javascript:window.hit=1\">x</a>", "`<b>`", "```html\n<img src=x onerror=window.hit=1>\n```",
    "| <img src=x onerror=window.hit=1> |\n| --- |\n| <script>window.hit=1</script> |", "# <script>window.hit=1</script>",
    "&lt;script&gt;", "<iframe src=https://example.com></iframe>", "<style>*{display:none}</style>", "__proto__", "constructor",
    "<meta http-equiv=refresh content=0>", "[x](https://example.com/\"onmouseover=\"window.hit=1)", "\u0000\u0001\u001b[31m", "<https://example.com>",
    "*" * 3000, "[" * 3000, "`" * 3000, "> " * 500, "- " * 500,
]


def hostile_talk():
    entries, parent = [], 0
    for number, text in enumerate(HOSTILE):
        call = {"type": "tool_use", "id": f"c{number}", "name": text[:60], "input": {"path": text, text[:50]: text}}
        thought = {"type": "thinking", "thinking": text}
        result = {"role": "tool", "content": [{"type": "tool_result", "tool_use_id": f"c{number}", "content": [{"type": "text", "text": text}], "isError": False}]}
        for payload in (said(text), said(text, "assistant", (thought, call)), result):
            entries.append(entry(len(entries) + 1, parent, payload))
            parent = len(entries)
        entries.append(entry(len(entries) + 1, parent, {"kind": "label", "entryId": f"{parent:016x}", "text": text[:100]}, "custom"))
        entries[-1]["parentId"] = f"{parent:016x}"
    entries.append(entry(len(entries) + 1, parent, {"kind": "title", "text": "</title><script>window.hit=1</script>"}, "custom"))
    return entries


def check_hostile(browser):
    browser.open(page_of("main:e:hostile", hostile_talk()))
    browser.run("document.querySelectorAll('details').forEach((d) => { d.fill?.(); d.open = true; })")
    browser.run(SETTLE)
    check(browser, "window.hit === undefined")
    check(browser, "[...document.querySelectorAll('main img, main script, main iframe, main style, main svg, main meta')].length", 0)
    check(browser, "[...document.querySelectorAll('main a')].every((a) => /^(https?|mailto):|^file:.*#e-/.test(a.href))")
    check(browser, "[...document.querySelectorAll('main *')].every((e) => [...e.attributes].every((a) => !a.name.startsWith('on')))")
    check(browser, "document.querySelectorAll('script').length", 3)
    check(browser, "document.querySelector('#e-0000000000000001 .body').textContent", HOSTILE[0])
    assert browser.trouble() == [], browser.trouble()


def branching_talk():
    call = {"type": "tool_use", "id": "c1", "name": "edit", "input": {"path": "a.cpp", "old_text": "one\ntwo", "new_text": "one\nthree"}}
    result = {"role": "tool", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "needle in the output"}], "isError": False}]}
    return [entry(1, 0, said("the first question")), entry(2, 1, said("let me **see**", "assistant", (call,))), entry(3, 2, result),
            entry(4, 3, said("done [here](https://example.com) &amp; tested\n\n- [x] one", "assistant")), entry(5, 1, said("the other way", "assistant")),
            entry(6, 5, said("why?")), entry(7, 4, said("thanks")), entry(8, 7, {"kind": "head", "entryId": f"{7:016x}"}, "custom")]


def check_reading(browser):
    address = page_of("main:e:reading", branching_talk(), "--all-branches")
    browser.open(address)
    check(browser, "[...document.querySelectorAll('main .entry:not(.empty)')].map((e) => e.id.slice(-1)).join('')", "1247")
    check(browser, "document.querySelector('details.tool').open", False)
    # Folding: a call opens, with its change coloured and its result.
    browser.run("document.querySelector('details.tool summary').click()")
    browser.run(SETTLE)
    check(browser, "document.querySelector('details.tool .add').textContent", "+three\n")
    check(browser, "document.querySelector('details.tool .del').textContent", "-two\n")
    check(browser, "document.querySelector('details.tool').textContent.includes('needle in the output')")
    check(browser, "document.querySelector('main strong').textContent", "see")
    check(browser, "document.querySelector('main .body a').rel.includes('noopener')")
    check(browser, "document.querySelector('#e-0000000000000004 p').textContent", "done here & tested")
    check(browser, "getComputedStyle(document.querySelector('li.task')).listStyleType", "none")
    # Search: / goes there, words in a folded result are found.
    browser.open(address)
    browser.type("/")
    check(browser, "document.activeElement.type", "search")
    browser.type("needle")
    browser.run(SETTLE)
    check(browser, "document.querySelector('mark.now').textContent", "needle")
    check(browser, "document.querySelector('details.tool').open")
    check(browser, "document.querySelector('.bar output').textContent", "1 / 1")
    # A click on another branch shows that path; j and k move; anchors lead to entries.
    browser.run("[...document.querySelectorAll('.tree .row')].find((r) => r.textContent.includes('the other way')).dispatchEvent(new MouseEvent('click'))")
    check(browser, "[...document.querySelectorAll('main .entry:not(.empty)')].map((e) => e.id.slice(-1)).join('')", "156")
    check(browser, "location.hash", "#e-0000000000000005")
    browser.run("document.activeElement.blur()")
    browser.type("j")
    check(browser, "location.hash", "#e-0000000000000006")
    browser.type("k")
    check(browser, "location.hash", "#e-0000000000000005")
    browser.open(address.replace(".html", ".html?again#e-0000000000000004"))
    check(browser, "document.querySelector('.found').id", "e-0000000000000004")
    # Printing shows everything.
    browser.run("dispatchEvent(new Event('beforeprint'))")
    check(browser, "[...document.querySelectorAll('details')].every((d) => d.open)")
    # On a phone nothing is wider than the screen.
    browser.emulate(390, 844, True)
    browser.open(address)
    check(browser, "document.documentElement.scrollWidth <= 390")
    browser.emulate()
    assert browser.trouble() == [], browser.trouble()


def check_many(browser):
    count = 20000
    entries = [entry(n, n - 1, said(f"message {n} about **tabs** and `code`\n\n- one\n- two", "user" if n % 2 else "assistant")) for n in range(1, count + 1)]
    address = page_of("main:e:many", entries)
    for _ in range(5):  # the best of five: others use the machine too
        seconds = browser.open(address)
        if seconds < 2:
            break
    assert seconds < 2, f"{seconds:.2f} s until the page is there"
    check(browser, "document.querySelectorAll('main .entry').length", 200)
    browser.run("scrollTo(0, document.documentElement.scrollHeight)")
    browser.run(SETTLE)
    check(browser, "document.querySelectorAll('main .entry').length >= 400")
    browser.run("location.hash = '#e-' + (15000).toString(16).padStart(16, '0')")
    browser.run(SETTLE)
    check(browser, "document.querySelector('.found').textContent.includes('message 15000 about')")
    check(browser, "document.querySelectorAll('.tree .row').length < 200")
    assert browser.trouble() == [], browser.trouble()


def check_live(browser):
    server = subprocess.Popen([skein, "share", "main:e:reading", "--serve"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        address = next(line for line in server.stdout if "http://" in line).split(": ", 1)[1].strip()
        browser.open(address)
        check(browser, "location.pathname", "/")
        lines = json.dumps(entry(9, 7, said("a word that came later", "assistant")))
        subprocess.run([skein, "append", "main:e:reading"], input=lines, text=True, check=True, stdout=subprocess.DEVNULL)
        check(browser, """new Promise((done) => {
            const look = setInterval(() => document.querySelector('#e-0000000000000009')?.textContent.includes('came later') && (clearInterval(look), done(true)), 50);
            setTimeout(() => done(false), 60000);
        })""")
        subprocess.run([skein, "redact", "main:e:reading", f"{9:016x}"], check=True, stdout=subprocess.DEVNULL)
        for _ in range(600):  # it loads itself anew
            if browser.run("document.querySelector('#e-0000000000000009')?.textContent.includes('[redacted]')"):
                break
            time.sleep(0.1)
        check(browser, "document.body.textContent.includes('came later')", False)
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 0
    finally:
        server.kill()
    here = address[:address.index("/", 8)]
    trouble = [each for each in browser.trouble() if not each.startswith("request: " + here)]
    assert [each for each in trouble if "ERR_CONNECTION" not in each and "ERR_INCOMPLETE" not in each] == [], trouble


browser = Browser()
try:
    browser.emulate()
    for each in (check_hostile, check_reading, check_many, check_live):
        each(browser)
finally:
    browser.close()
