"""A model behind HTTP that answers by the first word of the last prompt, whatever session asks."""
import http.server
import json
import threading

from client import PATIENCE


def text(words):
    return {"type": "text", "text": ""}, {"type": "text_delta", "text": words}, "end_turn"


class Service:
    """`hello`: "one". `write NAME TEXT`: a call that writes this file, then "wrote TEXT". `slow`: "slow", and nothing more.
    With `together` a call is made when as many requests wait."""

    def __init__(self, place, together=1):
        self.barrier, self.over, self.calls = threading.Barrier(together), threading.Event(), 0
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                service.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        place.write("config/skein/config.toml", '[providers.near]\nlike = "anthropic"\nurl = "http://127.0.0.1:%d"\n'
                    'key-needed = false\n' % self.server.server_port)
        self.model = "near/claude-opus-5-5"

    def reply(self, body):
        """A block, its content and the reason of the end."""
        called = False
        for message in reversed(body["messages"]):
            for block in reversed(message["content"] if isinstance(message["content"], list) else []):
                called = called or block["type"] == "tool_result"
                words = block.get("text", "").split() if message["role"] == "user" else []
                if words[:1] == ["hello"]:
                    return text("one")
                if words[:1] == ["slow"]:
                    return text("slow")
                if words[:1] == ["write"] and called:
                    return text("wrote " + words[2])
                if words[:1] == ["write"]:
                    self.barrier.wait(PATIENCE)
                    self.calls += 1
                    return ({"type": "tool_use", "id": "toolu_%d" % self.calls, "name": "write", "input": {}},
                            {"type": "input_json_delta", "partial_json": json.dumps({"path": words[1], "content": words[2]})},
                            "tool_use")
        return text("what?")

    def answer(self, handler):
        block, part, stop = self.reply(json.loads(handler.rfile.read(int(handler.headers["content-length"]))))
        events = [{"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}},
                  {"type": "content_block_start", "index": 0, "content_block": block},
                  {"type": "content_block_delta", "index": 0, "delta": part}, {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "usage": {"output_tokens": 3}, "delta": {"stop_reason": stop}},
                  {"type": "message_stop"}]
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        try:
            for each in events:
                if each["type"] == "content_block_stop" and part.get("text") == "slow":
                    handler.wfile.flush()
                    self.over.wait(PATIENCE)
                handler.wfile.write(("event: %s\ndata: %s\n\n" % (each["type"], json.dumps(each))).encode())
        except OSError:
            pass  # cancelled

    def end(self):
        self.over.set()
        self.server.shutdown()
