#include "providers/stream.h"

#include <doctest/doctest.h>

#include <thread>

#include "core/text/checksum.h"
#include "providers/wire/codecs.h"
#include "tests/support/environment.h"
#include "tests/support/model_server.h"

using namespace skein;
using namespace skein::providers;
using namespace skein::test;
using namespace std::chrono_literals;

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("an answer is streamed and comes back as a message, from every provider") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.provider);
    ModelServer server(dialect, [&](Connection& peer, int) { play(peer, hello(dialect)); });

    const model::Message message = server.run();

    CHECK(model::plain_text(message) == "Hello");
    CHECK(message.stop == model::Stop::stop);
    CHECK(message.error.empty());
    CHECK(message.provider == dialect.provider);
    CHECK(message.model == dialect.model);
    CHECK(message.usage == model::Usage{.input = 7, .output = 3});
    CHECK(server.streamed() == "Hello");
    REQUIRE(server.requests.size() == 1);
    CHECK(server.requests[0].starts_with("POST " + dialect.path + " HTTP/1.1\r\n"));
    std::string auth = dialect.auth;
    auth.replace(auth.find('%'), 1, test_key);
    CHECK(contains(server.requests[0], "\r\n" + auth + "\r\n"));
  }
}

TEST_CASE("the hash of a request is that of the body the server received, also after a retry") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.provider);
    ModelServer server(dialect, [&](Connection& peer, int number) {
      if (number == 0) return (void)peer.answer(503, "", "retry-after-ms: 1\r\n");
      play(peer, hello(dialect));
    });
    CHECK(server.run().stop == model::Stop::stop);
    REQUIRE(server.requests.size() == 2);
    REQUIRE(server.sent.size() == 1);
    const std::string& request = server.requests.back();
    const std::string body = request.substr(request.find("\r\n\r\n") + 4);
    CHECK(server.sent[0].sha256 == sha256_hex(body));
    CHECK(server.sent[0].bytes == static_cast<std::int64_t>(body.size()));
    CHECK(server.sent[0].wire == wire::request_version);
  }
}

TEST_CASE("nothing is recorded of a request that was not sent") {
  const Environment none("ANTHROPIC_BASE_URL", nullptr);
  const catalog::Catalog catalog;
  Keyring keys;
  std::size_t sent = 0;
  const model::Message message =
      HttpProvider(catalog, keys)
          .stream({.messages = {model::user_message("hi")},
                   .on_sent = [&](const model::SentRequest&) { ++sent; }},
                  {"anthropic", "claude-opus-5-5"}, {});
  CHECK(message.stop == model::Stop::error);
  CHECK(sent == 0);
}

TEST_CASE("calls come back whole, from every provider") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.provider);
    ModelServer server(dialect, [&](Connection& peer, int) {
      play(peer, dialect.begin + dialect.call + dialect.call_end);
    });
    const model::Message message = server.run();
    CHECK(message.stop == model::Stop::tool_use);
    REQUIRE(model::tool_uses(message).size() == 1);
    CHECK(model::tool_uses(message)[0]->name == "read");
    CHECK(model::tool_uses(message)[0]->input == R"({"path":"a"})");
  }
}

TEST_CASE("refusals end the turn with one request and a sentence") {
  for (const Dialect& dialect : dialects())
    for (const int status : {400, 401, 403, 404, 413}) {
      CAPTURE(dialect.provider);
      CAPTURE(status);
      ModelServer server(dialect, [&](Connection& peer, int) {
        peer.answer(status, R"({"error":{"message":"because of )" + std::string(test_key) + "\"}}",
                    "content-type: application/json\r\n");
      });
      const model::Message message = server.run();
      CHECK(message.stop == model::Stop::error);
      CHECK(contains(message.error, "because of [key hidden]"));
      CHECK(contains(message.error, "; check SKEIN_TEST_KEY") == (status == 401 || status == 403));
      CHECK(server.requests.size() == 1);
      REQUIRE(server.events.size() == 1);
      const auto& failed =
          std::get<model::delta::Failed>(std::get<model::Streaming>(server.events[0]).delta);
      CHECK(failed.text == message.error);
      CHECK(failed.overflow == (status == 413));
    }
}

