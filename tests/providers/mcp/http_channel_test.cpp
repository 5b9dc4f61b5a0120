#include "providers/mcp/http_channel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/mcp/hub.h"
#include "core/mcp/rpc.h"
#include "core/text/json.h"
#include "tests/support/hanging_call.h"
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
  Json tools = Json::object();  // what it says it can do with them
  std::string sessions = "mcp-session-id: abc\r\n";
  // What else it does, by method ("GET" for that); returns false: as usual.
  std::function<bool(test::Connection&, const std::string& method, const Json& request)> first =
      [](test::Connection& peer, const std::string& method, const Json&) {
        if (method != "server/discover" && method != "GET") return false;
        peer.answer(method == "GET" ? 405 : 400, "");  // as one of the older protocol
        return true;
      };

 private:
  void serve(test::Connection& peer) {
    for (std::string request; !(request = peer.request()).empty();) {
      const Json message = parse_json(body_of(request)).value_or(Json::object());
      const std::string method = request.starts_with("GET") ? "GET" : string_at(message, "method");
      if (method != "server/discover") {
        const std::lock_guard hold(lock_);
        seen_.push_back(request);
      }
      if (first(peer, method, message)) continue;
      if (method == "initialize")
        peer.answer(200,
                    result(message, {{"protocolVersion", "2025-03-26"},
                                     {"capabilities", {{"tools", tools}}},
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
                       entry.url, [headers](const auto&) { return headers; }, std::move(events));
                 },
             .workspace = "/tmp",
             .version = "1"}) {
    hub.start();
    hub.wait(60s, {});
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
  CHECK(test::left_after([&](const model::ToolPorts& ports) { return web.call(ports); }) < 50ms);
  for (int i = 0; i < 3000 && !has(service.seen(), "notifications/cancelled"); ++i)
    std::this_thread::sleep_for(10ms);
  CHECK(has(service.seen(), "notifications/cancelled"));
}

namespace {

// Answers as one of the stateless protocol, to which a greeting means nothing.
bool modern(test::Connection& peer, const std::string& method, const Json& message) {
  const auto give = [&](const Json& result) {
    peer.answer(200, Service::result(message, result), "content-type: application/json\r\n");
    return true;
  };
  if (method == "server/discover")
    return give({{"resultType", "complete"},
                 {"supportedVersions", {"2026-07-28"}},
                 {"capabilities", {{"tools", {{"listChanged", true}}}}},
                 {"_meta", {{"io.modelcontextprotocol/serverInfo", {{"name", "new"}}}}}});
  if (method == "tools/list")
    return give(
        {{"resultType", "complete"},
         {"tools",
          {{{"name", "ask"},
            {"inputSchema",
             {{"type", "object"},
              {"properties", {{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}}}}}}},
           {{"name", "bad"},
            {"inputSchema",
             {{"type", "object"},
              {"properties", {{"n", {{"type", "number"}, {"x-mcp-header", "N"}}}}}}}}}}});
  if (method != "subscriptions/listen") return false;
  peer.begin_stream();
  peer.chunk(": here\n\n");
  peer.wait_until_closed();
  return true;
}

std::string request_with(const std::vector<std::string>& requests, const std::string& what) {
  for (const std::string& each : requests)
    if (each.find(what) != std::string::npos) return each;
  return {};
}

}  // namespace

TEST_CASE(
    "a server of the stateless protocol is asked without a session, and can be routed by headers") {
  Service service([](test::Connection& peer, const Json& request) {
    Json result = Service::text(string_at(request["params"]["arguments"], "region"));
    result["resultType"] = "complete";
    peer.answer(200, Service::result(request, result), "content-type: application/json\r\n");
  });
  service.first = modern;
  {
    Web web(service.server.url("/mcp"), {{"authorization", "Bearer x"}});
    CHECK(web.hub.rows().at(0).state == "connected: new");
    std::vector<std::string> notices;
    const model::Tools tools = web.hub.tools(notices);
    REQUIRE(tools.size() == 1);  // the other could not be called
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].find("bad") != std::string::npos);
    CHECK(Web::text(tools[0].run(R"({"region":"zürich"})", {})) == "zürich");
    for (int i = 0; i < 3000 && !has(service.seen(), "subscriptions/listen"); ++i)
      std::this_thread::sleep_for(10ms);
  }
  const std::string call = request_with(service.seen(), "mcp-method: tools/call");
  CHECK(call.find("mcp-name: ask\r\n") != std::string::npos);
  CHECK(call.find("mcp-param-region: =?base64?esO8cmljaA==?=\r\n") != std::string::npos);
  CHECK(call.find("mcp-protocol-version: 2026-07-28\r\n") != std::string::npos);
  CHECK(call.find("mcp-session-id") == std::string::npos);
  CHECK(call.find("authorization: Bearer x") != std::string::npos);
  CHECK(has(service.seen(), R"("toolsListChanged":true)"));
  CHECK_FALSE(has(service.seen(), "initialize"));
  CHECK_FALSE(has(service.seen(), "DELETE"));
}

TEST_CASE("a call of the stateless protocol is cancelled by hanging up") {
  Service service([](test::Connection& peer, const Json&) { peer.wait_until_closed(); });
  service.first = modern;
  Web web(service.server.url());
  std::vector<std::string> notices;
  const model::Tools tools = web.hub.tools(notices);
  CHECK(test::left_after([&](const model::ToolPorts& ports) { return tools[0].run("{}", ports); }) <
        50ms);
  CHECK_FALSE(has(service.seen(), "notifications/cancelled"));
}

