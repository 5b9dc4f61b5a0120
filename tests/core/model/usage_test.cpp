#include <doctest/doctest.h>

#include "core/model/message.h"
#include "core/store/home/index/index_text.h"

using namespace skein;
using namespace skein::model;

TEST_CASE("a sum of calls knows the longest input among them, and no more than that") {
  Usage sum;
  CHECK(longest_input(sum) == 0);
  sum += {.input = 10, .output = 500, .cache_read = 20, .cache_write = 5};
  CHECK(sum.longest == 35);
  sum += {.input = 30};
  CHECK(sum.longest == 35);
  sum += {.input = 40, .cache_read = 1};
  CHECK(sum.longest == 41);
  CHECK(whole_input(sum) == 106);
  // A sum of sums; and one that was kept without it may have been a single call.
  Usage all{.input = 50};
  all += sum;
  CHECK(all.longest == 50);
  Usage old{.input = 1'000};
  sum += old;
  CHECK(sum.longest == 1'000);
  CHECK(Usage{.input = 1, .longest = 1} == Usage{.input = 1});  // the same tokens
}

TEST_CASE("the index keeps the longest call of a session") {
  const Id id{7};
  store::home::Index index;
  store::home::IndexEntry& entry = index.sessions[id];
  entry.key = "main:a:1";
  entry.memory.header.session = id;
  Usage sum;
  sum += {.input = 60};
  sum += {.input = 40, .output = 3};
  entry.memory.state.usage["p/m"] = sum;
  const auto read = store::home::parse_index(store::home::print_index(index));
  REQUIRE(read);
  REQUIRE(read->sessions.contains(id));
  const Usage kept = read->sessions.at(id).memory.state.usage.at("p/m");
  CHECK(kept == sum);
  CHECK(kept.longest == 60);
}