TEST_CASE("a service that wants another format is told how to be spoken to") {
  ModelServer server(dialects()[1], [](Connection& peer, int) {
    peer.answer(400, R"({"error":{"message":"Please use /v1/responses instead."}})");
  });
  CHECK(server.run().error.ends_with("; set wire = \"responses\" in [providers.openai]"));
}

TEST_CASE("what may pass is tried eight times more and then told") {
  for (const Dialect& dialect : dialects())
    for (const int status : {408, 409, 429, 500, 502, 503, 529}) {
      CAPTURE(dialect.provider);
      CAPTURE(status);
      ModelServer server(dialect, [&](Connection& peer, int) {
        peer.answer(status, R"({"error":{"message":"busy"}})", "retry-after-ms: 1\r\n");
      });
      const model::Message message = server.run();
      CHECK(message.stop == model::Stop::error);
      CHECK(contains(message.error, "busy"));
      CHECK(contains(message.error, "; tried 9 times in 8 ms"));
      CHECK(server.requests.size() == 9);
      CHECK(server.retries() == 8);
    }
}

TEST_CASE("a retry that works leaves no trace in the answer, and sends the same request") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.provider);
    ModelServer server(dialect, [&](Connection& peer, int number) {
      if (number == 0) return (void)peer.answer(503, "", "retry-after-ms: 1\r\n");
      play(peer, hello(dialect));
    });
    const model::Message message = server.run();
    CHECK(message.stop == model::Stop::stop);
    CHECK(model::plain_text(message) == "Hello");
    CHECK(server.streamed() == "Hello");
    REQUIRE(server.requests.size() == 2);
    CHECK(server.requests[0] == server.requests[1]);
  }
}

TEST_CASE("an error inside the stream is retried before the first word") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.provider);
    ModelServer server(dialect, [&](Connection& peer, int number) {
      if (number > 0) return play(peer, hello(dialect));
      peer.begin_stream("content-type: text/event-stream\r\nretry-after-ms: 1\r\n");
      peer.chunk(dialect.error);
      peer.end_stream();
    });
    CHECK(model::plain_text(server.run()) == "Hello");
    CHECK(server.streamed() == "Hello");
    CHECK(server.requests.size() == 2);
  }
}

TEST_CASE("an error inside the stream is not retried once something was shown") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.provider);
    ModelServer server(dialect, [&](Connection& peer, int) {
      play(peer, dialect.begin + dialect.text("Hel") + dialect.error);
    });
    const model::Message message = server.run();
    CHECK(message.stop == model::Stop::error);
    CHECK(contains(message.error, "overloaded"));
    CHECK(model::plain_text(message) == "Hel");
    CHECK(server.requests.size() == 1);
  }
}

TEST_CASE("an absurd wait and an empty account end the turn at once") {
  const Dialect& dialect = dialects()[1];
  SUBCASE("wait") {
    ModelServer server(dialect, [](Connection& peer, int) {
      peer.answer(429, R"({"error":{"message":"slow"}})", "retry-after: 36000\r\n");
    });
    CHECK(contains(server.run().error, "; the provider asks to wait 10 h before the next try"));
    CHECK(server.requests.size() == 1);
  }
  SUBCASE("account") {
    ModelServer server(dialect, [](Connection& peer, int) {
      peer.answer(429, R"({"error":{"message":"pay","code":"insufficient_quota"}})");
    });
    CHECK(server.run().stop == model::Stop::error);
    CHECK(server.requests.size() == 1);
  }
}

TEST_CASE("a stream that is cut keeps its words and runs no call") {
  struct Cut {
    std::string name;
    std::function<void(Connection&, const Dialect&)> play;
  };
  const std::vector<Cut> cuts{
      {"FIN within a chunk",
       [](Connection& peer, const Dialect&) { peer.send("fff\r\ndata: {"), peer.shut(); }},
      {"RST", [](Connection& peer, const Dialect&) { peer.reset(); }},
      {"no end mark", [](Connection& peer, const Dialect&) { peer.end_stream(); }},
      {"FIN within a call",
       [](Connection& peer, const Dialect& dialect) {
         if (!dialect.half_call.empty()) peer.chunk(dialect.half_call);
         peer.shut();
       }},
      {"no end mark after half a call",
       [](Connection& peer, const Dialect& dialect) {
         if (!dialect.half_call.empty()) peer.chunk(dialect.half_call);
         peer.end_stream();
       }},
  };
  for (const Dialect& dialect : dialects())
    for (const Cut& cut : cuts) {
      CAPTURE(dialect.provider);
      CAPTURE(cut.name);
      std::atomic<bool> seen{false};
      ModelServer server(dialect, [&](Connection& peer, int) {
        peer.begin_stream();
        peer.chunk(dialect.begin + dialect.text("Hel"));
        while (!seen) std::this_thread::yield();  // a reset must not overtake the words
        cut.play(peer, dialect);
      });
      server.watch = [&](const model::Event&) { seen = true; };
      const model::Message message = server.run();
      CHECK(message.stop == model::Stop::interrupted);
      CHECK_FALSE(message.error.empty());
      CHECK(model::plain_text(message) == "Hel");
      CHECK(model::tool_uses(message).empty());
      CHECK(server.requests.size() == 1);
    }
}

