"""What has to be fast: the first answer, and a page of very many sessions."""
import os
import statistics
import tempfile
import time

from client import Client
from place import IS_ASAN

COUNT, PAGE, FOLDERS = 2000 if IS_ASAN else 10000, 50, 4
many = tempfile.TemporaryDirectory()  # a home of so many sessions
TABLE = []
for number in range(256):
    for _ in range(8):
        number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
    TABLE.append(number)


def crc32c(data, start=0):
    crc = ~start & 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return ~crc & 0xFFFFFFFF


def sealed(session, line, previous):
    """A line as it is in a transcript, and its checksum."""
    line = line[:-1] + ',"seal":"0000/0001:%08x:' % previous
    crc = crc32c((session + line).encode())
    return '%s%08x"}\n' % (line, crc), crc


def session_id(number):
    return "%016x" % (number * 2654435761 + 1)


def transcript(number, cwd):
    """A session with one message."""
    session = session_id(number)
    time_of = "2026-01-%02dT%02d:%02d:%02d.%03dZ" % (1 + number // 1000, number // 100 % 10, number // 60 % 60, number % 60,
                                                     number % 1000)
    header, crc = sealed(session, '{"id":"%016x","parentId":null,"type":"session_header","timestamp":"%s","payload":'
                         '{"version":1,"sessionId":"%s","key":"main:many:%d","cwd":"%s","createdBy":"test"}}'
                         % (number * 2 + 2, time_of, session, number, cwd), 0)
    message, _ = sealed(session, '{"id":"%016x","parentId":null,"type":"message","timestamp":"%s","payload":{"role":"user",'
                        '"content":[{"type":"text","text":"message %d"}]}}' % (number * 2 + 3, time_of, number), crc)
    return session, header + message


def is_measured():
    """Whether a time says something here."""
    return not IS_ASAN and os.getloadavg()[0] < (os.cpu_count() or 1)


def many_sessions(place):
    """Makes the home and its index, while other cases run."""
    os.makedirs(many.name + "/transcripts", mode=0o700)
    for number in range(COUNT):
        session, text = transcript(number, "/folder%d" % (number % FOLDERS))
        with open("%s/transcripts/%s.jsonl" % (many.name, session), "w",
                  opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(text)
    place.environment["SKEIN_HOME"] = many.name
    place.skein("sessions", "list")


def listing(place):
    if not os.path.exists(many.name + "/transcripts"):
        many_sessions(place)
    place.environment["SKEIN_HOME"] = many.name
    made = {}
    for number in range(COUNT):
        made.setdefault("/folder%d" % (number % FOLDERS), set()).add(session_id(number))
    client = Client(place, *place.model(["one"]))
    times = []
    for _ in range(7):
        begun = time.monotonic()
        page = client.request("session/list")
        times.append((time.monotonic() - begun) * 1000)
    client.check(len(page["sessions"]) == PAGE, "a page of %d" % PAGE, len(page["sessions"]))
    if is_measured():
        client.check(min(times) < 50, "a page within 50 ms", times)
    one = page["sessions"][0]
    client.check(one["title"].startswith("message ") and one["updatedAt"] and one["_meta"]["skein"]["key"].startswith("main:many:")
                 and one["_meta"]["skein"]["messages"] == 1, "what is said of a session", one)
    for folder, right in [(None, set().union(*made.values())), ("/folder1", made["/folder1"]), ("/nowhere", set())]:
        seen, more, updated = [], {"cwd": folder} if folder else {}, []
        while True:
            page = client.request("session/list", **more)
            seen += [each["sessionId"] for each in page["sessions"]]
            updated += [each["updatedAt"] for each in page["sessions"]]
            if not page.get("nextCursor"):
                break
            client.check(len(page["sessions"]) == PAGE, "a full page", len(page["sessions"]))
            more["cursor"] = page["nextCursor"]
        client.check(len(seen) == len(set(seen)) and set(seen) == right, "%d sessions of %s" % (len(right), folder), len(seen))
        client.check(updated == sorted(updated, reverse=True), "the newest first", updated[:60])
    client.refused(-32602, "session/list", cursor="nonsense")
    client.ends()
    print("acp: a page of %d sessions took %.1f ms" % (COUNT, statistics.median(times)))


def first_answer(place):
    times = []
    flags = place.model(["x"])
    for _ in range(7):
        begun = time.monotonic()
        client = Client(place, *flags)
        times.append((time.monotonic() - begun) * 1000)
        client.kill()
    if is_measured():
        place.check(min(times) < 25, "the first answer within 10 ms, and 15 of this test", times)
    print("acp: the first answer came after %.1f ms" % min(times))


CASES = [listing, first_answer]
