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
    {"core/schema", {"core/text"}},
    {"core/shell", {"core/text"}},
    {"core/permission", {"core/text", "core/model", "core/web", "core/shell", "core/workspace"}},
    {"core/context", {"core/text", "core/model"}},
    {"core/handover", {"core/text", "core/model"}},
    {"core/project", {"core/text", "core/model", "core/shell", "core/permission"}},
    {"core/process", {"core/text", "core/model"}},
    {"core/workspace", {"core/text", "core/model"}},
    {"core/sandbox", {"core/text", "core/model", "core/process", "core/workspace"}},
    {"core/plan", {"core/text", "core/model"}},
    {"core/jobs", {"core/text", "core/process", "core/sandbox"}},
    {"core/tools",
     {"core/text", "core/model", "core/plan", "core/jobs", "core/web", "core/process",
      "core/workspace", "core/sandbox"}},
    {"core/instructions", {"core/text", "core/project", "core/workspace"}},
    {"core/memory", {"core/text"}},
    {"core/budget", {"core/text", "core/store", "core/store/files"}},
    {"core/mcp", {"core/text", "core/model", "core/process"}},
    {"core/hooks", {"core/text", "core/model", "core/permission", "core/process"}},
    {"core/store", {"core/text", "core/model"}},
    {"core/store/files", {"core/text", "core/store"}},
    {"core/store/log", {"core/text", "core/model", "core/store", "core/store/files"}},
    {"core/store/home/index",
     {"core/text", "core/model", "core/store", "core/store/files", "core/store/log"}},
    {"core/store/home",
     {"core/text", "core/model", "core/legacy", "core/store", "core/store/files", "core/store/log",
      "core/store/home/index"}},
    {"core/store/home/maintenance",
     {"core/text", "core/model", "core/store", "core/store/files", "core/store/log",
      "core/store/home/index", "core/store/home"}},

    {"core/store/postgres",
     {"core/text", "core/model", "core/store", "core/store/files", "core/store/log",
      "core/store/home/index", "core/store/home", "core/store/home/maintenance"}},

    {"core/store/transfer",
     {"core/text", "core/model", "core/store", "core/store/files", "core/store/log"}},

    {"core/search", {"core/text", "core/model", "core/store"}},
    {"core/import/source", {"core/text", "core/model", "core/legacy"}},
    {"core/import/arrays", {"core/text", "core/model", "core/legacy", "core/import/source"}},
    {"core/import/claude", {"core/text", "core/model", "core/import/source", "core/import/arrays"}},
    {"core/import/codex", {"core/text", "core/model", "core/import/source", "core/import/arrays"}},
    {"core/import/opencode", {"core/text", "core/model", "core/import/source"}},
    {"core/import/pi", {"core/text", "core/model", "core/import/source"}},
    {"core/import/google",
     {"core/text", "core/model", "core/legacy", "core/import/source", "core/import/arrays"}},
    {"core/import/others",
     {"core/text", "core/model", "core/legacy", "core/import/source", "core/import/arrays"}},
    {"core/export", {"core/text", "core/model", "core/store"}},
    {"core/import", {"core/text", "core/model", "core/store", "core/export", "core/import/source"}},
    {"core/insights", {"core/text", "core/model", "core/store"}},
    {"core/checkpoints",
     {"core/text", "core/model", "core/store", "core/tools", "core/process", "core/workspace",
      "core/sandbox"}},
    {"core/agent",
     {"core/text", "core/model", "core/permission", "core/plan", "core/context", "core/handover",
      "core/hooks", "core/budget", "core/store"}},
    {"core/subagents",
     {"core/text", "core/model", "core/permission", "core/project", "core/hooks", "core/tools",
      "core/budget", "core/store", "core/agent"}},

    {"providers/http", {"core/text", "core/model", "core/web"}},
    {"providers/wire", {"core/text", "core/model", "providers/http"}},
    {"providers/grammar", {"core/text", "core/handover", "providers/catalog"}},
    {"providers/catalog",
     {"core/text", "core/model", "core/handover", "providers/wire", "providers/offline"}},
    {"providers/offline", {"core/text", "core/model", "providers/wire"}},
    {"providers/discovery", {"core/text", "providers/catalog"}},
    {"providers/mcp", {"core/text", "core/mcp", "providers/http", "providers/wire"}},
    {"providers",
     {"core/text", "core/model", "core/handover", "core/process", "providers/http",
      "providers/wire", "providers/grammar", "providers/catalog", "providers/discovery"}},

    {"repl/layout", {"core/text"}},
    {"repl/screen/markdown", {"core/text", "repl/layout"}},
    {"repl/screen",
     {"core/text", "core/model", "core/plan", "repl/layout", "repl/screen/markdown"}},
    {"repl/terminal", {"core/text", "core/process", "repl/layout"}},
    {"repl/edit", {"core/text", "core/model", "core/process", "repl/layout", "repl/terminal"}},
    {"repl/pick",
     {"core/text", "core/model", "core/store", "core/search", "repl/layout", "repl/screen",
      "repl/screen/markdown", "repl/terminal", "repl/edit"}},
    {"repl/prompt",
     {"core/text", "core/model", "repl/layout", "repl/screen", "repl/terminal", "repl/edit",
      "repl/pick"}},
    {"repl/replay",
     {"core/text", "core/model", "core/store", "repl/layout", "repl/screen", "repl/terminal"}},
    {"repl/follow",
     {"core/text", "core/model", "core/store", "repl/layout", "repl/screen", "repl/terminal"}},
    {"repl/session",
     {"core/text",     "core/model",    "core/permission",  "core/plan",         "core/project",
      "core/handover", "core/store",    "core/store/files", "core/store/home",   "core/checkpoints",
      "core/agent",    "core/hooks",    "core/insights",    "core/instructions", "core/jobs",
      "core/mcp",      "core/memory",   "core/subagents",   "core/workspace",    "repl/layout",
      "repl/screen",   "repl/terminal", "repl/edit",        "repl/pick",         "repl/prompt"}},
    {"repl/commands", {"core/text",    "core/model",    "core/plan",     "core/project",
                       "core/context", "core/handover", "core/store",    "core/search",
                       "core/import",  "core/export",   "core/insights", "core/checkpoints",
                       "repl/layout",  "repl/terminal", "repl/screen",   "repl/screen/markdown",
                       "repl/edit",    "repl/pick",     "repl/follow",   "repl/prompt",
                       "repl/replay",  "repl/session"}},
    {"repl/status",
     {"core/text", "core/model", "core/permission", "core/project", "repl/layout", "repl/screen",
      "repl/prompt", "repl/session"}},
    {"repl",
     {"core/text", "core/model", "repl/layout", "repl/edit", "repl/prompt", "repl/session",
      "repl/commands"}},
};

