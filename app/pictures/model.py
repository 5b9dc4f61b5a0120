"""A model with prepared answers, served on this machine in the formats of three APIs: Messages, Responses and
Chat Completions."""
import http.server
import json
import threading
import time

PAUSE = 0.02  # seconds between two pieces of an answer


def say(text):
    return {"text": text}


def call(tool, **arguments):
    return {"tool": tool, "id": "call_%d" % time.monotonic_ns(), "arguments": json.dumps(arguments)}


def parts_of(text):
    return [text[at:at + 8] for at in range(0, len(text), 8)]


class Writer:
    """Writes one answer: begin, text or tool for each part, end."""

    def __init__(self, out, tokens_in):
        self.out, self.tokens_in, self.tokens_out = out, tokens_in, 0

    def send(self, message, name=""):
        head = "event: %s\n" % name if name else ""
        self.out.write((head + "data: %s\n\n" % json.dumps(message)).encode())
        self.out.flush()

    def write(self, pieces):
        self.begin()
        for index, piece in enumerate(pieces):
            self.tokens_out += len(piece.get("text", piece.get("arguments", ""))) // 4 + 8
            if "tool" in piece:
                self.tool(index, piece)
            else:
                self.text(index, piece["text"])
        self.end(any("tool" in piece for piece in pieces))


class ChatCompletions(Writer):
    def chunk(self, **more):
        self.send({"id": "r", "object": "chat.completion.chunk", **more})

    def delta(self, delta, reason=None):
        self.chunk(choices=[{"index": 0, "delta": delta, "finish_reason": reason}])

    def begin(self):
        pass

    def text(self, _, text):
        for part in parts_of(text):
            self.delta({"content": part})
            time.sleep(PAUSE)

    def tool(self, index, piece):
        function = {"name": piece["tool"], "arguments": piece["arguments"]}
        self.delta({"tool_calls": [{"index": index, "id": piece["id"], "type": "function", "function": function}]})

    def end(self, calls):
        self.delta({}, "tool_calls" if calls else "stop")
        self.chunk(choices=[], usage={"prompt_tokens": self.tokens_in, "completion_tokens": self.tokens_out})
        self.out.write(b"data: [DONE]\n\n")


class Messages(Writer):
    def event(self, kind, **more):
        self.send({"type": kind, **more}, kind)

    def begin(self):
        self.event("message_start", message={
            "id": "r", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
            "stop_sequence": None, "usage": {"input_tokens": self.tokens_in, "output_tokens": 1}})

    def block(self, index, block, deltas):
        self.event("content_block_start", index=index, content_block=block)
        for delta in deltas:
            self.event("content_block_delta", index=index, delta=delta)
            time.sleep(PAUSE)
        self.event("content_block_stop", index=index)

    def text(self, index, text):
        self.block(index, {"type": "text", "text": ""}, [{"type": "text_delta", "text": part} for part in parts_of(text)])

    def tool(self, index, piece):
        self.block(index, {"type": "tool_use", "id": piece["id"], "name": piece["tool"], "input": {}},
                   [{"type": "input_json_delta", "partial_json": piece["arguments"]}])

    def end(self, calls):
        self.event("message_delta", delta={"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None},
                   usage={"output_tokens": self.tokens_out})
        self.event("message_stop")


class Responses(Writer):
    def event(self, kind, **more):
        self.count = getattr(self, "count", -1) + 1
        self.send({"type": kind, "sequence_number": self.count, **more}, kind)

    def begin(self):
        self.items = []
        self.event("response.created", response={"id": "r", "object": "response", "status": "in_progress", "output": []})

    def item(self, index, item):
        self.items.append(item)
        self.event("response.output_item.done", output_index=index, item=item)

    def text(self, index, text):
        item = {"type": "message", "id": "m%d" % index, "role": "assistant", "status": "in_progress", "content": []}
        self.event("response.output_item.added", output_index=index, item=item)
        for part in parts_of(text):
            self.event("response.output_text.delta", item_id=item["id"], output_index=index, content_index=0, delta=part)
            time.sleep(PAUSE)
        content = [{"type": "output_text", "text": text, "annotations": []}]
        self.item(index, {**item, "status": "completed", "content": content})

    def tool(self, index, piece):
        item = {"type": "function_call", "id": "f%d" % index, "call_id": piece["id"], "name": piece["tool"],
                "arguments": "", "status": "in_progress"}
        self.event("response.output_item.added", output_index=index, item=item)
        self.item(index, {**item, "arguments": piece["arguments"], "status": "completed"})

    def end(self, _):
        usage = {"input_tokens": self.tokens_in, "output_tokens": self.tokens_out,
                 "total_tokens": self.tokens_in + self.tokens_out}
        self.event("response.completed", response={"id": "r", "object": "response", "status": "completed",
                                                   "output": self.items, "usage": usage})


WRITERS = {"/messages": Messages, "/responses": Responses, "/chat/completions": ChatCompletions}


class Model:
    """Gives one answer after another: each a list of pieces, sent with a pause between them."""

    def __init__(self, answers):
        self.answers = list(answers)
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                sent = len(self.rfile.read(int(self.headers["content-length"])))
                writer = next((WRITERS[end] for end in WRITERS if self.path.endswith(end)), None)
                if writer is None:
                    return self.send_error(404)
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                writer(self.wfile, sent // 4).write(model.answers.pop(0))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server.server_port
