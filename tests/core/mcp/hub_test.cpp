// Against the scripted server, which is a process of its own.
#include "core/mcp/hub.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include "core/mcp/stdio_channel.h"
#include "core/process/running_program.h"
#include "core/text/json.h"
#include "tests/support/hanging_call.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::mcp;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

ServerEntry scripted(std::vector<std::string> words = {}, const std::string& name = "s") {
  ServerEntry entry{.name = name, .command = "python3"};
  entry.arguments = {SKEIN_SOURCE_DIR "/tests/support/mcp_server.py"};
  entry.arguments.insert(entry.arguments.end(), words.begin(), words.end());
  return entry;
}

// A hub whose servers are there, or have failed.
class Servers {
 public:
  explicit Servers(std::vector<ServerEntry> entries, std::chrono::milliseconds patience = 60s)
      : hub(entries, {.open = opener(), .workspace = folder.path().string(), .version = "1"}) {
    hub.start();
    missing = hub.wait(patience, {});
  }

  std::function<std::unique_ptr<Channel>(const ServerEntry&, Channel::Events)> opener() {
    const ServerSurroundings around{
        .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "OPENAI_API_KEY=sk-secret",
                        "MY_TOKEN=t", "LANG=C.UTF-8"},
        .workspace = folder.path().string(),
        .home = "/"};
    return [around](const ServerEntry& entry, Channel::Events events) {
      return open_stdio_channel(entry, around, std::move(events));
    };
  }

  model::ToolOutcome call(const std::string& tool, const JsonText& input = "{}",
                          const model::ToolPorts& ports = {}) {
    std::vector<std::string> notices;
    const model::Tools tools = hub.tools(notices);
    const model::Tool* found = model::find_tool(tools, "mcp__s__" + tool);
    REQUIRE(found != nullptr);
    return found->run(input, ports);
  }

  std::string text(const model::ToolOutcome& outcome) {
    return std::get<model::Text>(outcome.content.at(0)).text;
  }

  bool eventually(const std::function<bool()>& holds) {
    for (const auto end = Clock::now() + 60s; Clock::now() < end; std::this_thread::sleep_for(10ms))
      if (holds()) return true;
    return false;
  }

  test::TempDir folder{};
  Hub hub;
  std::vector<std::string> missing{};
};

}  // namespace

