// A home of many sessions, one of them long, made by writing the files: the store would take
// minutes for what a bench only wants to find there.
#pragma once

#include <filesystem>

#include "core/model/entry.h"
#include "core/store/session_store.h"
#include "tests/support/temp_dir.h"

namespace skein::test {

store::NewEntry entry_of_size(std::size_t bytes);  // of its line

struct LargeHome {
  TempDir dir{};
  std::filesystem::path path = dir / "home";
  Id session = random_id();  // the long one

  // `sessions` of them: one with this key and so many entries of so many bytes each, the others
  // with one entry of 700.
  LargeHome(std::size_t sessions, std::size_t entries, std::size_t bytes,
            const std::string& key = "main:bench:one");
  std::filesystem::path transcript() const;
};

}  // namespace skein::test
