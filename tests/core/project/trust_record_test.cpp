#include "core/project/trust_record.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "core/text/checksum.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using project::Trust, project::TrustRecord;
namespace fs = std::filesystem;

TEST_CASE("trust is in a file as it was, and nobody else can read in whom") {
  const test::TempDir dir;
  const std::string folder = (dir / "trusted").string();
  const std::string one = sha256_hex("one"), two = sha256_hex("two");
  TrustRecord record(folder, "/repo");
  CHECK(record.is_empty());
  record.set("/repo/a b.md", one, Trust::given);
  record.set("/repo/c.md", two, Trust::refused);
  record.set("/repo/new\nline", one, Trust::given);
  record.save();

  TrustRecord again(folder, "/repo");
  CHECK(again.of("/repo/a b.md", one) == Trust::given);
  CHECK(again.of("/repo/a b.md", two) == Trust::unknown);
  CHECK(again.of("/repo/c.md", two) == Trust::refused);
  CHECK(again.of("/repo/d.md", one) == Trust::unknown);
  CHECK(again.knows("/repo/c.md"));
  CHECK(again.paths() == std::vector<std::string>{"/repo/a b.md"});
  CHECK(TrustRecord(folder, "/other").is_empty());
  CHECK(TrustRecord::roots(folder) == std::vector<std::string>{"/repo"});
  for (const auto& file : fs::directory_iterator(folder))
    CHECK((fs::status(file).permissions() & fs::perms::all) ==
          (fs::perms::owner_read | fs::perms::owner_write));

  again.clear();
  again.save();
  CHECK(TrustRecord::roots(folder).empty());
}

TEST_CASE("a damaged record trusts nothing, and without a place nothing can be trusted") {
  const test::TempDir dir;
  const std::string folder = dir.path().string(), hash = sha256_hex("x");
  TrustRecord record(folder, "/repo");
  record.set("/repo/a", hash, Trust::given);
  record.save();
  for (const auto& file : fs::directory_iterator(folder))
    test::write_file(file.path(), "project /else\ntrusted " + hash + " /repo/a\n");
  CHECK(TrustRecord(folder, "/repo").is_empty());
  TrustRecord nowhere("", "/repo");
  nowhere.set("/repo/a", hash, Trust::given);
  CHECK_THROWS(nowhere.save());
}
