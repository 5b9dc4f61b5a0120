// The drawing of who may know whom, kept by reading every #include.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

// The rooms, and what each may include of the others (itself is understood).
const std::map<std::string, std::set<std::string>> arrows = {
    {"core", {}},
    {"core/store", {"core"}},
    {"core/tools", {"core"}},
    {"core/exchange", {"core", "core/store"}},
    {"providers", {"core"}},
    {"repl/screen", {"core"}},
    {"repl/input", {"core", "repl/screen"}},
    {"repl/commands", {"core", "core/store", "core/exchange", "repl", "repl/input", "repl/screen"}},
    {"repl", {"core", "core/store", "repl/commands", "repl/input", "repl/screen"}},
    {"app",
     {"core", "core/store", "core/tools", "core/exchange", "providers", "repl", "repl/commands",
      "repl/input", "repl/screen"}},
};

// Inside core the agent stands on top: it alone knows the store, and never a concrete tool.
const std::map<std::string, std::set<std::string>> file_arrows = {
    {"core/agent.h", {"core/store"}},
    {"core/agent.cpp", {"core/store"}},
    {"core/conversation.h", {"core/store"}},
    {"core/conversation.cpp", {"core/store"}},
};

// One heavy library, one place (nlohmann: only through its door).
const std::map<std::string, std::set<std::string>> libraries = {
    {"replxx.hxx", {"repl/input/replxx_editor.cpp"}},
    {"cpr/", {"providers/http.cpp", "providers/http_curl.h", "providers/http_curl.cpp"}},
    {"curl/", {"providers/http.cpp", "providers/http_curl.h", "providers/http_curl.cpp"}},
    {"CLI/", {"app/cli.cpp"}},
    {"spdlog/", {"core/log.cpp"}},
    {"nlohmann/", {"core/json.h", "core/json_members.h"}},
    {"re2/", {"core/tools/regex.cpp"}},
    {"toml", {"app/config_file.cpp"}},
    {"utf8proc.h", {"repl/screen/harmless.cpp", "repl/screen/width.cpp"}},
};

std::string room_of(const std::string& file) { return fs::path(file).parent_path().string(); }

struct Include {
  std::string from, what;
  bool ours;
};

// `#include "core/base.h"` → core/base.h
bool read_include(std::string line, Include& out) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string::npos || line.compare(start, 8, "#include") != 0) return false;
  const std::size_t open = line.find_first_of("<\"", start);
  if (open == std::string::npos) return false;
  out.ours = line[open] == '"';
  const std::size_t close = line.find(out.ours ? '"' : '>', open + 1);
  out.what = line.substr(open + 1, close - open - 1);
  return close != std::string::npos;
}

std::vector<Include> includes() {
  const fs::path root = SKEIN_SOURCE_DIR;
  std::vector<Include> out;
  for (const char* top : {"app", "core", "repl", "providers"})
    for (const auto& file : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = file.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      std::ifstream in(file.path());
      Include include{fs::relative(file.path(), root).string(), "", false};
      for (std::string text; std::getline(in, text);)
        if (read_include(text, include)) out.push_back(include);
    }
  return out;
}

}  // namespace

TEST_CASE("no file includes one its room may not know") {
  const std::vector<Include> all = includes();
  REQUIRE(all.size() > 100);
  for (const Include& each : all) {
    if (!each.ours) continue;
    const std::string from = room_of(each.from), to = room_of(each.what);
    CAPTURE(each.from);
    CAPTURE(each.what);
    REQUIRE(arrows.contains(from));
    const auto extra = file_arrows.find(each.from);
    CHECK((from == to || arrows.at(from).contains(to) ||
           (extra != file_arrows.end() && extra->second.contains(to))));
  }
}

TEST_CASE("a heavy library is known to one file only") {
  for (const Include& each : includes())
    for (const auto& [library, files] : libraries)
      if (!each.ours && each.what.starts_with(library)) {
        CAPTURE(each.from);
        CAPTURE(each.what);
        CHECK(files.contains(each.from));
      }
}

TEST_CASE("every header says what it is before anything else") {
  const fs::path root = SKEIN_SOURCE_DIR;
  for (const char* top : {"app", "core", "repl", "providers"})
    for (const auto& file : fs::recursive_directory_iterator(root / top)) {
      if (file.path().extension() != ".h") continue;
      std::ifstream in(file.path());
      std::string first;
      std::getline(in, first);
      CAPTURE(file.path().string());
      CHECK(first.starts_with("// "));
    }
}