TEST_CASE("a server of the stateless protocol gets what it asks for, in a second request") {
  Service service([](test::Connection& peer, const Json& request) {
    const Json& given = at(request["params"], "inputResponses");
    Json result{{"resultType", "input_required"},
                {"requestState", "opaque"},
                {"inputRequests",
                 {{"k",
                   {{"method", "elicitation/create"},
                    {"params", {{"message", "m"}, {"requestedSchema", {{"type", "object"}}}}}}}}}};
    if (given.is_object()) {
      result = Service::text(string_at(given["k"], "action") + " " +
                             string_at(request["params"], "requestState"));
      result["resultType"] = "complete";
    }
    peer.answer(200, Service::result(request, result), "content-type: application/json\r\n");
  });
  service.first = modern;
  Web web(service.server.url());
  std::vector<std::string> notices;
  CHECK(Web::text(web.hub.tools(notices).at(0).run("{}", {})) == "decline opaque");
}

TEST_CASE("a stateless server of the older protocol that knows no such question is greeted") {
  Service service([](test::Connection& peer, const Json& request) {
    peer.answer(200, Service::result(request, Service::text("old")),
                "content-type: application/json\r\n");
  });
  service.sessions.clear();
  service.first = [](test::Connection& peer, const std::string& method, const Json& request) {
    if (method != "server/discover") return false;
    peer.answer(200,
                dump({{"jsonrpc", "2.0"},
                      {"id", request["id"]},
                      {"error", {{"code", -32601}, {"message", "Method not found"}}}}),
                "content-type: application/json\r\n");
    return true;
  };
  Web web(service.server.url());
  CHECK(web.hub.find("w")->view().protocol == "2025-03-26");
  CHECK(Web::text(web.call()) == "old");
}

TEST_CASE("what a server of the older protocol says unasked is heard on a stream of its own") {
  std::atomic<bool> grown{false};
  Service service([](test::Connection& peer, const Json&) { peer.answer(500, ""); });
  service.tools = {{"listChanged", true}};
  service.first = [&](test::Connection& peer, const std::string& method, const Json& request) {
    if (method == "server/discover") {
      peer.answer(404, "");
      return true;
    }
    if (method == "GET") {
      grown = true;
      peer.begin_stream();
      peer.chunk("data: " + rpc::notification("notifications/tools/list_changed") + "\n\n");
      peer.wait_until_closed();
      return true;
    }
    if (method != "tools/list" || !grown) return false;
    peer.answer(200, Service::result(request, {{"tools", {{{"name", "ask"}}, {{"name", "more"}}}}}),
                "content-type: application/json\r\n");
    return true;
  };
  Web web(service.server.url());
  std::vector<std::string> notices;
  for (int i = 0; i < 3000 && web.hub.tools(notices).size() != 2; ++i)
    std::this_thread::sleep_for(10ms);
  CHECK(web.hub.tools(notices).size() == 2);
  CHECK(request_with(service.seen(), "GET /").find("mcp-session-id: abc") != std::string::npos);
}

TEST_CASE("an answer that was cut is taken up where it was, if its server numbers its events") {
  Json asked;
  std::mutex lock;
  Service service([&](test::Connection& peer, const Json& request) {
    {
      const std::lock_guard hold(lock);
      asked = request;
    }
    peer.begin_stream();
    peer.chunk("id: 41\ndata: \n\n");
    peer.end_stream();
  });
  service.first = [&](test::Connection& peer, const std::string& method, const Json&) {
    if (method == "server/discover") {
      peer.answer(400, "");
      return true;
    }
    if (method != "GET") return false;
    const std::lock_guard hold(lock);
    peer.begin_stream();
    peer.chunk("data: " + Service::result(asked, Service::text("the rest")) + "\n\n");
    peer.end_stream();
    return true;
  };
  Web web(service.server.url());
  CHECK(Web::text(web.call()) == "the rest");
  CHECK(request_with(service.seen(), "GET /").find("last-event-id: 41") != std::string::npos);
}

TEST_CASE("a channel whose headers never come can still be left") {
  const auto begun = std::chrono::steady_clock::now();
  {
    HttpChannel channel("http://127.0.0.1:9/",
                        [](const std::function<bool()>& stopped) -> http::HttpHeaders {
                          while (!stopped()) std::this_thread::sleep_for(5ms);
                          throw Error("stopped");
                        },
                        {.message = [](const JsonText&) {}, .closed = [](const std::string&) {}});
    channel.send(rpc::request(1, "initialize", Json::object()));
    std::this_thread::sleep_for(50ms);
  }
  CHECK(std::chrono::steady_clock::now() - begun < 20s);
}

TEST_CASE("what is no server says so") {
  const auto state_at = [](int status) {
    test::LoopbackServer server([status](test::Connection& peer) {
      while (!peer.request().empty())
        peer.answer(status, "no", "location: http://127.0.0.1:1/\r\n");
    });
    return Web(server.url("/sse")).hub.rows().at(0).state;
  };
  CHECK(state_at(401).find("it requires a login") != std::string::npos);
  CHECK(state_at(405).find("try /mcp") != std::string::npos);
  CHECK(state_at(500).find("HTTP 500: no") != std::string::npos);
  CHECK(state_at(302).find("redirects") != std::string::npos);
}