// The folders of app/ may include everything outside of app/, and of app/ what is listed here;
// nothing outside includes app/.
const std::map<std::string, std::set<std::string>> app_arrows = {
    {"app/config", {}},
    {"app/invocation", {"app/config"}},
    {"app/trust", {"app/config", "app/invocation"}},
    {"app/setup", {"app/config", "app/invocation", "app/trust"}},
    {"app/completion", {"app/config", "app/invocation", "app/setup"}},
    {"app/driven", {"app", "app/config", "app/invocation", "app/setup"}},
    {"app/driven/dialects", {"app", "app/driven", "app/invocation", "app/setup"}},
    {"app/driven/acp", {"app", "app/driven", "app/invocation", "app/setup"}},
    {"app/doctor", {"app/config", "app/invocation", "app/setup"}},
    {"app/manual", {"app/config", "app/invocation"}},
    {"app", {"app/config", "app/invocation", "app/manual", "app/trust", "app/setup"}},
};
bool may_include(const std::string& from, const std::string& to) {
  if (from == to || from == "app/verbs") return true;
  const auto row = app_arrows.find(from);
  if (row != app_arrows.end()) return !to.starts_with("app") || row->second.contains(to);
  return arrows.contains(from) && arrows.at(from).contains(to);
}

// One heavy library, one place.
const std::map<std::string, std::set<std::string>> libraries = {
    {"replxx.hxx", {"repl/prompt/replxx_editor.cpp"}},
    {"cpr/", {"providers/http/http_module.cpp"}},
    {"curl/", {"providers/http/http_module.cpp"}},
    {"CLI/", {"app/invocation/cli.cpp"}},
    {"spdlog/", {"core/text/log.cpp"}},
    {"nlohmann/", {"core/text/json.h"}},
    {"re2/", {"core/text/pattern.cpp"}},
    {"sqlite3.h", {"core/import/source/containers_module.cpp"}},
    {"yaml.h", {"core/project/markdown_files.cpp"}},
    {"libpq-fe.h", {"core/store/postgres/libpq_module.cpp"}},
    {"zstd.h", {"core/import/source/containers_module.cpp"}},
    {"toml", {"app/config/file.cpp"}},
    {"utf8proc.h", {"core/search/query.cpp", "repl/layout/sanitize.cpp", "repl/layout/width.cpp"}},
};