TEST_CASE("a server's tools are listed page by page and can be called") {
  Servers servers({scripted({"pages=5", "garbage"})});
  std::vector<std::string> notices;
  CHECK(servers.hub.tools(notices).size() == 17);
  CHECK(servers.hub.rows().at(0).state == "connected: scripted 1.0");
  const std::map<std::string, std::string> identities = servers.hub.identities();
  CHECK(identities.at("s").starts_with("1.0 "));
  CHECK(identities.at("s").size() == 4 + 64);
  CHECK(servers.hub.instructions().at(0).second == "Echo before you ask.");
  CHECK(servers.text(servers.call("echo", R"({"text":"grüße"})")) == "grüße");
  CHECK(servers.text(servers.call("echo")) == "not called: `text` is missing");
  CHECK(servers.text(servers.call("structured")) == R"({"answer":42})");
  CHECK(servers.call("fail").is_error);
  const model::ToolOutcome refused = servers.call("refuse");
  CHECK(refused.is_error);
  CHECK(servers.text(refused) == "the server s refused: no such thing (code -32602)");
  CHECK(servers.text(servers.call("roots")).find("file://" + servers.folder.path().string()) !=
        std::string::npos);
  for (const model::Tool& tool : servers.hub.tools(notices))
    CHECK(tool.name.find_first_not_of(
              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
          std::string::npos);
}

TEST_CASE("a server gets a clean environment and its own folder") {
  ServerEntry entry = scripted();
  entry.environment = {{"MINE", "1"}, {"LANG", "de_DE"}};
  Servers servers({entry});
  const auto told = parse_json(servers.text(servers.call("environment")));
  REQUIRE(told);
  CHECK_FALSE(told->contains("OPENAI_API_KEY"));
  CHECK_FALSE(told->contains("MY_TOKEN"));
  CHECK(string_at(*told, "MINE") == "1");
  CHECK(string_at(*told, "LANG") == "de_DE");
  CHECK(string_at(*told, "SKEIN_PROJECT_DIR") == servers.folder.path().string());
  CHECK(string_at(*told, "cwd") == "/");
}

TEST_CASE("a workspace's server runs in the workspace") {
  ServerEntry entry = scripted();
  entry.source = ServerEntry::Source::workspace;
  Servers servers({entry});
  const auto told = parse_json(servers.text(servers.call("environment")));
  CHECK(string_at(*told, "cwd") == servers.folder.path().string());
}

TEST_CASE("a call that never ends is left within 50 ms, and the server is told") {
  test::TempDir folder;
  Servers servers({scripted({"log=" + folder.path().string() + "/log"})});
  CHECK(test::left_after([&](const model::ToolPorts& ports) {
          return servers.call("hang", "{}", ports);
        }) < 50ms);
  CHECK(servers.eventually([&] {
    return test::read_file(folder / "log").find("notifications/cancelled") != std::string::npos;
  }));
  CHECK(servers.text(servers.call("echo", R"({"text":"still here"})")) == "still here");
}

TEST_CASE("a call out of time is cancelled, unless it shows progress") {
  ServerEntry entry = scripted();
  entry.timeout = 2s;
  Servers servers({entry});
  CHECK(servers.text(servers.call("hang")).find("did not answer within") != std::string::npos);
  std::string shown;
  model::ToolPorts ports;
  ports.output = [&](std::string_view text) { shown += text; };
  CHECK(servers.text(servers.call("count", R"({"count":6,"pause":0.5})", ports)) == "counted");
  CHECK(shown.find("1 of 6: counting\n") != std::string::npos);
}

TEST_CASE("a call that shows progress for ever is cancelled too") {
  ServerEntry entry = scripted();
  entry.timeout = 400ms;
  Servers servers({entry});
  CHECK(servers.text(servers.call("count", R"({"count":6000,"pause":0.01})"))
            .find("did not answer within") != std::string::npos);
}

TEST_CASE("a server that dies in a call says why, and is started again by the next") {
  Servers servers({scripted()});
  const std::string why = servers.text(servers.call("die"));
  CHECK(why.find("it ended with status 3") != std::string::npos);
  CHECK(why.find("the disk is on fire") != std::string::npos);
  CHECK(servers.text(servers.call("echo", R"({"text":"back"})")) == "back");
  servers.call("die");
  servers.call("die");
  const std::string last = servers.text(servers.call("die"));
  CHECK(servers.text(servers.call("echo", R"({"text":"x"})")).find("started too often") !=
        std::string::npos);
}

TEST_CASE("a list that changes during a call is there for the next turn") {
  Servers servers({scripted()});
  std::vector<std::string> notices;
  const std::int64_t before = servers.hub.changes();
  CHECK(servers.text(servers.call("grow")) == "grown");
  CHECK(servers.eventually([&] { return servers.hub.changes() != before; }));
  CHECK(servers.hub.tools(notices).size() == 18);
}

TEST_CASE("a changed description, schema or annotation is another definition") {
  Servers servers({scripted({"changes"})});
  std::vector<std::string> notices;
  servers.hub.tools(notices);
  const std::string before = servers.hub.definition("mcp__s__echo");
  CHECK(before.size() == 3 * 16 + 2);
  CHECK(servers.hub.definition("mcp__s__nothing").empty());
  const std::int64_t changes = servers.hub.changes();
  servers.call("change");
  REQUIRE(servers.eventually([&] { return servers.hub.changes() > changes; }));
  servers.hub.tools(notices);
  const std::string after = servers.hub.definition("mcp__s__echo");
  CHECK(after.substr(0, 16) != before.substr(0, 16));
  CHECK(after.substr(17, 16) == before.substr(17, 16));
  CHECK(after.substr(34) != before.substr(34));
}

TEST_CASE("tools that must run as a task are not offered, and the list of servers says so") {
  Servers servers({scripted({"tasks=2"})});
  std::vector<std::string> notices;
  const model::Tools tools = servers.hub.tools(notices);
  CHECK(tools.size() == 17);
  CHECK(model::find_tool(tools, "mcp__s__research0") == nullptr);
  CHECK(notices.empty());
  const Hub::Row row = servers.hub.rows().at(0);
  CHECK(row.tools == 17);
  CHECK(
      row.state ==
      "connected: scripted 1.0; 2 tools are not offered: they must run as tasks, which skein does "
      "not support");
}

TEST_CASE("a server's resources are listed and read in its name") {
  Servers servers({scripted({"resources"})});
  CHECK(servers.text(servers.call("list_resources")) == "test://1  one\ntest://2  two\n");
  CHECK(servers.text(servers.call("read_resource", R"({"uri":"test://2"})")) ==
        "test://2:\nthe text of test://2");
  CHECK(servers.call("read_resource").is_error);
}

TEST_CASE("a server of the stateless protocol is spoken to without a greeting") {
  test::TempDir folder;
  const std::string log = folder.path().string() + "/log";
  ServerEntry entry = scripted({"modern", "resources", "prompts", "log=" + log});
  entry.protocol = ProtocolVersion::stateless;
  Servers servers({entry});
  CHECK(servers.hub.rows().at(0).state == "connected: scripted 2.0");
  CHECK(servers.hub.find("s")->view().protocol == "2026-07-28");
  CHECK(servers.text(servers.call("echo", R"({"text":"now"})")) == "now");
  CHECK(servers.text(servers.call("read_resource", R"({"uri":"test://2"})")) ==
        "test://2:\nthe text of test://2");
  const std::string said = test::read_file(folder / "log");
  CHECK(said.starts_with("server/discover\n"));
  CHECK(said.find("subscriptions/listen\n") != std::string::npos);
  CHECK(said.find("initialize") == std::string::npos);
}

TEST_CASE("a process is greeted in the old way unless its entry says otherwise") {
  test::TempDir folder;
  Servers servers({scripted({"log=" + folder.path().string() + "/log"})});
  CHECK(test::read_file(folder / "log").starts_with("initialize\n"));
  ServerEntry modern = scripted();
  modern.protocol = ProtocolVersion::stateless;
  Servers old_one({modern}, 2s);
  CHECK(old_one.missing == std::vector<std::string>{"s"});  // it is not asked in the old way
}

namespace {

// A person who agrees and then types these lines.
model::ToolPorts person(std::vector<std::string> lines, std::string& seen) {
  model::ToolPorts ports;
  ports.ask = [&seen](const model::Question& question) {
    seen += question.text + "\n" + question.detail + "\n";
    return model::Answer{model::Answer::Choice::yes};
  };
  ports.ask_line = [lines, next = std::make_shared<std::size_t>(0),
                    &seen](const model::LineQuestion& question) -> std::optional<std::string> {
    seen += question.text + "\n";
    return *next < lines.size() ? std::optional(lines[(*next)++]) : std::nullopt;
  };
  ports.output = [&seen](std::string_view text) { seen += text; };
  return ports;
}

}  // namespace

TEST_CASE("a server's question reaches the user while the call waits, in both protocol versions") {
  for (const bool modern : {false, true}) {
    CAPTURE(modern);
    ServerEntry entry = scripted({"asks", modern ? "modern" : "legacy"});
    entry.protocol = modern ? ProtocolVersion::stateless : ProtocolVersion::unknown;
    Servers servers({entry});
    std::string seen;
    const std::string said =
        servers.text(servers.call("ask", "{}", person({"blue", "2", ""}, seen)));
    const Json told = parse_json(said).value_or(Json());
    CHECK(string_at(told, "action") == "accept");
    CHECK(string_at(told["content"], "colour") == "green");
    CHECK_FALSE(told["content"].contains("count"));
    CHECK(seen.find("The MCP server s asks a question") == 0);
    CHECK(seen.find("enter one of the choices") != std::string::npos);

    // Nobody is there: it is declined, and the call goes on.
    CHECK(string_at(parse_json(servers.text(servers.call("ask"))).value_or(Json()), "action") ==
          "decline");
    seen.clear();
    const std::string secret =
        servers.text(servers.call("ask_secret", "{}", person({"sk-1"}, seen)));
    CHECK(string_at(parse_json(secret).value_or(Json()), "action") == "decline");
    CHECK(seen.find("asked for `apiKey`") != std::string::npos);
  }
}

TEST_CASE("a call may want something twice, but not for ever") {
  ServerEntry entry = scripted({"asks", "modern"});
  entry.protocol = ProtocolVersion::stateless;
  Servers servers({entry});
  std::string seen;
  const Json twice = parse_json(servers.text(servers.call("ask_twice", "{}",
                                                          person({"red", "1", "red", "2"}, seen))))
                         .value_or(Json());
  CHECK(string_at(twice, "state") == "ss");
  CHECK(int_at(twice["content"], "count") == 2);
  const model::ToolOutcome endless = servers.call("ask_for_ever");
  CHECK(endless.is_error);
  CHECK(servers.text(endless).find("too many questions") != std::string::npos);
}

TEST_CASE("a user who leaves a question with ^C leaves the call") {
  Servers servers({scripted({"asks"})});
  std::string seen;
  bool stopped = false;
  model::ToolPorts ports = person({}, seen);
  ports.stopped = [&] { return stopped; };
  ports.ask = [&](const model::Question&) {
    stopped = true;
    return model::Answer{};
  };
  const Clock::time_point begun = Clock::now();
  CHECK(servers.call("ask", "{}", ports).is_error);
  CHECK(Clock::now() - begun < 20s);  // not the minute that a call may take
}

TEST_CASE("a server's prompts are commands, with arguments by position") {
  Servers servers({scripted({"prompts"})});
  const model::Ports nobody;
  Client* server = servers.hub.server_of_prompt("mcp__s__greet", nobody);
  REQUIRE(server != nullptr);
  CHECK(servers.hub.server_of_prompt("mcp__t__greet", nobody) == nullptr);
  const std::vector<PromptCommand> commands = servers.hub.prompts();
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].name == "mcp__s__greet");
  CHECK(commands[0].hint == "<who> [how]");
  CHECK(commands[1].name == "mcp__s__plain_one");

  model::ToolPorts ports;
  ports.keep_blob = [](std::string_view) { return std::string("b"); };
  const model::ToolOutcome made =
      read_prompt(*server, commands[0], {"Ann", "very", "kindly"}, ports);
  const std::string text = servers.text(made);
  CHECK(text.find(R"(greet {"how": "very kindly", "who": "Ann"})") == 0);
  CHECK(text.find("[the assistant answers:]\nas you like") != std::string::npos);
  CHECK(made.content.size() == 2);
  CHECK(std::holds_alternative<model::Image>(made.content[1]));
  CHECK_THROWS_WITH_AS(read_prompt(*server, commands[0], {}, ports),
                       "/mcp__s__greet needs <who>; it takes <who> [how]", Error);
  CHECK_THROWS_AS(read_prompt(*server, commands[1], {"x"}, ports), Error);
  ports.ask_line = [](const model::LineQuestion&) { return std::optional<std::string>("Bob"); };
  CHECK(servers.text(read_prompt(*server, commands[0], {}, ports)).find(R"({"who": "Bob"})") !=
        std::string::npos);
}

TEST_CASE("resources are there to be completed") {
  Servers servers({scripted({"resources"})});
  CHECK(servers.eventually([&] {
    return servers.hub.resources() == std::vector<std::string>{"s:test://1", "s:test://2"};
  }));
}

TEST_CASE("tools whose schemas fill the window have to be looked for, and then stay so") {
  test::TempDir folder;
  Servers servers({scripted({"many=200"})});
  std::vector<std::string> notices;
  std::int64_t room = 1'000'000;
  ServerEntry entry = scripted({"many=200"});
  entry.exposures = {{"echo", "direct"}, {"more1*", "hidden"}};
  Hub hub({entry},
          {.open = servers.opener(), .workspace = "/", .version = "1", .direct_bytes = [&] {
             return room;
           }});
  hub.start();
  hub.wait(60s, {});
  const auto given = [&] {
    std::vector<std::string> names;
    for (const model::Tool& tool : hub.tools(notices))
      if (!tool.deferred) names.push_back(tool.name);
    return names;
  };
  CHECK(given().size() > 100);
  room = 500;
  CHECK(given() == std::vector<std::string>{"mcp__s__echo", "tool_search", "tool_call"});
  room = 1'000'000;
  CHECK(given().size() == 3);
  const model::Tools tools = hub.tools(notices);
  CHECK(model::find_tool(tools, "mcp__s__more1") == nullptr);
  const model::ToolOutcome found =
      model::find_tool(tools, "tool_search")->run(R"({"query":"select:mcp__s__hang"})", {});
  CHECK(servers.text(found).find("mcp__s__hang\n") == 0);
}

TEST_CASE("20 MB arrive whole") {
  Servers servers({scripted()});
  model::ToolPorts ports;
  std::size_t kept = 0;
  ports.keep_blob = [&](std::string_view bytes) {
    kept = bytes.size();
    return std::string("b");
  };
  const model::ToolOutcome outcome = servers.call("big", R"({"count":20000000})", ports);
  CHECK(kept == 20'000'000);
  CHECK(outcome.blob == "b");
}

TEST_CASE("what does not start, does not answer or speaks another version fails, alone") {
  Servers servers({scripted({}, "good"), scripted({"version=1999-01-01"}, "old"),
                   scripted({"mute"}, "mute"), ServerEntry{.name = "gone", .command = "no-such-x"},
                   ServerEntry{.name = "ends", .command = "false"},
                   ServerEntry{.name = "talks", .command = "yes"}},
                  0s);
  CHECK(servers.eventually([&] {  // one of them stays so
    return std::ranges::count(servers.hub.rows(), "starting", &Hub::Row::state) == 1;
  }));
  CHECK(servers.hub.wait(1s, {}) == std::vector<std::string>{"mute"});
  const std::vector<Hub::Row> rows = servers.hub.rows();
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].state.find("failed: it ended with status 1") == 0);
  CHECK(rows[1].state == "failed: there is no program no-such-x");
  CHECK(rows[2].good);
  CHECK(rows[3].state == "starting");
  CHECK(rows[4].state.find("1999-01-01") != std::string::npos);
  CHECK(rows[5].state == "failed: its output is not in the form of MCP messages");
}

TEST_CASE("a server and all it started are gone when its hub is, even if it does not want to") {
  // How long it takes to leave: the best of three, since the machine may be busy.
  auto best = Clock::duration::max();
  for (int tries = 0; tries < 3 && best >= 1s; ++tries) {
    test::TempDir folder;
    const std::string pids = folder.path().string() + "/pids";
    ServerEntry entry{.name = "s", .command = "sh"};
    entry.arguments = {"-c", "sleep 1000 & echo $! $$ > " + pids +
                                 "; exec "
                                 "python3 " SKEIN_SOURCE_DIR
                                 "/tests/support/mcp_server.py stubborn"};
    pid_t child = 0, server = 0;
    Clock::time_point left;
    {
      Servers servers({entry});
      std::ifstream(pids) >> child >> server;
      REQUIRE(child > 0);
      CHECK(kill(child, 0) == 0);
      left = Clock::now();
    }
    best = std::min(best, Clock::now() - left);
    bool gone = false;
    while (!gone && Clock::now() - left < 60s) {
      std::this_thread::sleep_for(20ms);
      gone = kill(child, 0) != 0 && kill(server, 0) != 0;
    }
    CHECK(gone);
  }
  CHECK(best < 1s);
}

TEST_CASE("a command that runs meanwhile does not end a server") {
  Servers servers({scripted()});
  process::run_program({.arguments = {"/bin/sh", "-c", "true"}, .environment = {}},
                       {.time = 60s, .grace = 1s});
  CHECK(servers.text(servers.call("echo", R"({"text":"alive"})")) == "alive");
}
