#include "providers/http/http.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

#include "tests/support/environment.h"
#include "tests/support/gzip.h"
#include "tests/support/loopback_server.h"

using namespace skein;
using namespace skein::http;
using namespace skein::test;
using namespace std::chrono_literals;
using End = HttpResponse::End;
using Clock = std::chrono::steady_clock;

namespace {

struct Outcome {
  HttpResponse response{};
  std::string body{};
  int heads = 0;
};

Outcome exchange(const HttpRequest& request, const model::Ports& ports = {},
                 std::size_t limit = std::string::npos) {
  Outcome outcome;
  HttpHandlers handlers;
  handlers.on_head = [&](const HttpResponse&) { ++outcome.heads; };
  handlers.on_body = [&](std::string_view piece) {
    outcome.body += piece;
    return outcome.body.size() <= limit;
  };
  outcome.response = http_exchange(request, handlers, ports);
  return outcome;
}

HttpRequest post(const std::string& url, std::string body = "{}") {
  return {.url = url, .headers = {{"content-type", "application/json"}}, .body = std::move(body)};
}

}  // namespace

TEST_CASE("a request arrives whole and its answer comes back with status and headers") {
  std::string received;
  LoopbackServer server([&](Connection& peer) {
    received = peer.request();
    peer.answer(200, "hello", "X-Mixed: Value \r\n");
  });

  const Outcome outcome = exchange(post(server.url("/v1/x?y=1"), R"({"a":1})"));

  CHECK(received.starts_with("POST /v1/x?y=1 HTTP/1.1\r\n"));
  CHECK(received.ends_with("\r\n\r\n{\"a\":1}"));
  CHECK(received.find("User-Agent: skein/") != std::string::npos);
  CHECK(outcome.response.end == End::complete);
  CHECK(outcome.response.status == 200);
  CHECK(header_value(outcome.response.headers, "x-mixed") == "Value");
  CHECK(outcome.body == "hello");
  CHECK(outcome.heads == 1);
}

TEST_CASE("a stream is handed on piece by piece while it is still open") {
  std::promise<void> first_seen;
  LoopbackServer server([&](Connection& peer) {
    peer.request();
    peer.begin_stream();
    peer.chunk("one");
    first_seen.get_future().wait();  // would wait for ever if pieces were held back
    peer.chunk("two");
    peer.end_stream();
  });
  std::vector<std::string> pieces;
  HttpHandlers handlers;
  handlers.on_body = [&](std::string_view piece) {
    pieces.emplace_back(piece);
    if (pieces.size() == 1) first_seen.set_value();
    return true;
  };

  const HttpResponse response = http_exchange(post(server.url()), handlers, {});

  CHECK(response.end == End::complete);
  CHECK(pieces == std::vector<std::string>{"one", "two"});
}

TEST_CASE("every status comes back as it is, with its body") {
  for (const int status : {400, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 529}) {
    CAPTURE(status);
    LoopbackServer server([&](Connection& peer) {
      peer.request();
      peer.answer(status, R"({"error":"why"})");
    });
    const Outcome outcome = exchange(post(server.url()));
    CHECK(outcome.response.end == End::complete);
    CHECK(outcome.response.status == status);
    CHECK(outcome.body == R"({"error":"why"})");
  }
}

TEST_CASE("an answer without a body still has a head") {
  LoopbackServer server([](Connection& peer) {
    peer.request();
    peer.answer(204, "");
  });
  const Outcome outcome = exchange(post(server.url()));
  CHECK(outcome.heads == 1);
  CHECK(outcome.response.status == 204);
}

TEST_CASE("where nobody listens the trouble names the address") {
  const std::string port = std::to_string(closed_port());
  const Outcome outcome = exchange(post("http://127.0.0.1:" + port));
  CHECK(outcome.response.end == End::unreachable);
  CHECK_FALSE(outcome.response.again);  // a server of this machine does not start by itself
  CHECK(outcome.response.trouble.starts_with("nothing answers at 127.0.0.1:" + port));
}

