#include "providers/mcp/http_channel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "core/mcp/hub.h"
#include "core/text/json.h"
#include "tests/support/loopback_server.h"

using namespace skein;
using namespace skein::mcp;
using namespace std::chrono_literals;

namespace {

std::string body_of(const std::string& request) {
  const std::size_t end = request.find("\r\n\r\n");
  return end == std::string::npos ? "" : request.substr(end + 4);
}

// Answers as a server of the protocol does; a call as a test wants it.
class Service {
 public:
  using Call = std::function<void(test::Connection&, const Json& request)>;
  explicit Service(Call call)
      : call_(std::move(call)), server([this](test::Connection& peer) { serve(peer); }) {}

  static std::string result(const Json& request, const Json& result) {
    return dump({{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", result}});
  }
  static Json text(const std::string& words) {
    return {{"content", {{{"type", "text"}, {"text", words}}}}};
  }
  std::vector<std::string> seen() {
    const std::lock_guard hold(lock_);
    return seen_;
  }
  std::string sessions = "mcp-session-id: abc\r\n";

 private:
  void serve(test::Connection& peer) {
    for (std::string request; !(request = peer.request()).empty();) {
      {
        const std::lock_guard hold(lock_);
        seen_.push_back(request);
      }
      const Json message = parse_json(body_of(request)).value_or(Json::object());
      const std::string method = string_at(message, "method");
      if (method == "initialize")
        peer.answer(200,
                    result(message, {{"protocolVersion", "2025-03-26"},
                                     {"capabilities", {{"tools", Json::object()}}},
                                     {"serverInfo", {{"name", "web"}}}}),
                    "content-type: application/json\r\n" + sessions);
      else if (method == "tools/list")
        peer.answer(200, result(message, {{"tools", {{{"name", "ask"}}}}}),
                    "content-type: application/json\r\n");
      else if (method == "tools/call")
        call_(peer, message);
      else
        peer.answer(202, "");
    }
  }

  Call call_;
  std::mutex lock_{};
  std::vector<std::string> seen_{};

 public:
  test::LoopbackServer server;  // last: its threads use the others
};

class Web {
 public:
  explicit Web(const std::string& url, http::HttpHeaders headers = {})
      : hub({ServerEntry{.name = "w", .url = url}},
            {.open =
                 [headers](const ServerEntry& entry, Channel::Events events) {
                   return std::make_unique<HttpChannel>(
                       entry.url, [headers] { return headers; }, std::move(events));
                 },
             .workspace = "/tmp",
             .version = "1"}) {
    hub.start();
    hub.wait(10s, {});
  }
  model::ToolOutcome call(const model::ToolPorts& ports = {}) {
    std::vector<std::string> notices;
    const model::Tools tools = hub.tools(notices);
    REQUIRE(tools.size() == 1);
    return tools[0].run("{}", ports);
  }
  static std::string text(const model::ToolOutcome& outcome) {
    return std::get<model::Text>(outcome.content.at(0)).text;
  }
  Hub hub;
};

bool has(const std::vector<std::string>& requests, const std::string& what) {
  return std::ranges::any_of(
      requests, [&](const std::string& each) { return each.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("a server elsewhere is greeted, listed and called, in one session") {
  Service service([](test::Connection& peer, const Json& request) {
    peer.answer(200, Service::result(request, Service::text("plain")),
                "content-type: application/json\r\n");
  });
  {
    Web web(service.server.url("/mcp"), {{"authorization", "Bearer x"}});
    CHECK(web.hub.rows().at(0).state == "connected: web");
    CHECK(Web::text(web.call()) == "plain");
  }
  const std::vector<std::string> seen = service.seen();
  REQUIRE(seen.size() >= 5);
  CHECK(seen[0].find("mcp-session-id") == std::string::npos);
  CHECK(seen[1].find("notifications/initialized") != std::string::npos);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    CHECK(seen[i].find("mcp-session-id: abc") != std::string::npos);
    CHECK(seen[i].find("mcp-protocol-version: 2025-03-26") != std::string::npos);
    CHECK(seen[i].find("authorization: Bearer x") != std::string::npos);
  }
  CHECK(seen.back().starts_with("DELETE /mcp"));
}

TEST_CASE("an answer may be a stream, with comments, progress and split characters") {
  Service service([](test::Connection& peer, const Json& request) {
    const std::string last = Service::result(request, Service::text("grüße"));
    const std::size_t middle = last.find("\xc3") + 1;
    peer.begin_stream();
    peer.chunk(": keep-alive\n\n");
    peer.chunk("data: " +
               dump({{"jsonrpc", "2.0"},
                     {"method", "notifications/progress"},
                     {"params",
                      {{"progressToken", request["params"]["_meta"]["progressToken"]},
                       {"progress", 1}}}}) +
               "\n\n");
    peer.chunk("data: " + last.substr(0, middle));
    std::this_thread::sleep_for(20ms);
    peer.chunk(last.substr(middle) + "\n\n");
    peer.end_stream();
  });
  Web web(service.server.url());
  CHECK(Web::text(web.call()) == "grüße");
}

TEST_CASE("a session the server has forgotten is begun again, once") {
  std::atomic<int> calls{0};
  Service service([&](test::Connection& peer, const Json& request) {
    if (calls++ == 0)
      peer.answer(404, "");
    else
      peer.answer(200, Service::result(request, Service::text("second")),
                  "content-type: application/json\r\n");
  });
  Web web(service.server.url());
  CHECK(Web::text(web.call()) == "second");
  CHECK(calls == 2);
}

TEST_CASE("a call that was cut is not made again") {
  std::atomic<int> calls{0};
  Service service([&](test::Connection& peer, const Json&) {
    ++calls;
    peer.begin_stream();
    peer.chunk("data: {\"half");
    peer.reset();
  });
  Web web(service.server.url());
  CHECK(web.call().is_error);
  CHECK(calls == 1);
}

TEST_CASE("a call that hangs is left at once, and its cancellation is sent beside it") {
  Service service([](test::Connection& peer, const Json&) { peer.wait_until_closed(); });
  Web web(service.server.url());
  std::atomic<bool> stop{false};
  model::ToolPorts ports;
  ports.stopped = [&] { return stop.load(); };
  std::chrono::steady_clock::time_point stopped;
  std::thread user([&] {
    std::this_thread::sleep_for(100ms);
    stopped = std::chrono::steady_clock::now();
    stop = true;
  });
  CHECK(web.call(ports).is_error);
  CHECK(std::chrono::steady_clock::now() - stopped < 50ms);
  user.join();
  for (int i = 0; i < 300 && !has(service.seen(), "notifications/cancelled"); ++i)
    std::this_thread::sleep_for(10ms);
  CHECK(has(service.seen(), "notifications/cancelled"));
}

TEST_CASE("what is no server says so") {
  const auto state_at = [](int status) {
    test::LoopbackServer server([status](test::Connection& peer) {
      while (!peer.request().empty())
        peer.answer(status, "no", "location: http://127.0.0.1:1/\r\n");
    });
    return Web(server.url("/sse")).hub.rows().at(0).state;
  };
  CHECK(state_at(401).find("it wants a login") != std::string::npos);
  CHECK(state_at(405).find("try /mcp") != std::string::npos);
  CHECK(state_at(500).find("HTTP 500: no") != std::string::npos);
  CHECK(state_at(302).find("redirects") != std::string::npos);
}
