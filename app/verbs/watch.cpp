// skein watch: what other programs write about their sessions is brought in as they write it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "app/home.h"
#include "app/signals.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/exchange/folder_watch.h"
#include "core/exchange/import_report.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/sha256.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::verbs {

using exchange::ImportedFile, exchange::ImportedSession, exchange::ImportSource;
namespace importers = exchange::importers;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

// A program writes a line in pieces, and several lines at once.
constexpr auto settle_time = 150ms;
// Where the kernel cannot tell us of all changes, we look for ourselves.
constexpr auto looking_interval = 2s;
// A file that was written to so recently may have half of an answer at its end.
constexpr std::int64_t growing_ms = 60'000;
constexpr std::size_t most_bytes = std::size_t{64} << 20;

// What of each file has been brought in, so that a start reads only what changed. Only a hint:
// without it everything is read again, and nothing comes twice.
class Seen {
 public:
  explicit Seen(std::string file) : file_(std::move(file)) {
    const std::optional<Json> json = parse_json(read_small_file(file_, most_bytes));
    if (!json || !at(*json, "files").is_object()) return;
    for (const auto& [path, row] : at(*json, "files").items())
      files_[path] = {int_at(row, "bytes"), int_at(row, "modified")};
    for (const Json& id : at(*json, "sessions"))
      if (id.is_string()) sessions_.insert(id.get<std::string>());
  }

  bool knows(const ImportSource& source) const {
    const auto found = files_.find(source.path);
    return found != files_.end() && found->second == state_of(source);
  }
  // It was brought in once: if it is not there any more, the user deleted it.
  bool had(Id session) const { return sessions_.contains(to_string(session)); }

  void note(const ImportSource& source, const std::vector<ImportedSession>& sessions) {
    files_[source.path] = state_of(source);
    for (const ImportedSession& each : sessions) sessions_.insert(to_string(each.session));
  }

  void save() const {
    if (file_.empty()) return;
    Json sessions = Json::array();
    std::string rows;
    for (const auto& [path, state] : files_) {
      rows += rows.empty() ? "" : ",";
      rows += json_string(path) + R"(:{"bytes":)" + std::to_string(state.first) +
              R"(,"modified":)" + std::to_string(state.second) + "}";
    }
    for (const std::string& id : sessions_) sessions.push_back(id);
    replace_small_file(file_, R"({"files":{)" + rows + R"(},"sessions":)" + dump(sessions) + "}\n");
  }

 private:
  using State = std::pair<std::int64_t, std::int64_t>;
  static State state_of(const ImportSource& source) {
    return {static_cast<std::int64_t>(source.bytes), source.modified_ms};
  }

  std::string file_;
  std::map<std::string, State> files_{};
  std::set<std::string> sessions_{};
};

class Watch {
 public:
  explicit Watch(const app::Invocation& invocation)
      : invocation_(invocation), store_(app::open_store(invocation)), seen_(seen_file()) {}

  // Everything in the usual places that has changed since we last looked.
  void look_everywhere() {
    for (const ImportSource& source : exchange::usual_sources({}))
      if (!app::stop_asked() && !seen_.knows(source)) bring_in(source);
    seen_.save();
  }

  void follow() {
    exchange::FolderWatch folders;
    for (const importers::Format& format : importers::formats())
      for (const std::string& place : exchange::usual_places(format)) folders.add(place);
    look_everywhere();  // what came while the watches were set
    if (!invocation_.has("--json")) std::fputs("watching; ^C ends it\n", stderr);
    while (!app::stop_asked()) {
      const bool blind = folders.descriptor() < 0 || folders.incomplete();
      const auto deadline = blind ? Clock::now() + looking_interval : no_deadline;
      if (wait(folders.descriptor(), deadline, [] { return app::stop_asked().load(); }) ==
          Wake::deadline) {
        look_everywhere();
        continue;
      }
      if (app::stop_asked()) break;
      wait(-1, Clock::now() + settle_time, [] { return app::stop_asked().load(); });
      const auto began = Clock::now();
      for (const std::string& path : folders.changed()) look_at(path);
      seen_.save();
      // A long session is read from its beginning each time: a tenth of one core at most.
      const auto rest = std::min<Clock::duration>(9 * (Clock::now() - began), 30s);
      wait(-1, Clock::now() + rest, [] { return app::stop_asked().load(); });
    }
  }

 private:
  // Beside our state: another home is another watch.
  std::string seen_file() const {
    const std::string folder = app::state_folder();
    if (folder.empty()) return {};
    return folder + "/watch-" + sha256_hex(app::home_given(invocation_)).substr(0, 16) + ".json";
  }

  void look_at(std::string path) {
    // A database's newest rows are in the file beside it.
    if (path.ends_with("-wal")) path.resize(path.size() - 4);
    std::error_code failed;
    if (!fs::is_directory(path, failed) &&
        !exchange::may_hold_sessions(fs::path(path).filename().string()))
      return;
    for (const ImportSource& source : exchange::sources_in(path, {})) bring_in(source);
  }

  void bring_in(const ImportSource& source) {
    exchange::ImportOptions options;
    options.wanted = [&](const importers::ForeignSession& session) {
      const Id id = importers::session_id(source.format->name, session.id);
      return !seen_.had(id) || bool(store_.open(id));
    };
    ImportedFile file{source};
    try {
      file.sessions = exchange::import_file(
          store_, source, options, {.growing = now_ms() - source.modified_ms < growing_ms});
    } catch (const Error& error) {
      if (error.status() == ExitStatus::storage) throw;
      file.trouble = error.what();
    }
    const bool all_written = std::ranges::all_of(
        file.sessions, [](const ImportedSession& each) { return each.trouble.empty(); });
    // What could not be written now is tried again with the next change.
    if (all_written && file.trouble.empty()) seen_.note(source, file.sessions);
    tell(file);
  }

  void tell(const ImportedFile& file) const {
    const bool news = std::ranges::any_of(
        file.sessions, [](const ImportedSession& each) { return each.added > 0; });
    if (invocation_.has("--json")) {
      if (news || !file.trouble.empty()) print_json(exchange::report_json({file}));
    } else {
      for (const ImportedSession& each : file.sessions)
        if (each.added > 0)
          print_line(now_utc().substr(11, 8) + "  " + each.key + "  " +
                     counted(each.added, "new entry", "new entries") + "  " + each.title);
      if (!file.trouble.empty()) print_line(file.source.path + ": " + file.trouble);
    }
    std::fflush(stdout);
  }

  const app::Invocation& invocation_;
  store::SessionStore store_;
  Seen seen_;
};

}  // namespace

int watch_sessions(const app::Invocation& invocation) {
  app::catch_signals();
  Watch watch(invocation);
  watch.look_everywhere();
  if (!invocation.has("--once")) watch.follow();
  return app::stop_asked() ? app::interrupted_status : 0;
}

}  // namespace skein::verbs