TEST_CASE("an address that is none is told apart from a network that fails") {
  for (const std::string url :
       {"", "http://", "file:///etc/passwd", "gopher://127.0.0.1/", "http://a b/"}) {
    CAPTURE(url);
    const Outcome outcome = exchange(post(url));
    CHECK(outcome.response.end == End::unreachable);
    CHECK_FALSE(outcome.response.again);
    CHECK_FALSE(outcome.response.trouble.empty());
  }
}

TEST_CASE("a connection that dies is unreachable before the answer and cut within it") {
  struct Death {
    std::string name;
    std::function<void(Connection&)> script;
    End end;
  };
  const std::vector<Death> deaths{
      {"FIN at once", [](Connection&) {}, End::unreachable},
      {"FIN after the request", [](Connection& peer) { peer.request(); }, End::unreachable},
      {"RST after the request", [](Connection& peer) { peer.request(), peer.reset(); },
       End::unreachable},
      {"FIN within the headers",
       [](Connection& peer) { peer.request(), peer.send("HTTP/1.1 200 OK\r\ncontent-"); },
       End::cut},
      {"FIN within a chunk",
       [](Connection& peer) { peer.request(), peer.begin_stream(), peer.send("ff\r\ndata: x"); },
       End::cut},
      {"FIN between chunks",
       [](Connection& peer) { peer.request(), peer.begin_stream(), peer.chunk("data: x\n\n"); },
       End::cut},
      {"FIN before content-length is reached",
       [](Connection& peer) {
         peer.request();
         peer.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort");
       },
       End::cut},
      {"RST within the body",
       [](Connection& peer) {
         peer.request();
         peer.begin_stream();
         peer.chunk("data: x\n\n");
         peer.reset();
       },
       End::cut},
      {"bytes that are not HTTP",
       [](Connection& peer) { peer.request(), peer.send("SSH-2.0-OpenSSH\r\n"); },
       End::unreachable},
  };
  for (const Death& death : deaths) {
    CAPTURE(death.name);
    LoopbackServer server(death.script);
    const Outcome outcome = exchange(post(server.url()));
    CHECK(outcome.response.end == death.end);
    CHECK_FALSE(outcome.response.trouble.empty());
    CHECK(server.connections() == 1);
  }
}

TEST_CASE("an answer that ends with its connection is complete") {
  LoopbackServer server([](Connection& peer) {
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: x\n\n");
  });
  const Outcome outcome = exchange(post(server.url()));
  CHECK(outcome.response.end == End::complete);
  CHECK(outcome.body == "data: x\n\n");
}

TEST_CASE("silence has three limits and a slow stream has none") {
  HttpRequest request = post("");
  // Only the limit that is to be met is short.
  request.timeouts.connect = request.timeouts.answer = request.timeouts.idle = 60s;
  const auto elapsed = [&](const std::string& url, End end) {
    request.url = url;
    const auto start = Clock::now();
    const Outcome outcome = exchange(request);
    CHECK(outcome.response.end == end);
    CHECK(outcome.response.again);
    return Clock::now() - start;
  };

  SUBCASE("before the answer") {
    request.timeouts.answer = 60ms;
    LoopbackServer server([](Connection& peer) { peer.request(), peer.wait_until_closed(); });
    const auto took = elapsed(server.url(), End::unreachable);
    CHECK(took >= 60ms);
    CHECK(took < 20s);
  }
  SUBCASE("in the middle, half open") {
    request.timeouts.idle = 60ms;
    LoopbackServer server([](Connection& peer) {
      peer.request();
      peer.begin_stream();
      peer.chunk("data: x\n\n");
      peer.wait_until_closed();
    });
    const auto took = elapsed(server.url(), End::cut);
    CHECK(took >= 60ms);
    CHECK(took < 20s);
  }
  SUBCASE("a byte now and then keeps it alive") {
    request.timeouts.idle = 1500ms;  // less than all of them take
    LoopbackServer server([](Connection& peer) {
      peer.request();
      peer.begin_stream();
      for (int i = 0; i < 8; ++i) {
        peer.chunk(":");
        ::poll(nullptr, 0, 250);
      }
      peer.end_stream();
    });
    request.url = server.url();
    const Outcome outcome = exchange(request);
    CHECK(outcome.response.end == End::complete);
    CHECK(outcome.body == "::::::::");
  }
}

