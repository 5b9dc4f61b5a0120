// The drawing of who may know whom, kept by reading every #include.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

// The rooms of each house from the ground up, and what each may include of the others.
using Arrows = std::map<std::string, std::set<std::string>>;

// A room and what it stands on, whole: what a room may include of another house is listed apart.
const Arrows arrows = {
    {"core/text", {}},
    {"core/model", {"core/text"}},

    {"core/legacy", {"core/text", "core/model"}},
    {"core/web", {"core/text"}},
    {"core/shell", {"core/text"}},
    {"core/permission", {"core/text", "core/model", "core/web", "core/shell"}},
    {"core/context", {"core/text", "core/model"}},
    {"core/handover", {"core/text", "core/model"}},
    {"core/project", {"core/text", "core/model", "core/shell", "core/permission"}},
    {"core/tools/workspace", {"core/text", "core/model"}},
    {"core/tools/sandbox", {"core/text", "core/model", "core/tools/workspace"}},
    {"core/plan", {"core/text", "core/model"}},
    {"core/jobs", {"core/text", "core/tools/sandbox"}},
    {"core/tools",
     {"core/text", "core/model", "core/plan", "core/jobs", "core/web", "core/tools/workspace",
      "core/tools/sandbox"}},
    {"core/instructions", {"core/text", "core/project", "core/tools/workspace"}},
    {"core/memory", {"core/text"}},
    {"core/mcp", {"core/text", "core/model", "core/tools/sandbox"}},
    {"core/hooks", {"core/text", "core/model", "core/permission"}},
    {"core/store", {"core/text", "core/model"}},
    {"core/store/files", {"core/text", "core/store"}},
    {"core/store/log", {"core/text", "core/model", "core/store", "core/store/files"}},
    {"core/store/home",
     {"core/text", "core/model", "core/legacy", "core/store", "core/store/files",
      "core/store/log"}},
    {"core/store/home/maintenance",
     {"core/text", "core/model", "core/store", "core/store/files", "core/store/log",
      "core/store/home"}},

    {"core/store/postgres",
     {"core/text", "core/model", "core/store", "core/store/files", "core/store/log",
      "core/store/home", "core/store/home/maintenance"}},

    {"core/store/transfer",
     {"core/text", "core/model", "core/store", "core/store/files", "core/store/log"}},

    {"core/exchange/importers", {"core/text", "core/model", "core/legacy"}},
    {"core/search", {"core/text", "core/model", "core/store"}},
    {"core/exchange/exporters", {"core/text", "core/model", "core/store"}},
    {"core/exchange",
     {"core/text", "core/model", "core/store", "core/exchange/importers",
      "core/exchange/exporters"}},
    {"core/insights", {"core/text", "core/model", "core/store"}},
    {"core/checkpoints",
     {"core/text", "core/model", "core/store", "core/tools", "core/tools/workspace",
      "core/tools/sandbox"}},
    {"core/agent",
     {"core/text", "core/model", "core/permission", "core/plan", "core/context", "core/handover",
      "core/hooks", "core/store"}},
    {"core/subagents",
     {"core/text", "core/model", "core/permission", "core/project", "core/hooks", "core/tools",
      "core/store", "core/agent"}},

    {"providers/http", {"core/text", "core/model", "core/web"}},
    {"providers/wire", {"core/text", "core/model", "providers/http"}},
    {"providers/grammar", {"core/text", "core/handover", "providers/catalog"}},
    {"providers/catalog",
     {"core/text", "core/model", "core/handover", "providers/wire", "providers/offline"}},
    {"providers/offline", {"core/text", "core/model", "providers/wire"}},
    {"providers/discovery", {"core/text", "providers/catalog"}},
    {"providers/mcp", {"core/text", "core/mcp", "providers/http", "providers/wire"}},
    {"providers",
     {"core/text", "core/model", "core/handover", "providers/http", "providers/wire",
      "providers/grammar", "providers/catalog", "providers/discovery"}},

    {"repl/layout", {"core/text"}},
    {"repl/screen/markdown", {"core/text", "repl/layout"}},
    {"repl/screen",
     {"core/text", "core/model", "core/plan", "repl/layout", "repl/screen/markdown"}},
    {"repl/terminal", {"core/text", "repl/layout"}},
    {"repl/edit", {"core/text", "core/model", "repl/layout", "repl/terminal"}},
    {"repl/pick",
     {"core/text", "core/model", "core/store", "core/search", "repl/layout", "repl/screen",
      "repl/terminal", "repl/edit"}},
    {"repl/prompt",
     {"core/text", "core/model", "repl/layout", "repl/screen", "repl/terminal", "repl/edit",
      "repl/pick"}},
    {"repl/replay",
     {"core/text", "core/model", "core/store", "repl/layout", "repl/screen", "repl/terminal"}},
    {"repl/follow",
     {"core/text", "core/model", "core/store", "repl/layout", "repl/screen", "repl/terminal"}},
    {"repl/session",
     {"core/text", "core/model", "core/permission", "core/plan", "core/project", "core/handover",
      "core/store", "core/checkpoints", "core/agent", "repl/layout", "repl/screen", "repl/terminal",
      "repl/edit", "repl/pick", "repl/prompt"}},
    {"repl/commands",
     {"core/text",        "core/model",  "core/plan",     "core/project",  "core/context",
      "core/handover",    "core/store",  "core/search",   "core/exchange", "core/insights",
      "core/checkpoints", "repl/layout", "repl/terminal", "repl/screen",   "repl/screen/markdown",
      "repl/edit",        "repl/pick",   "repl/follow",   "repl/prompt",   "repl/replay",
      "repl/session"}},
    {"repl/status",
     {"core/text", "core/model", "core/permission", "core/project", "repl/layout", "repl/screen",
      "repl/session"}},
    {"repl",
     {"core/text", "core/model", "repl/layout", "repl/edit", "repl/prompt", "repl/session",
      "repl/commands"}},
};