TEST_CASE("what is no stream becomes a clear error, and is asked for again if it is nothing") {
  struct Body {
    std::string type, body, part;
    std::size_t requests = 1;
  };
  const std::vector<Body> bodies{
      {"text/html", "<!doctype html><h1>Welcome</h1>", "not a stream"},
      {"application/json", R"({"id":"x","choices":[]})", "not a stream"},
      {"application/json", R"({"error":{"message":"no such thing"}})", "no such thing"},
      {"text/event-stream", "", "empty answer", 9},
      {"text/event-stream", ": nothing\n\n", "empty answer", 9},
      {"", "", "empty answer", 9},
      {"text/plain", "upstream error", "empty answer (text/plain)"},
  };
  for (const Dialect& dialect : dialects())
    for (const Body& body : bodies) {
      CAPTURE(dialect.provider);
      CAPTURE(body.body);
      ModelServer server(dialect, [&](Connection& peer, int) {
        peer.answer(200, body.body, "content-type: " + body.type + "\r\n");
      });
      const model::Message message = server.run();
      CHECK(message.stop == model::Stop::error);
      CHECK(contains(message.error, body.part));
      CHECK(server.requests.size() == body.requests);
    }
}

TEST_CASE("an answer that says nothing at all is asked for again") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.provider);
    ModelServer server(dialect, [&](Connection& peer, int number) {
      if (number > 0) return play(peer, hello(dialect));
      peer.begin_stream();
      peer.end_stream();
    });
    CHECK(model::plain_text(server.run()) == "Hello");
    CHECK(server.requests.size() == 2);
  }
}

TEST_CASE("an odd but whole stream is taken as it is meant") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.provider);
    const std::string odd = ": comment\n\n\xEF\xBB\xBF: \n\n" + dialect.begin + ": ping\n\n" +
                            dialect.text("Hel\xFF") +
                            "event: unknown\ndata: {\"type\":\"unknown\"}\n\n" +
                            dialect.text("lo\\u0000") + dialect.end;
    ModelServer server(dialect, [&](Connection& peer, int) {
      peer.begin_stream("content-type: application/octet-stream\r\n");
      for (const char byte : odd) peer.chunk({&byte, 1});
      peer.end_stream();
    });
    const model::Message message = server.run();
    CHECK(message.stop == model::Stop::stop);
    CHECK(model::plain_text(message) == std::string("Hel\xEF\xBF\xBDlo\0", 9));
  }
}

TEST_CASE("a server that forgets to hang up does not hold the answer back") {
  const Dialect& dialect = dialects()[0];
  ModelServer server(dialect, [&](Connection& peer, int) {
    peer.begin_stream();
    peer.chunk(hello(dialect));
    peer.wait_until_closed();
  });
  const auto start = std::chrono::steady_clock::now();
  CHECK(server.run().stop == model::Stop::stop);
  CHECK(std::chrono::steady_clock::now() - start < 30s);
}