TEST_CASE("connections are kept between exchanges") {
  LoopbackServer server([](Connection& peer) {
    while (!peer.request().empty()) peer.answer(200, "ok");
  });
  for (int i = 0; i < 3; ++i) CHECK(exchange(post(server.url())).body == "ok");
  CHECK(server.connections() == 1);
}

TEST_CASE("a kept connection that died is replaced once without a word") {
  std::atomic<int> requests{0};
  const auto count_to = [&](Connection& peer) {
    if (!peer.request().empty()) ++requests;
  };
  SUBCASE("closed after the second request was read") {
    LoopbackServer server([&](Connection& peer) {
      count_to(peer);
      peer.answer(200, "ok");
      count_to(peer);
      if (peer.number() > 0) peer.answer(200, "ok");
    });
    CHECK(exchange(post(server.url())).body == "ok");
    const Outcome second = exchange(post(server.url()));
    CHECK(second.response.end == End::complete);
    CHECK(second.body == "ok");
    CHECK(server.connections() == 2);
    CHECK(requests.load() == 3);
  }
  SUBCASE("reset after the second request was read") {
    LoopbackServer server([&](Connection& peer) {
      count_to(peer);
      peer.answer(200, "ok");
      count_to(peer);
      peer.reset();
    });
    CHECK(exchange(post(server.url())).body == "ok");
    CHECK(exchange(post(server.url())).body == "ok");
    CHECK(server.connections() == 2);
    CHECK(requests.load() == 3);
  }
  SUBCASE("but a new connection that dies is not tried again") {
    LoopbackServer server([&](Connection& peer) {
      count_to(peer);
      if (peer.number() > 0) return;
      peer.answer(200, "ok");
      count_to(peer);
    });
    CHECK(exchange(post(server.url())).body == "ok");
    CHECK(exchange(post(server.url())).response.end == End::unreachable);
    CHECK(server.connections() == 2);
    CHECK(requests.load() == 3);
  }
  SUBCASE("nor one that had begun to answer") {
    LoopbackServer server([&](Connection& peer) {
      count_to(peer);
      peer.answer(200, "ok");
      count_to(peer);
      peer.send("HTTP/1.1 200 OK\r\n");
    });
    CHECK(exchange(post(server.url())).body == "ok");
    CHECK(exchange(post(server.url())).response.end == End::cut);
    CHECK(server.connections() == 1);
    CHECK(requests.load() == 2);
  }
}

TEST_CASE("a consumer bounds what it takes") {
  SUBCASE("of an endless body") {
    LoopbackServer server([](Connection& peer) {
      peer.request();
      peer.begin_stream();
      const std::string block(65536, 'x');
      while (peer.chunk(block)) {
      }
    });
    const Outcome outcome = exchange(post(server.url()), {}, 1 << 20);
    CHECK(outcome.response.end == End::refused);
    CHECK(outcome.body.size() < (1 << 20) + 65536);
  }
  SUBCASE("of a compressed one that would fill the memory") {
    const std::string bomb = gzipped(std::string(16 << 20, '\0'));
    CHECK(bomb.size() < (128 << 10));
    LoopbackServer server([&](Connection& peer) {
      peer.request();
      peer.answer(200, bomb, "content-encoding: gzip\r\n");
    });
    const Outcome outcome = exchange(post(server.url()), {}, 1 << 20);
    CHECK(outcome.response.end == End::refused);
    CHECK(outcome.body.size() < (1 << 20) + 65536);
  }
  SUBCASE("and headers have a bound of their own") {
    LoopbackServer server([](Connection& peer) {
      peer.request();
      peer.send("HTTP/1.1 200 OK\r\n");
      while (peer.send("x-more: " + std::string(4096, 'x') + "\r\n")) {
      }
    });
    CHECK(exchange(post(server.url())).response.end == End::cut);
  }
}

