#include "core/mcp/server_entry.h"

#include <doctest/doctest.h>

#include <map>

using namespace skein;
using namespace skein::mcp;

namespace {

std::vector<ServerEntry> servers(const std::string& inside,
                                 ServerEntry::Source source = ServerEntry::Source::workspace) {
  return read_servers(R"({"mcpServers": {)" + inside + "}}", ".mcp.json", source);
}

Variables known(std::map<std::string, std::string> values) {
  return [values](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace

TEST_CASE("a file of servers is read as other agents write it") {
  const auto read = servers(
      R"("fs": {"type": "stdio", "command": "npx", "args": ["-y", "pkg"], "env": {"A": "b"},
                "cwd": "sub", "timeout": 5, "description": "ignored"},
         "far": {"type": "streamable-http", "url": "https://x.example/mcp",
                 "headers": {"Authorization": "Bearer x"}, "disabled": true})");
  REQUIRE(read.size() == 2);
  CHECK(read[0].trouble.empty());
  CHECK(read[0].command == "npx");
  CHECK(read[0].arguments == std::vector<std::string>{"-y", "pkg"});
  CHECK(read[0].environment.at("A") == "b");
  CHECK(read[0].folder == "sub");
  CHECK(read[0].timeout == std::chrono::seconds(5));
  CHECK(read[0].enabled);
  CHECK(read[1].over_http());
  CHECK(read[1].headers.at("Authorization") == "Bearer x");
  CHECK_FALSE(read[1].enabled);
}

TEST_CASE("a bad entry says why, and the others work") {
  const auto read = servers(
      R"("a b": {"command": "x"}, "old": {"type": "sse", "url": "https://x/sse"},
         "none": {}, "both": {"command": "x", "url": "https://x"}, "ftp": {"url": "ftp://x"},
         "five": 5, "good": {"command": "x"})");
  REQUIRE(read.size() == 7);
  CHECK(read[0].trouble.find("letters, digits") != std::string::npos);
  CHECK(read[1].trouble.find("/mcp") != std::string::npos);
  CHECK(read[2].trouble.find("neither") != std::string::npos);
  CHECK(read[3].trouble.find("remove one") != std::string::npos);
  CHECK(read[4].trouble.find("http") != std::string::npos);
  CHECK_FALSE(read[5].trouble.empty());
  CHECK(read[6].trouble.empty());
  CHECK_THROWS_AS(read_servers("[]", "x", ServerEntry::Source::user), Error);
  CHECK_THROWS_AS(read_servers("{", "x", ServerEntry::Source::user), Error);
}

TEST_CASE("no name lets a rule for one server mean another") {
  CHECK(trouble_with_name("git-hub_2").empty());
  for (const char* name : {"", "a__b", "_a", "a_", "a.b", "é"}) {
    CAPTURE(name);
    CHECK_FALSE(trouble_with_name(name).empty());
  }
  CHECK(trouble_with_name(std::string(40, 'a')).empty());
  CHECK_FALSE(trouble_with_name(std::string(41, 'a')).empty());
}

TEST_CASE("variables are filled in everywhere, and a missing one is named") {
  ServerEntry entry{.name = "x",
                    .command = "${BIN}/run",
                    .arguments = {"--at=${HOST:-localhost}", "${EMPTY:-full}", "$BIN ${"},
                    .environment = {{"K", "a${BIN}b${BIN}"}}};
  const ServerEntry filled = expanded(entry, known({{"BIN", "/opt"}, {"EMPTY", ""}}));
  CHECK(filled.trouble.empty());
  CHECK(filled.command == "/opt/run");
  CHECK(filled.arguments == std::vector<std::string>{"--at=localhost", "full", "$BIN ${"});
  CHECK(filled.environment.at("K") == "a/optb/opt");
  entry.environment["K"] = "${TOKEN}";
  CHECK(expanded(entry, known({{"BIN", "/opt"}})).trouble.find("TOKEN") != std::string::npos);
}
