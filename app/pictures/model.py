"""A model with prepared answers, as a service on this machine that speaks chat completions."""
import http.server
import json
import threading
import time


def say(text):
    return {"content": text}


def call(tool, **arguments):
    return {"tool_calls": [{"index": 0, "id": "call_%d" % time.monotonic_ns(), "type": "function",
                            "function": {"name": tool, "arguments": json.dumps(arguments)}}]}


class Model:
    """Gives one answer after another: each a list of pieces, sent with a pause between them."""

    def __init__(self, answers):
        self.answers = list(answers)
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                sent = len(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                model.stream(self.wfile, sent // 4)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server.server_port

    def stream(self, out, tokens_in):
        pieces, written = self.answers.pop(0), 0
        for piece in pieces:
            for part in self.parts(piece):
                written += 1
                self.send(out, {"choices": [{"index": 0, "delta": part, "finish_reason": None}]})
                time.sleep(0.02)
        calls = any("tool_calls" in piece for piece in pieces)
        end = "tool_calls" if calls else "stop"
        self.send(out, {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]})
        usage = {"prompt_tokens": tokens_in, "completion_tokens": written * 2}
        self.send(out, {"choices": [], "usage": usage})
        out.write(b"data: [DONE]\n\n")

    @staticmethod
    def parts(piece):
        if "tool_calls" in piece:
            return [piece]
        text = piece["content"]
        return [{"content": text[at:at + 8]} for at in range(0, len(text), 8)]

    @staticmethod
    def send(out, chunk):
        chunk = {"id": "r", "object": "chat.completion.chunk", **chunk}
        out.write(("data: %s\n\n" % json.dumps(chunk)).encode())
        out.flush()