TEST_CASE("compressed answers come uncompressed") {
  LoopbackServer server([](Connection& peer) {
    peer.request();
    peer.answer(200, gzipped("data: x\n\n"), "content-encoding: gzip\r\n");
  });
  CHECK(exchange(post(server.url())).body == "data: x\n\n");
}

TEST_CASE("what a handler throws comes out of the exchange") {
  LoopbackServer server([](Connection& peer) {
    peer.request();
    peer.answer(200, "x");
  });
  HttpHandlers handlers;
  HttpRequest request = post(server.url());
  SUBCASE("from the head") {
    handlers.on_head = [](const HttpResponse&) { throw Error("no"); };
  }
  SUBCASE("from the body") {
    handlers.on_body = [](std::string_view) -> bool { throw Error("no"); };
  }
  SUBCASE("from the question whether to stop") {
    handlers.stopped = []() -> bool { throw Error("no"); };
  }
  SUBCASE("from the check of an address, which then is not connected to") {
    request.refuse_address = [](const std::string&, int) -> std::string { throw Error("no"); };
  }
  CHECK_THROWS_WITH_AS(http_exchange(request, handlers, {}), "no", Error);
  CHECK(exchange(post(server.url())).body == "x");  // and the next one works
}

TEST_CASE("a header value with a line break is never sent") {
  LoopbackServer server([](Connection& peer) { peer.request(); });
  HttpRequest request = post(server.url());
  request.headers.emplace_back("x-api-key", "key\r\nx-evil: 1");
  CHECK(exchange(request).response.end == End::unreachable);
  CHECK(server.connections() == 0);
}

TEST_CASE("a stop ends a silent exchange within a tenth of a second") {
  std::atomic<bool> stop{false};
  model::Ports ports;
  ports.stop = &stop;

  SUBCASE("by a signal") {
    struct sigaction action {
    }, old{};
    static std::atomic<bool>* flag = nullptr;
    flag = &stop;
    action.sa_handler = [](int) { flag->store(true); };
    sigaction(SIGUSR1, &action, &old);
    LoopbackServer server([](Connection& peer) { peer.request(), peer.wait_until_closed(); });
    const pthread_t self = pthread_self();
    // The best of three: a busy machine may be slow to run us, but not three times.
    auto best = Clock::duration::max();
    for (int i = 0; i < 3; ++i) {
      stop = false;
      Clock::time_point sent{};
      std::thread user([&] {
        ::poll(nullptr, 0, 30);
        sent = Clock::now();
        pthread_kill(self, SIGUSR1);
      });
      CHECK(exchange(post(server.url()), ports).response.end == End::stopped);
      const auto end = Clock::now();
      user.join();
      best = std::min(best, end - sent);
    }
    sigaction(SIGUSR1, &old, nullptr);
    CHECK(best < 100ms);
  }
  SUBCASE("by a key, read in the same wait") {
    int keys[2];
    REQUIRE(pipe2(keys, O_CLOEXEC) == 0);
    ports.input.fd = keys[0];
    ports.input.on_ready = [&] {
      char key = 0;
      stop = read(keys[0], &key, 1) == 1 && key == 27;
    };
    LoopbackServer server([&](Connection& peer) {
      peer.request();
      CHECK(write(keys[1], "\x1b", 1) == 1);
      peer.wait_until_closed();
    });
    CHECK(exchange(post(server.url()), ports).response.end == End::stopped);
    close(keys[0]);
    close(keys[1]);
  }
  SUBCASE("already set before it began") {
    stop = true;
    LoopbackServer server([](Connection& peer) { peer.request(), peer.wait_until_closed(); });
    CHECK(exchange(post(server.url()), ports).response.end == End::stopped);
  }
}

TEST_CASE("a quick GET brings a small answer") {
  LoopbackServer server([](Connection& peer) {
    const std::string request = peer.request();
    peer.answer(request.starts_with("GET /v1/models ") ? 200 : 404, R"({"data":[]})");
  });
  const HttpAnswer answer = http_get(server.url("/v1/models"), {}, 60s, {});
  CHECK(answer.response.status == 200);
  CHECK(answer.body == R"({"data":[]})");
}
