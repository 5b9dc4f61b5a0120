#include "core/store/home/grants.h"

#include <doctest/doctest.h>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using store::home::RulesHere;

using Texts = std::vector<std::string>;

TEST_CASE("rules for a workspace outlive the process, and hold nowhere else") {
  const TempDir dir;
  const std::string file = (dir / "state/rules.json").string();
  RulesHere first(file, "/a");
  CHECK(first.give("bash(make)") == "");
  CHECK(first.give("edit") == "");
  CHECK(first.give("bash(make)") == "");
  CHECK(first.rules() == Texts{"edit", "bash(make)"});
  CHECK(RulesHere(file, "/a").rules() == Texts{"edit", "bash(make)"});
  CHECK(RulesHere(file, "/b").rules().empty());
  CHECK(RulesHere(file, "/a").take_back("edit") == "");
  CHECK(RulesHere(file, "/a").rules() == Texts{"bash(make)"});
}

TEST_CASE("without a file a rule holds until the end, and that is said") {
  RulesHere rules;
  CHECK(rules.give("edit") != "");
  CHECK(rules.rules() == Texts{"edit"});
  CHECK(rules.take_back("edit") == "");
  CHECK(rules.rules().empty());
}

TEST_CASE("a damaged file gives no rules and is told of") {
  const TempDir dir;
  const std::string file = (dir / "rules.json").string();
  write_file(file, "{\"workspaces\":");
  RulesHere rules(file, "/a");
  CHECK(rules.rules().empty());
  CHECK(rules.damage().find("damaged") != std::string::npos);
  CHECK(rules.give("edit") == "");
  CHECK(RulesHere(file, "/a").rules() == Texts{"edit"});
}
