// Pages over the real module, from a server of this machine.
#include "providers/http/web_transport.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "providers/http/http.h"
#include "tests/support/environment.h"
#include "tests/support/gzip.h"
#include "tests/support/loopback_server.h"

using namespace skein;
using namespace skein::http;
using namespace skein::test;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

web::Ask ask_for(const std::string& url) {
  return {.url = url,
          .refusal = [](const std::string&, int) { return std::string(); },
          .most_bytes = 5 * 1024 * 1024,
          .time = milliseconds(60'000)};
}

web::Fetcher fetcher(milliseconds time = milliseconds(60'000)) {
  return web::Fetcher(ask_web, {}, {.time = time});
}

web::PageRequest wish(const std::string& url, bool named = true) {
  web::PageRequest out{.url = std::get<web::Url>(web::parse_url(url))};
  out.reach.named = [named](const web::Url&) { return named; };
  return out;
}

}  // namespace

TEST_CASE("a page is asked for plainly, and comes uncompressed") {
  std::string request;
  const LoopbackServer server([&](Connection& peer) {
    request = peer.request();
    peer.answer(200, gzipped("<p>hi"),
                "content-type: text/html\r\ncontent-encoding: gzip\r\n"
                "set-cookie: a=b\r\nlast-modified: today\r\n");
  });
  const web::WebAnswer told = ask_web(ask_for(server.url("/x")));
  CHECK(told.status == 200);
  CHECK(told.type == "text/html");
  CHECK(told.modified == "today");
  CHECK(told.body == "<p>hi");
  CHECK_FALSE(told.cut);
  CHECK(request.find("skein/") != std::string::npos);
  CHECK(request.find("text/markdown") != std::string::npos);
  for (const char* never : {"ookie:", "eferer:", "uthorization:", "deflate"}) {
    CAPTURE(never);
    CHECK(request.find(never) == std::string::npos);
  }
}

TEST_CASE("a bomb ends where the limit is, and so does a body without an end") {
  std::string zeros = gzipped(std::string(64 * 1024 * 1024, '\0'));
  const LoopbackServer bomb([&](Connection& peer) {
    peer.request();
    peer.begin_stream("content-type: text/plain\r\ncontent-encoding: gzip\r\n");
    // Ten gigabytes in members of 64 MiB each.
    for (int i = 0; i < 160; ++i)
      if (!peer.chunk(zeros)) return;
    peer.end_stream();
  });
  const auto began = Clock::now();
  const web::WebAnswer told = ask_web(ask_for(bomb.url()));
  CHECK(told.cut);
  CHECK(told.body.size() == 5 * 1024 * 1024);
  const LoopbackServer endless([](Connection& peer) {
    peer.request();
    peer.begin_stream("content-type: text/plain\r\n");
    while (peer.chunk(std::string(65536, 'x'))) {
    }
  });
  const web::WebAnswer cut = ask_web(ask_for(endless.url()));
  CHECK(cut.cut);
  CHECK(cut.body.size() == 5 * 1024 * 1024);
  CHECK(Clock::now() - began < std::chrono::seconds(30));
}

TEST_CASE("a drip ends when its time is over, and at once when the user wants it") {
  const LoopbackServer drip([](Connection& peer) {
    peer.request();
    peer.begin_stream("content-type: text/plain\r\n");
    while (peer.chunk("x")) std::this_thread::sleep_for(milliseconds(10));
  });
  auto began = Clock::now();
  web::Ask ask = ask_for(drip.url());
  ask.time = milliseconds(300);
  const web::WebAnswer late = ask_web(ask);
  CHECK(late.trouble.find("there was no complete answer after 1 s") != std::string::npos);
  CHECK(Clock::now() - began < std::chrono::seconds(20));
  began = Clock::now();
  Clock::time_point stopped_at{};
  ask.time = milliseconds(60'000);
  ask.stopped = [&] {
    if (Clock::now() - began < milliseconds(200)) return false;
    stopped_at = Clock::now();
    return true;
  };
  CHECK(ask_web(ask).stopped);
  CHECK(Clock::now() - stopped_at < std::chrono::seconds(10));
}

TEST_CASE("a private address is not connected to, by whatever name") {
  const LoopbackServer server([](Connection& peer) {
    peer.request();
    peer.answer(200, "secret");
  });
  const std::string port = std::to_string(server.port());
  web::Fetcher fetching = fetcher();
  for (const std::string& host :
       {std::string("127.0.0.1"), std::string("localhost"), std::string("[::ffff:127.0.0.1]"),
        std::string("[::ffff:7f00:1]")}) {
    CAPTURE(host);
    const web::FetchedPage fetched =
        fetching.fetch(wish("http://" + host + ":" + port + "/", false));
    CHECK_FALSE(fetched.page);
    CHECK_FALSE(fetched.trouble.empty());
  }
  CHECK(server.connections() == 0);
  CHECK(fetching.fetch(wish("http://127.0.0.1:" + port + "/")).page);
}

TEST_CASE("every connection is checked, also after one to the same name was good") {
  const LoopbackServer server([](Connection& peer) {
    while (!peer.request().empty()) peer.answer(200, "x");
  });
  HttpRequest request{.method = "GET",
                      .url = "http://localhost:" + std::to_string(server.port()) + "/"};
  CHECK(http_exchange(request, {}, {}).end == HttpResponse::End::complete);
  std::vector<std::string> seen;
  request.refuse_address = [&](const std::string& address, int port) {
    seen.push_back(address + ":" + std::to_string(port));
    return std::string("closed to you");
  };
  const HttpResponse refused = http_exchange(request, {}, {});
  CHECK(refused.end == HttpResponse::End::unreachable);
  CHECK(refused.trouble == "closed to you");
  const std::string asked = "127.0.0.1:" + std::to_string(server.port());  // perhaps behind ::1
  CHECK(std::ranges::find(seen, asked) != seen.end());
  CHECK(server.connections() == 1);
}

TEST_CASE("redirects are handed back, and lead to no private host") {
  const LoopbackServer inner([](Connection& peer) {
    peer.request();
    peer.answer(200, "secret");
  });
  std::string to = inner.url();
  const LoopbackServer server([&](Connection& peer) {
    peer.request();
    peer.answer(302, "", "location: " + to + "\r\n");
  });
  CHECK(ask_web(ask_for(server.url("/x"))).location == to);
  web::Fetcher fetching = fetcher();
  web::PageRequest only_first = wish(server.url("/"));
  only_first.reach.named = [&](const web::Url& url) { return url.port == server.port(); };
  for (const std::string& each : {inner.url(), std::string("file:///etc/passwd"),
                                  std::string("ftp://127.0.0.1/"), std::string("http://0x7f.1/")}) {
    to = each;
    CHECK_FALSE(fetching.fetch(only_first).page);
  }
  CHECK(inner.connections() == 0);
}

TEST_CASE("behind a proxy the addresses are the proxy's, and that is known") {
  std::string request;
  const LoopbackServer proxy([&](Connection& peer) {
    request = peer.request();
    peer.answer(200, "through", "content-type: text/plain\r\n");
  });
  const Environment variable("http_proxy", proxy.url().c_str());
  const Environment none("no_proxy", "exempt.example.org");
  const Environment none_either("NO_PROXY", nullptr);
  web::Ask ask = ask_for("http://far.example.org/x");
  bool checked = false;
  ask.refusal = [&](const std::string&, int) {
    checked = true;
    return std::string("no");
  };
  const web::WebAnswer told = ask_web(ask);
  CHECK(told.body == "through");
  CHECK(told.proxied);
  CHECK_FALSE(checked);
  CHECK(request.starts_with("GET http://far.example.org/x"));
  ask.url = "http://127.0.0.1:" + std::to_string(proxy.port()) + "/";
  CHECK_FALSE(ask_web(ask).proxied);
  CHECK(checked);
}