std::string room_of(const std::string& file) { return fs::path(file).parent_path().string(); }

// core/store/log is skein::store::log; the vocabulary of every room is in skein itself, and what
// is directly in a house is named after the house. `import` and `export` are words of C++.
std::string namespace_of(const std::string& room) {
  if (room == "core/text") return "skein";
  if (room == "core/import") return "skein::importers";
  if (room == "core/export") return "skein::exporters";
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

// Of the files of one folder: which header and its source include which others.
using Units = std::map<std::string, std::set<std::string>>;

std::map<std::string, Units> units_by_folder() {
  const auto unit_of = [](const std::string& file) { return file.substr(0, file.rfind('.')); };
  std::map<std::string, Units> folders;
  for (const Include& each : includes()) {
    Units& units = folders[room_of(each.from)];
    std::set<std::string>& below = units[unit_of(each.from)];
    if (each.ours && room_of(each.what) == room_of(each.from) &&
        unit_of(each.what) != unit_of(each.from))
      below.insert(unit_of(each.what));
  }
  return folders;
}

// 1 for a unit that includes no other of its folder. A cycle counts as very many.
int level_of(const std::string& unit, const Units& units, std::set<std::string>& open) {
  if (!open.insert(unit).second) return 1'000;
  int level = 1;
  for (const std::string& below : units.at(unit))
    level = std::max(level, 1 + level_of(below, units, open));
  open.erase(unit);
  return level;
}

TEST_CASE("no folder has a cycle of files, and none has more than eight levels") {
  for (const auto& [folder, units] : units_by_folder())
    for (const auto& [unit, below] : units) {
      CAPTURE(unit);
      std::set<std::string> open;
      CHECK(level_of(unit, units, open) <= 8);
    }
}

TEST_CASE("no folder has more files than can be taken in at a glance") {
  std::map<std::string, int> files;
  for_each_source([&](const std::string& name, const fs::path&) { ++files[room_of(name)]; });
  for (const auto& [folder, count] : files) {
    CAPTURE(folder);
    CHECK(count <= (folder == "repl/commands" || folder == "app/verbs" ? 36 : 24));
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
  for_each_source([](const std::string& name, const fs::path& file) {
    if (file.extension() != ".h") return;
    CAPTURE(name);
    CHECK(text_of(file).starts_with("// "));
  });
}

TEST_CASE("a file's namespace is named after its folder or one above it") {
  for_each_source([](const std::string& name, const fs::path& file) {
    if (name == "app/main.cpp" || name == "core/text/std.h") return;  // they declare nothing
    CAPTURE(name);
    const std::string text = text_of(file);
    bool named = false;
    for (std::string folder = room_of(name); !named && !folder.empty(); folder = room_of(folder)) {
      const std::string opening = "\nnamespace " + namespace_of(folder);
      named = text.find(opening + " {") != std::string::npos ||
              text.find(opening + "::") != std::string::npos;
    }
    CHECK(named);
  });
}

TEST_CASE("the map of the folders shows every room, and no other") {
  std::set<std::string> rooms, shown;
  for_each_source(
      [&](const std::string& name, const fs::path&) { rooms.insert(room_of(name) + "/"); });
  const std::string page = text_of(root / "core/ARCHITECTURE.md");
  const std::size_t begin = page.find("```\n", page.find("\n## Map\n"));
  REQUIRE(begin != std::string::npos);
  std::istringstream map(page.substr(begin + 4, page.find("\n```", begin + 4) - begin - 4));
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
