"""skein share --serve as a browser, a stranger and a bungler meet it."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys

skein, key = sys.argv[1:]
server = subprocess.Popen([skein, "share", "main:t:one", "--serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
told = ""
while "Ctrl+C stops it" not in told:
    line = server.stdout.readline()
    assert line, server.stderr.read()
    told += line
assert "masked 1 secret" in told and key not in told
port, token = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", told).groups()
port = int(port)


def get(path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    answer = connection.getresponse()
    return answer, answer.read().decode()


def raw(data):
    with socket.create_connection(("127.0.0.1", port), timeout=15) as s:
        s.sendall(data)
        out = b""
        try:
            while piece := s.recv(65536):
                out += piece
        except ConnectionResetError:
            pass
        return out.decode(errors="replace")


try:
    # Strangers, wrong names, wrong methods: nothing is given, and the token stays good.
    assert get("/")[0].status == 403
    assert get("/" + "0" * 32 + "/")[0].status == 403
    assert get(f"/{token}/", Host="evil.example:80")[0].status == 403
    assert get(f"/{token}/", Sec_Fetch_Site="cross-site")[0].status == 403
    for method in ("POST", "HEAD", "PUT", "OPTIONS", "DELETE"):
        assert get(f"/{token}/", method=method)[0].status == 405, method
    assert " 400 " in raw(b"nonsense\r\n\r\n")
    assert " 400 " in raw(b"GET / HTTP/1.1\r\n\r\n")
    assert " 400 " in raw(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
    assert " 431 " in raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 20000)

    # The first who opens it has it, and nobody else. Connections that say nothing keep nobody out.
    silent = [socket.create_connection(("127.0.0.1", port), timeout=15) for _ in range(40)]
    answer, _ = get(f"/{token}/")
    for each in silent:
        each.close()
    assert answer.status == 303 and answer.headers["Location"] == "/"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    cookie = cookie.split(";")[0]
    assert get(f"/{token}/")[0].status == 403
    assert get("/", Cookie=cookie.split("=")[0] + "=" + "0" * 32)[0].status == 403
    answer, page = get("/", Cookie=cookie)
    assert answer.status == 200 and key not in page and "‹secret 1›" in page
    assert "read a.txt" not in page, "what is redacted is there"
    for header in ("X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy"):
        assert header in answer.headers, header
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert answer.headers["Cache-Control"] == "no-store"
    assert get("/other", Cookie=cookie)[0].status == 404
    assert get("/events")[0].status == 403

    # What is said later comes, masked; what is redacted makes the page load anew.
    shown = sum(len(json.loads(data)) for data in re.findall(r'class="entries">(.*?)</script>', page, re.S))
    stream = socket.create_connection(("127.0.0.1", port), timeout=15)
    stream.sendall(f"GET /events?after={shown} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n".encode())
    received = stream.recv(65536).decode()
    assert "text/event-stream" in received
    said = json.dumps({"id": "00000000000000e1", "type": "message", "payload": {"role": "user", "content": [{"type": "text", "text": "said later " + key}]}})
    subprocess.run([skein, "append", "main:t:one"], input=said, text=True, check=True, stdout=subprocess.DEVNULL)
    while "said later" not in received:
        received += stream.recv(65536).decode()
    assert key not in received and "said later ‹secret 1›" in received
    subprocess.run([skein, "redact", "main:t:one", "00000000000000e1"], check=True, stdout=subprocess.DEVNULL)
    while "event: changed" not in received:
        received += stream.recv(65536).decode()
    assert "said later" not in get("/", Cookie=cookie)[1]

    # Connections of strangers that say nothing do not keep the browser out, nor do its own streams.
    crowd = [socket.create_connection(("127.0.0.1", port), timeout=15) for _ in range(100)]
    assert get("/", Cookie=cookie)[0].status == 200
    streams = []
    for _ in range(40):
        streams.append(socket.create_connection(("127.0.0.1", port), timeout=15))
        streams[-1].sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n".encode())
        assert b"text/event-stream" in streams[-1].recv(65536)
    assert get("/", Cookie=cookie)[0].status == 200
    for each in crowd + streams:
        each.close()
    listening = subprocess.run(["sh", "-c", "cat /proc/net/tcp"], capture_output=True, text=True).stdout
    assert f"0100007F:{port:04X}" in listening and f"00000000:{port:04X}" not in listening
finally:
    server.send_signal(signal.SIGINT)
    status = server.wait(timeout=60)
assert status == 0, status
