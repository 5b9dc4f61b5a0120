#include "tests/support/scenarios.h"

#include "tests/support/gzip.h"
#include "tests/support/long_run.h"
#include "tests/support/model_server.h"

namespace skein::test {

namespace {

constexpr int all_tries = 9;  // what may pass is tried eight times more

template <int status>
void answer(Connection& peer, int, Scene&) {
  peer.answer(status, R"({"error":{"message":"because of )" + std::string(test_key) + "\"}}",
              "content-type: application/json\r\nretry-after-ms: 1\r\n");
}

// The first answer is an error with these headers, the second a good one.
void once(Connection& peer, int number, const Scene& scene, int status, std::string_view headers) {
  if (number > 0) return play(peer, hello(scene.dialect));
  peer.answer(status, R"({"error":{"message":"busy"}})", headers);
}

void begin(Connection& peer, const Scene& scene) {
  peer.begin_stream();
  peer.chunk(scene.dialect.begin + scene.dialect.text("Hel"));
  scene.wait_until_heard();
}

// A hello with another way of ending lines.
std::string with_line_ends(const std::string& events, std::string_view line_end) {
  std::string out;
  for (const char c : events) c == '\n' ? out += line_end : out += c;
  return out;
}

constexpr auto tls = Scenario::Road::tls;
constexpr const char* moved_text = "content-length: 0\r\n\r\n";

const Scenario all[] = {
    // Refusals: one request, and the server's words.
    {"400", answer<400>, model::Stop::error, 1, "", "because of [key hidden]"},
    {"401", answer<401>, model::Stop::error, 1, "", "check SKEIN_TEST_KEY"},
    {"402", answer<402>, model::Stop::error, 1, "", "because of"},
    {"403", answer<403>, model::Stop::error, 1, "", "check SKEIN_TEST_KEY"},
    {"404", answer<404>, model::Stop::error, 1, "", "because of"},
    {"405", answer<405>, model::Stop::error, 1, "", "because of"},
    {"413", answer<413>, model::Stop::error, 1, "", "because of"},
    {"422", answer<422>, model::Stop::error, 1, "", "because of"},
    // What may pass: twice more.
    {"408", answer<408>, model::Stop::error, all_tries, "", "because of"},
    {"409", answer<409>, model::Stop::error, all_tries, "", "because of"},
    {"429", answer<429>, model::Stop::error, all_tries, "", "because of"},
    {"500", answer<500>, model::Stop::error, all_tries, "", "because of"},
    {"502", answer<502>, model::Stop::error, all_tries, "", "because of"},
    {"503", answer<503>, model::Stop::error, all_tries, "", "because of"},
    {"504", answer<504>, model::Stop::error, all_tries, "", "because of"},
    {"529", answer<529>, model::Stop::error, all_tries, "", "because of"},
    // When to try again, as the server says it.
    {"retry-after-ms", [](Connection& peer, int n, Scene& s) { once(peer, n, s, 429, "retry-after-ms: 2\r\n"); },
     model::Stop::stop, 2, "Hello"},
    {"retry-after in seconds", [](Connection& peer, int n, Scene& s) { once(peer, n, s, 503, "retry-after: 0\r\n"); },
     model::Stop::stop, 2, "Hello"},
    {"retry-after a date that has passed",
     [](Connection& peer, int n, Scene& s) {
       once(peer, n, s, 503, "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n");
     },
     model::Stop::stop, 2, "Hello"},
    {"retry-after absurd",
     [](Connection& peer, int n, Scene& s) { once(peer, n, s, 429, "retry-after: 36000\r\n"); },
     model::Stop::error, 1, "", "the provider asks to wait 10 h"},
    {"retry-after a date in years",
     [](Connection& peer, int n, Scene& s) {
       once(peer, n, s, 503, "retry-after: Wed, 21 Oct 2099 07:28:00 GMT\r\n");
     },
     model::Stop::error, 1, "", "the provider asks to wait"},
    {"retry-after nonsense",
     [](Connection& peer, int n, Scene& s) { once(peer, n, s, 503, "retry-after: soon, -1\r\n"); },
     model::Stop::stop, 2, "Hello"},
    {"x-should-retry true",
     [](Connection& peer, int n, Scene& s) {
       once(peer, n, s, 400, "x-should-retry: true\r\nretry-after-ms: 1\r\n");
     },
     model::Stop::stop, 2, "Hello"},
    {"x-should-retry false",
     [](Connection& peer, int n, Scene& s) { once(peer, n, s, 500, "x-should-retry: false\r\n"); },
     model::Stop::error, 1, "", "busy"},
    {"an error in the stream before the first word",
     [](Connection& peer, int number, Scene& scene) {
       if (number > 0) return play(peer, hello(scene.dialect));
       peer.begin_stream("content-type: text/event-stream\r\nretry-after-ms: 1\r\n");
       peer.chunk(scene.dialect.error);
       peer.end_stream();
     },
     model::Stop::stop, 2, "Hello"},
    {"an error in the stream after words",
     [](Connection& peer, int, Scene& scene) {
       play(peer, scene.dialect.begin + scene.dialect.text("Hel") + scene.dialect.error);
     },
     model::Stop::error, 1, "Hel", "overloaded"},
    // Streams that are cut.
    {"FIN within a chunk",
     [](Connection& peer, int, Scene& scene) {
       begin(peer, scene);
       peer.send("fff\r\ndata: {");
       peer.shut();
     },
     model::Stop::interrupted, 1, "Hel"},
    {"RST", [](Connection& peer, int, Scene& scene) { begin(peer, scene), peer.reset(); },
     model::Stop::interrupted, 1, "Hel"},
    {"no end mark", [](Connection& peer, int, Scene& scene) { begin(peer, scene), peer.end_stream(); },
     model::Stop::interrupted, 1, "Hel"},
    {"FIN within a call",
     [](Connection& peer, int, Scene& scene) {
       begin(peer, scene);
       if (!scene.dialect.half_call.empty()) peer.chunk(scene.dialect.half_call);
       peer.shut();
     },
     model::Stop::interrupted, 1, "Hel"},
    {"no end mark after half a call",
     [](Connection& peer, int, Scene& scene) {
       begin(peer, scene);
       if (!scene.dialect.half_call.empty()) peer.chunk(scene.dialect.half_call);
       peer.end_stream();
     },
     model::Stop::interrupted, 1, "Hel"},
    {"FIN after a whole call, before the end",
     [](Connection& peer, int, Scene& scene) {
       begin(peer, scene);
       peer.chunk(scene.dialect.call);
       peer.shut();
     },
     model::Stop::interrupted, 1, "Hel"},
    {"a length that is never reached",
     [](Connection& peer, int, Scene& scene) {
       peer.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99999\r\n\r\n" +
                 scene.dialect.begin + scene.dialect.text("Hel"));
       scene.wait_until_heard();
       peer.shut();
     },
     model::Stop::interrupted, 1, "Hel"},
    {"silence in the middle",
     [](Connection& peer, int, Scene& scene) { begin(peer, scene), peer.wait_until_closed(); },
     model::Stop::interrupted, 1, "Hel", "has stopped responding"},
    {"silence instead of an answer",
     [](Connection& peer, int, Scene&) { peer.wait_until_closed(); }, model::Stop::error, all_tries, "", ""},
    {"FIN before the answer", [](Connection& peer, int, Scene&) { peer.shut(); }, model::Stop::error, all_tries},
    {"RST before the answer", [](Connection& peer, int, Scene&) { peer.reset(); }, model::Stop::error, all_tries},
    {"FIN after the status line",
     [](Connection& peer, int, Scene&) { peer.send("HTTP/1.1 200 OK\r\n"), peer.shut(); },
     model::Stop::error, all_tries},
    {"FIN after the head",
     [](Connection& peer, int, Scene&) { peer.begin_stream(), peer.shut(); }, model::Stop::error, all_tries},
    {"nobody listens", [](Connection&, int, Scene&) {}, model::Stop::error, 0, "", "", Scenario::Road::closed},
    // What is no stream.
    {"an HTML page with status 200",
     [](Connection& peer, int, Scene&) {
       peer.answer(200, "<!doctype html><h1>Welcome</h1>", "content-type: text/html\r\n");
     },
     model::Stop::error, 1, "", "not a stream"},
    {"an HTML page with status 502",
     [](Connection& peer, int, Scene&) {
       peer.answer(502, "<html><title>Bad gateway</title>\x1b[31m", "retry-after-ms: 1\r\n");
     },
     model::Stop::error, all_tries, "", ""},
    {"a JSON error with status 200",
     [](Connection& peer, int, Scene&) {
       peer.answer(200, R"({"error":{"message":"no such thing"}})", "content-type: application/json\r\n");
     },
     model::Stop::error, 1, "", "no such thing"},
    {"an empty body", [](Connection& peer, int, Scene&) { peer.answer(200, ""); }, model::Stop::error, all_tries, "",
     "empty answer"},
    {"204", [](Connection& peer, int, Scene&) { peer.send("HTTP/1.1 204 No Content\r\n\r\n"); },
     model::Stop::error, all_tries, "", "empty answer"},
    {"bytes that are not HTTP",
     [](Connection& peer, int, Scene&) { peer.send("SSH-2.0-OpenSSH_9.2\r\n"), peer.shut(); },
     model::Stop::error, 1},
    // Odd, but whole.
    {"a wrong content type",
     [](Connection& peer, int, Scene& scene) {
       peer.begin_stream("content-type: application/octet-stream\r\n");
       peer.chunk(hello(scene.dialect));
       peer.end_stream();
     },
     model::Stop::stop, 1, "Hello"},
    {"byte by byte",
     [](Connection& peer, int, Scene& scene) {
       peer.begin_stream();
       for (const char byte : hello(scene.dialect)) peer.chunk({&byte, 1});
       peer.end_stream();
     },
     model::Stop::stop, 1, "Hello"},
    {"CR LF", [](Connection& peer, int, Scene& scene) { play(peer, with_line_ends(hello(scene.dialect), "\r\n")); },
     model::Stop::stop, 1, "Hello"},
    {"CR alone", [](Connection& peer, int, Scene& scene) { play(peer, with_line_ends(hello(scene.dialect), "\r")); },
     model::Stop::stop, 1, "Hello"},
    {"a BOM, comments and unknown events",
     [](Connection& peer, int, Scene& scene) {
       play(peer, "\xEF\xBB\xBF: hi\n\nid: 7\nretry: 5\n\nevent: unknown\ndata: {\"type\":\"unknown\"}\n\n" +
                      hello(scene.dialect));
     },
     model::Stop::stop, 1, "Hello"},
    {"NUL and invalid UTF-8",
     [](Connection& peer, int, Scene& scene) {
       play(peer, scene.dialect.begin + scene.dialect.text("H\xC3\\u0000") + scene.dialect.end);
     },
     model::Stop::stop, 1, nullptr},
    {"a compressed stream",
     [](Connection& peer, int, Scene& scene) {
       peer.answer(200, gzipped(hello(scene.dialect)),
                   "content-type: text/event-stream\r\ncontent-encoding: gzip\r\n");
     },
     model::Stop::stop, 1, "Hello"},
    {"HTTP/1.0 without a length",
     [](Connection& peer, int, Scene& scene) {
       peer.send("HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + hello(scene.dialect));
       peer.shut();
     },
     model::Stop::stop, 1, "Hello"},
    {"100 and 103 first",
     [](Connection& peer, int, Scene& scene) {
       peer.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n");
       play(peer, hello(scene.dialect));
     },
     model::Stop::stop, 1, "Hello"},
    {"a server that never hangs up",
     [](Connection& peer, int, Scene& scene) {
       peer.begin_stream();
       peer.chunk(hello(scene.dialect));
       peer.wait_until_closed();
     },
     model::Stop::stop, 1, "Hello"},
    {"events after the end",
     [](Connection& peer, int, Scene& scene) {
       play(peer, hello(scene.dialect) + ": bye\n\nevent: unknown\ndata: {\"type\":\"unknown\"}\n\n");
     },
     model::Stop::stop, 1, "Hello"},
    {"a call, whole",
     [](Connection& peer, int, Scene& scene) {
       play(peer, scene.dialect.begin + scene.dialect.text("Hel") + scene.dialect.call + scene.dialect.call_end);
     },
     model::Stop::tool_use, 1, "Hel"},
    // Floods.
    {"an error page of 8 MB",
     [](Connection& peer, int, Scene&) {
       peer.answer(500, std::string(8 << 20, 'x'), "x-should-retry: false\r\n");
     },
     model::Stop::error, 1},
    {"a line of more than 64 MB",
     [](Connection& peer, int, Scene&) {
       peer.begin_stream();
       peer.chunk("data: ");
       const std::string block(1 << 20, 'x');
       while (peer.chunk(block)) {
       }
     },
     model::Stop::error, 1, "", "the answer of the provider is too large"},
    {"a compressed bomb",
     [](Connection& peer, int, Scene&) {
       static const std::string bomb = gzipped("data: " + std::string(100 << 20, '0'));
       peer.answer(200, bomb, "content-type: text/event-stream\r\ncontent-encoding: gzip\r\n");
     },
     model::Stop::error, 1, "", "the answer of the provider is too large"},
    {"very many events",
     [](Connection& peer, int, Scene& scene) {
       peer.begin_stream();
       if (!scene.dialect.begin.empty()) peer.chunk(scene.dialect.begin);
       std::string thousand;
       for (int i = 0; i < 1000; ++i) thousand += ": x\n\ndata: {}\n\n";
       for (int i = 0; i < (long_run() ? 1000 : 100); ++i) peer.chunk(thousand);
       peer.chunk(scene.dialect.text("Hello") + scene.dialect.end);
       peer.end_stream();
     },
     model::Stop::stop, 1, "Hello"},
    // Roads.
    {"TLS", [](Connection& peer, int, Scene& scene) { play(peer, hello(scene.dialect)); }, model::Stop::stop, 1,
     "Hello", "", tls},
    {"TLS, expired", answer<200>, model::Stop::error, 0, "", "certificate", tls,
     {.valid_from = -7200, .valid_to = -3600}},
    {"TLS, not yet valid", answer<200>, model::Stop::error, 0, "", "certificate", tls,
     {.valid_from = 3600, .valid_to = 7200}},
    {"TLS, another host", answer<200>, model::Stop::error, 0, "", "certificate", tls, {.host = "example.org"}},
    {"TLS, self-signed", answer<200>, model::Stop::error, 0, "", "certificate", tls, {.self_signed = true}},
    {"TLS, an old protocol", answer<200>, model::Stop::error, 0, "", "localhost", tls, {.old_protocol = true}},
    {"a redirect within the host",
     [](Connection& peer, int number, Scene& scene) {
       if (number > 0) return play(peer, hello(scene.dialect));
       peer.send(std::string("HTTP/1.1 308 Moved\r\nlocation: /elsewhere\r\n") + moved_text);
     },
     model::Stop::stop, 2, "Hello"},
    {"a redirect to another host",
     [](Connection& peer, int, Scene& scene) {
       peer.send("HTTP/1.1 307 Moved\r\nlocation: " + scene.other->url("/else") + "\r\n" + moved_text);
     },
     model::Stop::error, 1, "", "redirects to"},
    {"a redirect loop",
     [](Connection& peer, int, Scene&) {
       peer.send(std::string("HTTP/1.1 307 Moved\r\nlocation: /again\r\n") + moved_text);
     },
     model::Stop::error, 6, "", "redirected more than 5 times"},
    {"a redirect away from TLS",
     [](Connection& peer, int, Scene& scene) {
       peer.send("HTTP/1.1 307 Moved\r\nlocation: " + scene.other->url() + "\r\n" + moved_text);
     },
     model::Stop::error, 1, "", "redirects to an unencrypted address", tls},
    {"a proxy that wants a password", answer<407>, model::Stop::error, 1, "", "the proxy refused", Scenario::Road::proxy},
};

}  // namespace

std::span<const Scenario> scenarios() { return all; }

}  // namespace skein::test