// app/ names every concrete class, so it may include everything; nothing includes app/. The
// configuration it reads lies below it; what its tables are shown by stands above it, and the verbs
// above that.
bool may_include(const std::string& from, const std::string& to) {
  if (from == to || from == "app/verbs") return true;
  if (from == "app/config") return !to.starts_with("app");
  static const std::set<std::string> above = {"app/bench", "app/completion", "app/doctor",
                                              "app/manual"};
  if (from == "app" || above.contains(from))
    return to == "app" || to == "app/config" || !to.starts_with("app");
  return arrows.contains(from) && arrows.at(from).contains(to);
}

// One heavy library, one place.
const std::map<std::string, std::set<std::string>> libraries = {
    {"replxx.hxx", {"repl/prompt/replxx_editor.cpp"}},
    {"cpr/", {"providers/http/http.cpp", "providers/http/curl.h", "providers/http/curl.cpp"}},
    {"curl/", {"providers/http/http.cpp", "providers/http/curl.h", "providers/http/curl.cpp"}},
    {"CLI/", {"app/cli.cpp"}},
    {"spdlog/", {"core/text/log.cpp"}},
    {"nlohmann/", {"core/text/json.h"}},
    {"re2/", {"core/text/regex.cpp"}},
    {"sqlite3.h", {"core/exchange/importers/sqlite_module.cpp"}},
    {"yaml.h", {"core/project/front_matter.cpp"}},
    {"libpq-fe.h", {"core/store/postgres/libpq_module.cpp"}},
    {"zstd.h", {"core/exchange/importers/zstd_module.cpp"}},
    {"toml", {"app/config/file.cpp"}},
    {"utf8proc.h", {"core/search/fold.cpp", "repl/layout/sanitize.cpp", "repl/layout/width.cpp"}},
};

std::string room_of(const std::string& file) { return fs::path(file).parent_path().string(); }

// core/store/log is skein::store::log; the vocabulary of every room is in skein itself, and what
// lies directly in a house is named after the house.
std::string namespace_of(const std::string& room) {
  if (room == "core/text") return "skein";
  const std::size_t slash = room.find('/');
  std::string name = slash == std::string::npos ? room : room.substr(slash + 1);
  for (std::size_t at; (at = name.find('/')) != std::string::npos;) name.replace(at, 1, "::");
  return "skein::" + name;
}

