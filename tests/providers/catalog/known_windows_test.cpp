#include "providers/catalog/known_windows.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::catalog;
using namespace skein::test;

namespace {

constexpr std::int64_t now = 1'800'000'000'000, hour = 3'600'000;

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a window that was told is known to the next process, for a day") {
  TempDir dir;
  const std::string file = (dir.path() / "state/skein/windows.json").string();
  KnownWindows(file).keep("llamacpp/x http://127.0.0.1:8080", {3072, 1.375}, now);
  KnownWindows(file).keep("openai/y", {8192, 1}, now + hour);

  const KnownWindows later(file);
  CHECK(later.find("llamacpp/x http://127.0.0.1:8080", now + hour) == KnownWindow{3072, 1.375});
  CHECK(later.find("openai/y", now + hour) == KnownWindow{8192, 1});
  CHECK(later.find("llamacpp/x", now + hour) == std::nullopt);
  CHECK(later.find("openai/y", now + 24 * hour) == KnownWindow{8192, 1});
  CHECK(later.find("openai/y", now + 25 * hour) == std::nullopt);
  CHECK(later.find("openai/y", now) == std::nullopt);  // a clock that was set back
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& each :
       std::filesystem::directory_iterator(dir.path() / "state/skein"))
    ++files;
  CHECK(files == 1);
}

TEST_CASE("a damaged file of windows is no trouble") {
  TempDir dir;
  const std::filesystem::path file = dir.path() / "windows.json";
  const KnownWindows windows(file.string());
  for (const char* text :
       {"", "{", "[]", "null", R"({"m":3})", R"({"m":{"window":"x","at":1}})",
        R"({"m":{"window":-5,"at":1799999999999}})", R"({"m":{"window":4096}})"}) {
    CAPTURE(text);
    write(file, text);
    CHECK(windows.find("m", now) == std::nullopt);
    windows.keep("n", {4096, 1}, now);
    CHECK(windows.find("n", now) == KnownWindow{4096, 1});
  }
  write(file, R"({"m":{"window":4096,"at":1800000000000,"tokensPerGuess":"much"}})");
  CHECK(windows.find("m", now) == KnownWindow{4096, 0});
}

TEST_CASE("where nothing may be kept nothing is") {
  KnownWindows("").keep("m", {4096, 1}, now);
  CHECK(KnownWindows("").find("m", now) == std::nullopt);
  const KnownWindows nowhere("/proc/no/such/place/windows.json");
  nowhere.keep("m", {4096, 1}, now);
  CHECK(nowhere.find("m", now) == std::nullopt);
}
