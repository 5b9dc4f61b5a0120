#include "core/mcp/server.h"

#include <doctest/doctest.h>

#include <future>

#include "core/text/json.h"
#include "core/text/wait.h"

using namespace skein;
using namespace skein::mcp;

namespace {

Server server() {
  ServerOffer offer{.version = "9", .instructions = "look"};
  offer.tools = {{.name = "echo",
                  .description = "d",
                  .schema = R"({"type":"object"})",
                  .run = [](const JsonText& arguments, const CallStop&) -> std::string {
                    if (arguments == "{}") throw Error("nothing to say");
                    return arguments;
                  }}};
  offer.templates = {{"x://{a}", "a", ""}};
  offer.resources = [](std::string& cursor) {
    const bool first = cursor.empty();
    cursor = first ? "1" : "";
    return std::vector<ServedResource>{{first ? "x://0" : "x://1", "n", "d"}};
  };
  offer.read = [](const std::string& uri) -> std::optional<std::string> {
    if (uri != "x://0") return std::nullopt;
    return "text";
  };
  return Server(std::move(offer));
}

Json ask(const std::string& method, const Json& params = Json::object()) {
  Server here = server();
  const auto text =
      here.answer(dump({{"jsonrpc", "2.0"}, {"id", "a"}, {"method", method}, {"params", params}}));
  REQUIRE(text);
  const Json answer = parse_json(*text).value_or(Json());
  CHECK(string_at(answer, "id") == "a");
  return answer;
}

Json modern(const std::string& version) {
  return {{"_meta",
           {{"io.modelcontextprotocol/protocolVersion", version},
            {"io.modelcontextprotocol/clientCapabilities", Json::object()}}}};
}

}  // namespace

TEST_CASE("a client is greeted in its own version, or in ours") {
  const Json same = ask("initialize", {{"protocolVersion", "2024-11-05"}})["result"];
  CHECK(string_at(same, "protocolVersion") == "2024-11-05");
  CHECK(string_at(same["serverInfo"], "version") == "9");
  CHECK(string_at(ask("initialize", {{"protocolVersion", "2099-01-01"}})["result"],
                  "protocolVersion") == "2025-11-25");
}

TEST_CASE("without a greeting every request says its version") {
  const Json found = ask("server/discover", modern("2026-07-28"))["result"];
  CHECK(string_at(found, "resultType") == "complete");
  CHECK(found["supportedVersions"] == Json::array({"2026-07-28"}));
  CHECK(string_at(at(at(found, "_meta"), "io.modelcontextprotocol/serverInfo"), "version") == "9");
  CHECK(string_at(ask("tools/list", modern("2026-07-28"))["result"], "resultType") == "complete");
  CHECK(string_at(ask("tools/list", modern("2026-07-28"))["result"], "cacheScope") == "private");
  const Json refused = ask("tools/list", modern("2027-01-01"))["error"];
  CHECK(int_at(refused, "code") == -32022);
  CHECK(string_at(refused["data"], "requested") == "2027-01-01");
  CHECK_FALSE(ask("tools/list")["result"].contains("resultType"));
}

TEST_CASE("a tool answers, fails, or is none") {
  CHECK(string_at(ask("tools/list")["result"]["tools"][0], "name") == "echo");
  const Json said = ask("tools/call", {{"name", "echo"}, {"arguments", {{"x", 1}}}})["result"];
  CHECK(string_at(said["content"][0], "text") == R"({"x":1})");
  CHECK_FALSE(bool_at(said, "isError"));
  const Json failed = ask("tools/call", {{"name", "echo"}})["result"];
  CHECK(bool_at(failed, "isError"));
  CHECK(string_at(failed["content"][0], "text") == "nothing to say");
  CHECK(int_at(ask("tools/call", {{"name", "other"}})["error"], "code") == -32602);
  CHECK(int_at(ask("prompts/list")["error"], "code") == -32601);
}

TEST_CASE("a slow tool answers later, and other requests are answered at once") {
  std::promise<void> released;
  ServerOffer offer{.version = "9", .instructions = "look"};
  offer.tools = {{.name = "slow",
                  .description = "d",
                  .schema = "{}",
                  .run =
                      [&](const JsonText& arguments, const CallStop&) {
                        released.get_future().wait();
                        return arguments;
                      },
                  .series = [](const JsonText&) { return std::string(); }}};
  Server here(std::move(offer));
  CHECK_FALSE(here.answer(dump({{"jsonrpc", "2.0"},
                                {"id", 7},
                                {"method", "tools/call"},
                                {"params", {{"name", "slow"}, {"arguments", {{"x", 1}}}}}})));
  CHECK(here.answer(R"({"jsonrpc":"2.0","id":8,"method":"ping"})"));
  CHECK(here.slow_calls().responses().empty());
  released.set_value();
  wait(here.slow_calls().fd(), no_deadline);
  const std::vector<JsonText> late = here.slow_calls().responses();
  REQUIRE(late.size() == 1);
  const Json answer = parse_json(late[0]).value_or(Json());
  CHECK(int_at(answer, "id") == 7);
  CHECK(string_at(answer["result"]["content"][0], "text") == R"({"x":1})");
}

TEST_CASE("resources come in pages, and one that is not there says so") {
  const Json first = ask("resources/list")["result"];
  CHECK(string_at(first["resources"][0], "uri") == "x://0");
  CHECK(string_at(first, "nextCursor") == "1");
  CHECK_FALSE(ask("resources/list", {{"cursor", "1"}})["result"].contains("nextCursor"));
  CHECK(string_at(ask("resources/templates/list")["result"]["resourceTemplates"][0],
                  "uriTemplate") == "x://{a}");
  CHECK(string_at(ask("resources/read", {{"uri", "x://0"}})["result"]["contents"][0], "text") ==
        "text");
  CHECK(int_at(ask("resources/read", {{"uri", "x://9"}})["error"], "code") == -32002);
}

TEST_CASE("what is no request is refused or passed over, never fatal") {
  Server here = server();
  CHECK_FALSE(here.answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
  CHECK_FALSE(here.answer(""));
  CHECK(here.answer("nonsense")->find("-32700") != std::string::npos);
  CHECK(here.answer("[]")->find("-32600") != std::string::npos);
  CHECK_FALSE(here.answer(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})"));
}
