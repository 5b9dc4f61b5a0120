#include <doctest/doctest.h>

#include "core/store/home/index/index.h"

using namespace skein;
using namespace skein::store::home;

TEST_CASE("a key and its first suffix both taken do not make the search for a third endless") {
  Index index;
  const auto add = [&](std::uint64_t id, const std::string& key) {
    IndexEntry entry;
    entry.memory.header = {.session = Id{id}, .key = key, .created_at = std::to_string(id)};
    index.sessions[Id{id}] = entry;
  };
  add(1, "main:cli:user");
  add(2, "main:cli:user.2");
  add(3, "main:cli:user");
  add(4, "main:cli:user");

  assign_keys(index);

  CHECK(index.sessions[Id{1}].key == "main:cli:user");
  CHECK(index.sessions[Id{2}].key == "main:cli:user.2");
  CHECK(index.sessions[Id{3}].key == "main:cli:user.3");
  CHECK(index.sessions[Id{4}].key == "main:cli:user.4");
}

TEST_CASE("a session that has its key keeps it when an older one turns up") {
  Index index;
  IndexEntry live, found;
  live.memory.header = {.session = Id{2}, .key = "main:cli:user", .created_at = "2026"};
  live.key = "main:cli:user";
  found.memory.header = {.session = Id{1}, .key = "main:cli:user", .created_at = "2025"};
  index.sessions = {{Id{1}, found}, {Id{2}, live}};

  assign_keys(index);

  CHECK(index.sessions[Id{2}].key == "main:cli:user");
  CHECK(index.sessions[Id{1}].key == "main:cli:user.2");
}