TEST_CASE("sizes are bounded and crowds are not") {
  const Dialect& dialect = dialects()[1];
  SUBCASE("a line of more than 64 MB is an error") {
    ModelServer server(dialect, [&](Connection& peer, int) {
      peer.begin_stream();
      peer.chunk("data: ");
      const std::string block(1 << 20, 'x');
      while (peer.chunk(block)) {
      }
    });
    CHECK(contains(server.run().error, "the answer of the provider is too large"));
    CHECK(server.requests.size() == 1);
  }
  SUBCASE("ten thousand events are an answer") {
    std::string many = dialect.begin;
    for (int i = 0; i < 10'000; ++i) many += dialect.text("x");
    ModelServer server(dialect, [&](Connection& peer, int) { play(peer, many + dialect.end); });
    CHECK(model::plain_text(server.run()).size() == 10'000);
  }
  SUBCASE("an error page of any size is an error") {
    ModelServer server(dialect, [](Connection& peer, int) {
      peer.answer(500, std::string(8 << 20, 'x'), "x-should-retry: false\r\n");
    });
    const model::Message message = server.run();
    CHECK(message.stop == model::Stop::error);
    CHECK(message.error.size() < 2000);
  }
}

TEST_CASE("a stop keeps the words and sends nothing more") {
  const Dialect& dialect = dialects()[0];
  SUBCASE("in the middle of an answer") {
    ModelServer server(dialect, [&](Connection& peer, int) {
      peer.begin_stream();
      peer.chunk(dialect.begin + dialect.text("Hel"));
      peer.wait_until_closed();
    });
    server.watch = [&](const model::Event& event) {
      if (const auto* streaming = std::get_if<model::Streaming>(&event))
        server.stop =
            server.stop || std::holds_alternative<model::delta::TextPiece>(streaming->delta);
    };
    const model::Message message = server.run();
    CHECK(message.stop == model::Stop::aborted);
    CHECK(model::plain_text(message) == "Hel");
  }
  SUBCASE("while waiting for the next try") {
    ModelServer server(
        dialect, [](Connection& peer, int) { peer.answer(429, "{}", "retry-after: 50\r\n"); });
    server.watch = [&](const model::Event& event) {
      server.stop = std::holds_alternative<model::Retrying>(event);
    };
    const auto start = std::chrono::steady_clock::now();
    CHECK(server.run().stop == model::Stop::aborted);
    CHECK(std::chrono::steady_clock::now() - start < 30s);
    CHECK(server.requests.size() == 1);
  }
}

TEST_CASE("without a key nothing is sent and the variable is named") {
  const Environment none("ANTHROPIC_BASE_URL", nullptr);
  const catalog::Catalog catalog;
  Keyring keys;
  const model::Message message = HttpProvider(catalog, keys)
                                     .stream({.messages = {model::user_message("hi")}},
                                             {"anthropic", "claude-sonnet-4-5"}, {});
  CHECK(message.stop == model::Stop::error);
  CHECK(contains(message.error, "there is no key for anthropic; set ANTHROPIC_API_KEY"));
}

TEST_CASE("a server of this machine that does not run is not waited for") {
  catalog::Catalog catalog;
  catalog.move_provider("llamacpp", "http://127.0.0.1:" + std::to_string(closed_port()));
  Keyring keys;
  std::size_t waits = 0;
  model::Ports ports;
  ports.sink = [&](const model::Event& event) {
    waits += std::holds_alternative<model::Retrying>(event);
  };
  const model::Message message =
      HttpProvider(catalog, keys, {.retry = 10ms})
          .stream({.messages = {model::user_message("hi")}}, {"llamacpp", "x"}, ports);
  CHECK(message.stop == model::Stop::error);
  CHECK(contains(message.error, "nothing answers at 127.0.0.1:"));
  CHECK(waits == 0);
}

TEST_CASE("a failure says whether another model may answer") {
  const Dialect& dialect = dialects()[1];
  const auto elsewhere = [&](int status, const std::string& body) {
    ModelServer server(dialect, [&](Connection& peer, int) {
      peer.answer(status, body, "retry-after-ms: 1\r\n");
    });
    server.run();
    return std::get<model::delta::Failed>(std::get<model::Streaming>(server.events.back()).delta)
        .elsewhere;
  };
  CHECK(elsewhere(529, "{}"));
  CHECK(elsewhere(429, R"({"error":{"code":"insufficient_quota"}})"));
  CHECK(elsewhere(404, R"({"error":{"message":"no such model"}})"));
  CHECK(elsewhere(400, R"({"error":{"code":"model_decommissioned"}})"));
  CHECK_FALSE(elsewhere(400, R"({"error":{"message":"bad request"}})"));
  CHECK_FALSE(elsewhere(401, R"({"error":{"message":"bad key"}})"));
  CHECK_FALSE(elsewhere(413, R"({"error":{"message":"too long"}})"));
}