const fs::path root = SKEIN_SOURCE_DIR;

void for_each_source(const std::function<void(const std::string&, const fs::path&)>& each) {
  for (const char* top : {"app", "core", "repl", "providers"})
    for (const auto& file : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = file.path().extension().string();
      if (extension == ".h" || extension == ".cpp")
        each(fs::relative(file.path(), root).string(), file.path());
    }
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Include {
  std::string from, what;
  bool ours;
};

// `#include "core/text/base.h"` → core/text/base.h
bool read_include(const std::string& line, Include& out) {
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
  std::vector<Include> out;
  for_each_source([&](const std::string& name, const fs::path& file) {
    std::istringstream in(text_of(file));
    Include include{name, "", false};
    for (std::string line; std::getline(in, line);)
      if (read_include(line, include)) out.push_back(include);
  });
  return out;
}

}  // namespace

TEST_CASE("no file includes one its room may not know") {
  const std::vector<Include> all = includes();
  REQUIRE(all.size() > 100);
  for (const Include& each : all) {
    if (!each.ours) continue;
    CAPTURE(each.from);
    CAPTURE(each.what);
    CHECK(may_include(room_of(each.from), room_of(each.what)));
  }
}

TEST_CASE("the drawing has no circle") {
  std::set<std::string> done, open;
  const std::function<void(const std::string&)> visit = [&](const std::string& room) {
    CAPTURE(room);
    REQUIRE(arrows.contains(room));
    REQUIRE(open.insert(room).second);
    if (done.insert(room).second)
      for (const std::string& below : arrows.at(room)) visit(below);
    open.erase(room);
  };
  for (const auto& [room, below] : arrows) visit(room);
}

TEST_CASE("the middle floor of core does not know itself") {
  const std::vector<std::string> siblings = {"core/permission", "core/context", "core/handover",
                                             "core/tools", "core/store"};
  for (const auto& [room, below] : arrows)
    for (const std::string& one : siblings)
      for (const std::string& other : siblings)
        if (one != other && (room + "/").starts_with(one + "/"))
          for (const std::string& each : below) CHECK_FALSE((each + "/").starts_with(other + "/"));
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
  for_each_source([](const std::string& name, const fs::path& file) {
    if (file.extension() != ".h") return;
    CAPTURE(name);
    CHECK(text_of(file).starts_with("// "));
  });
}

TEST_CASE("a file's namespace is named after its room") {
  for_each_source([](const std::string& name, const fs::path& file) {
    if (name == "app/main.cpp") return;
    CAPTURE(name);
    const std::string opening = "namespace " + namespace_of(room_of(name));
    const std::string text = text_of(file);
    CHECK((text.find("\n" + opening + " {") != std::string::npos ||
           text.find("\n" + opening + "::") != std::string::npos));
  });
}

TEST_CASE("the README's map shows every room, and no other") {
  std::set<std::string> rooms, shown;
  for_each_source(
      [&](const std::string& name, const fs::path&) { rooms.insert(room_of(name) + "/"); });
  const std::string readme = text_of(root / "README.md");
  const std::size_t begin = readme.find("```\n", readme.find("\n## The code\n"));
  REQUIRE(begin != std::string::npos);
  std::istringstream map(readme.substr(begin + 4, readme.find("\n```", begin + 4) - begin - 4));
  // Rooms are indented below their house, and named from there.
  std::string house;
  for (std::string line; std::getline(map, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    const std::string path = line.substr(indent, line.find(' ', indent) - indent);
    if (!path.ends_with('/')) continue;
    if (indent == 0) house = path;
    shown.insert(indent == 0 ? path : house + path);
  }
  for (const std::string& room : rooms) {
    CAPTURE(room);
    CHECK(shown.contains(room));
  }
  for (const std::string& room : shown) {
    CAPTURE(room);
    CHECK(fs::is_directory(root / room));
  }
}
