#include "tests/support/import_growth.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/support/collected_import.h"

namespace skein::test {

void check_growth(std::string_view format, const std::string& bytes,
                  const std::vector<std::string>& unfinished) {
  const std::string path = "folder/session.jsonl";
  const CollectedImport whole = collect_bytes(path, bytes, format);
  CHECK(whole.faults.empty());
  const std::set<std::string> all = ids_of(whole);
  CHECK(!all.empty());
  CHECK(ids_of(collect_bytes(path, bytes, format)) == all);
  for (std::size_t end = bytes.find('\n'); end != std::string::npos;
       end = bytes.find('\n', end + 1)) {
    const CollectedImport part = collect_bytes(path, bytes.substr(0, end + 1), format);
    CHECK(part.faults.empty());
    for (const std::string& id : ids_of(part)) {
      CAPTURE(id);
      CAPTURE(end);
      const bool dropped = std::ranges::any_of(
          unfinished, [&](const std::string& each) { return id.ends_with(" " + each); });
      CHECK(all.contains(id) == !dropped);
    }
  }
}

}  // namespace skein::test
