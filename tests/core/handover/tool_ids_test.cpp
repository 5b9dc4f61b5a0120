#include "core/handover/normalize.h"

#include <doctest/doctest.h>

#include <set>
#include <vector>

using namespace skein;
using namespace skein::handover;

namespace {

std::vector<std::string> mapped(const IdRule& rule, const std::vector<std::string>& originals) {
  ToolIds ids(rule);
  std::vector<std::string> out;
  for (const std::string& each : originals) out.push_back(ids.next(each));
  return out;
}

constexpr IdRule mistral{.max = 9, .exact = true, .alphanumeric = true};

}  // namespace

TEST_CASE("an id that fits and is free is kept") {
  CHECK(mapped({}, {"toolu_01-A", "call_2"}) == std::vector<std::string>{"toolu_01-A", "call_2"});
  CHECK(mapped(mistral, {"abcDEF012"}) == std::vector<std::string>{"abcDEF012"});
}

TEST_CASE("refused characters become underscores and an item id behind a bar goes") {
  CHECK(mapped({}, {"a.b:c", "call_1|fc_2", "|x"}) ==
        std::vector<std::string>{"a_b_c", "call_1", "_x"});
}

TEST_CASE("ids that truncation or replacement would make equal stay apart") {
  const std::string stem(100, 'x');
  for (const IdRule& rule : {IdRule{}, IdRule{.max = 40}, IdRule{.max = 10}, mistral}) {
    const std::vector<std::string> ids =
        mapped(rule, {stem + "1", stem + "2", "a.b", "a:b", "a_b", "", "", "dup", "dup", "dup"});

    CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size());
    for (const std::string& id : ids) CHECK_MESSAGE(fits(id, rule), id);
  }
}

TEST_CASE("a truncated id keeps its beginning and says by a mark that it was cut") {
  const std::string id = mapped({.max = 40}, {std::string(100, 'x')})[0];
  CHECK(id.size() == 40);
  CHECK(id.starts_with(std::string(30, 'x') + "_"));
}

TEST_CASE("the map is the same on every machine and in every run") {
  CHECK(mapped(mistral, {"call_1", "call_1"}) ==
        std::vector<std::string>{"nZH0Lo6jc", "xZhKzBST8"});
}

TEST_CASE("ids mapped once are mapped to themselves") {
  const std::string stem(100, 'x');
  for (const IdRule& rule : {IdRule{}, IdRule{.max = 40}, mistral}) {
    const auto once = mapped(rule, {stem + "1", stem + "2", "a.b", "a:b", "", "dup", "dup"});
    CHECK(mapped(rule, once) == once);
  }
}

TEST_CASE("a later call never changes the id of an earlier one") {
  const std::vector<std::string> originals{"a.b", "a_b", "dup", "", "dup", "a:b", "", "x|y", "x"};
  const auto all = mapped({}, originals);
  for (std::size_t n = 0; n < originals.size(); ++n) {
    const std::vector<std::string> first(originals.begin(),
                                         originals.begin() + static_cast<std::ptrdiff_t>(n));
    CHECK(mapped({}, first) ==
          std::vector<std::string>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)));
  }
}

TEST_CASE("fifty thousand equal ids become as many different ones") {
  ToolIds ids(mistral);
  std::set<std::string> seen;
  for (int i = 0; i < 50'000; ++i) seen.insert(ids.next("call_0"));
  CHECK(seen.size() == 50'000);
}
