// skein import and watch: sessions of other programs become sessions of skein, at once or as they
// are written.
#include <unistd.h>

#include "app/invocation/signals.h"
#include "app/setup/home.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/export/secrets.h"
#include "core/import/folder_watch.h"
#include "core/import/formats.h"
#include "core/import/import_report.h"
#include "core/text/checksum.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "repl/layout/flow.h"

namespace skein::verbs {

using importers::ForeignSession, importers::ImportedFile, importers::ImportSource;
using importers::ImportFormat;

namespace {

std::string known_formats() { return listed(importers::formats(), ", ", &ImportFormat::name); }

const ImportFormat* wanted_format(const Invocation& invocation) {
  const std::string name = invocation.value("--from");
  if (name.empty() || name == "auto") return nullptr;
  const ImportFormat* format = importers::format_named(name);
  if (format == nullptr)
    throw UsageError("there is no format '" + name + "'; known formats: " + known_formats());
  return format;
}

// What was named must be there and must be sessions; other files in a folder are not
// mentioned.
std::vector<ImportSource> named_sources(const Invocation& invocation,
                                        const importers::SourceFilter& filter) {
  std::vector<ImportSource> sources;
  for (const std::string& path : invocation.arguments) {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) throw UsageError(path + " does not exist");
    importers::SourceFilter any_time = filter;
    any_time.since_ms = 0;
    std::vector<ImportSource> found = importers::sources_in(path, any_time);
    if (found.empty() && filter.format != nullptr)
      throw UsageError(path + " contains no session of " + std::string(filter.format->agent));
    if (found.empty())
      throw UsageError(path + " contains no session in a known format: " + known_formats());
    std::erase_if(found,
                  [&](const ImportSource& each) { return each.modified_ms < filter.since_ms; });
    sources.insert(sources.end(), found.begin(), found.end());
  }
  return sources;
}

// Without arguments: what other programs keep on this machine, and the user's word on it.
std::vector<ImportSource> offered_sources(const Invocation& invocation,
                                          const importers::SourceFilter& filter) {
  const std::vector<ImportSource> all = importers::usual_sources(filter);
  if (all.empty())
    throw Error(
        "found no sessions of other programs in their usual places; name a file or a folder",
        ExitStatus::no_session);
  if (invocation.has("--all")) return all;
  Progress progress("scanning", all.size());
  const importers::ImportOffer offer =
      importers::offer_for(app::workspace_folder(invocation), all, [&] { progress.step(); });
  progress.end();
  if (invocation.has("--dry-run")) {
    std::vector<ImportSource> ordered = offer.here;
    ordered.insert(ordered.end(), offer.elsewhere.begin(), offer.elsewhere.end());
    return ordered;
  }
  if (!app::attended() || invocation.has("--json"))
    throw UsageError("found " + importers::counted_by_agent(all) +
                     "; use --all to import them, or name files and folders");
  if (!offer.here.empty()) {
    print_line("found " + importers::counted_by_agent(offer.here) + " about this folder");
    if (!offer.elsewhere.empty())
      print_line("and " + importers::counted_by_agent(offer.elsewhere) + " about others");
    const std::string answer =
        asked("import those about this folder? [Y]es, [a]ll, [n]o › ", stderr);
    if (answer.starts_with('a')) return all;
    if (answer.empty() || answer.starts_with('y')) return offer.here;
    return {};
  }
  print_line("found " + importers::counted_by_agent(all) + ", none of them about this folder");
  return asked("import all of them? [y]es, [N]o › ", stderr).starts_with('y')
             ? all
             : std::vector<ImportSource>{};
}

void check_single(const std::vector<ImportSource>& sources) {
  std::size_t sessions = 0;
  for (const ImportSource& source : sources) sessions += importers::sessions_in(source).size();
  if (sessions != 1)
    throw UsageError("--key works for one session, but there are " + std::to_string(sessions));
}

int undo(const Invocation& invocation, store::SessionStore& store,
         const std::vector<ImportSource>& sources) {
  std::set<Id> gone;
  ListPrinter keys(invocation);
  for (const ImportSource& source : sources) {
    std::vector<std::string> ids;
    for (const ForeignSession& session : importers::sessions_in(source)) ids.push_back(session.id);
    for (const store::SessionRecord& record : importers::imports_of(store, *source.format, ids)) {
      if (!gone.insert(record.header.session).second) continue;
      if (!invocation.has("--dry-run"))
        store::value_or_throw(store.life_cycle().erase(record.header.session));
      keys.add(json_string(record.key), record.key);
    }
  }
  keys.end({}, "deleted");
  if (!invocation.has("--json"))
    print_line(counted(gone.size(), "session") +
               (invocation.has("--dry-run") ? " would go to the trash" : " moved to the trash"));
  return 0;
}

using importers::ImportedSession;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

bool stopped() { return app::stop_asked(); }

// A program writes a line in pieces, and several lines at once.
constexpr auto settle_time = 150ms;
// Where the kernel cannot tell us of all changes, we look for ourselves.
constexpr auto looking_interval = 2s;
// A file that was written to so recently may have half of an answer at its end.
constexpr std::int64_t growing_ms = 1'000;
// In one that was written to so recently, calls at the end may still get their results.
constexpr std::int64_t at_work_ms = 60'000;
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

  // `whole`: there is no need to read the file again before it changes.
  void note(const ImportSource& source, const std::vector<ImportedSession>& sessions, bool whole) {
    if (whole) files_[source.path] = state_of(source);
    for (const ImportedSession& each : sessions)
      if (each.entries > 0) sessions_.insert(to_string(each.session));
  }

  void save() const {
    if (file_.empty()) return;
    const std::string rows = listed(files_, ",", [](const auto& file) {
      return json_string(file.first) + R"(:{"bytes":)" + std::to_string(file.second.first) +
             R"(,"modified":)" + std::to_string(file.second.second) + "}";
    });
    replace_small_file(file_, R"({"files":{)" + rows + R"(},"sessions":[)" +
                                  listed(sessions_, ",", json_string) + "]}\n");
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
  explicit Watch(const Invocation& invocation)
      : invocation_(invocation), store_(app::open_store(invocation)), seen_(seen_file()) {}

  // Everything in the usual places that has changed since we last looked.
  void look_everywhere() {
    for (const ImportSource& source : importers::usual_sources({}))
      if (!stopped() && !seen_.knows(source) && !is_waiting(source)) bring_in(source);
    seen_.save();
  }

  // Waits for files that are being written to, but not for a program that keeps writing.
  void wait_for_answers() {
    for (const std::int64_t end = now_ms() + 2 * growing_ms; !stopped();) {
      const std::optional<std::int64_t> next = next_due();
      if (!next || *next > end) break;
      pause_until(clock_time(*next), stopped);
      look_at_due();
    }
    seen_.save();
  }

  void follow() {
    importers::FolderWatch folders;
    for (const importers::ImportFormat& format : importers::formats())
      for (const std::string& place : importers::usual_places(format)) folders.add(place);
    look_everywhere();  // what came while the watches were set
    if (!invocation_.has("--json")) std::fputs("watching; Ctrl+C stops it\n", stderr);
    while (!stopped()) {
      const bool blind = folders.descriptor() < 0 || folders.incomplete();
      const std::optional<std::int64_t> due = next_due();
      const auto deadline = std::min(blind ? Clock::now() + looking_interval : no_deadline,
                                     due ? clock_time(*due) : no_deadline);
      if (wait(folders.descriptor(), deadline, stopped) == Wake::deadline) {
        if (blind) look_everywhere();
        look_at_due();
        seen_.save();
        continue;
      }
      if (stopped()) break;
      pause_until(Clock::now() + settle_time, stopped);
      const auto began = Clock::now();
      for (const std::string& path : folders.changed()) look_at(path);
      look_at_due();
      seen_.save();
      // A long session is read from its beginning each time: a tenth of one core at most.
      const auto rest = std::min<Clock::duration>(9 * (Clock::now() - began), 30s);
      pause_until(Clock::now() + rest, stopped);
    }
  }

 private:
  // In our state folder: another home is another watch.
  std::string seen_file() const {
    const std::string id = sha256_hex(app::home_given(invocation_)).substr(0, 16);
    return app::below(app::state_folder(), "watch-" + id + ".json");
  }

  void look_at(std::string path) {
    // A database's newest rows are in the -wal file.
    if (path.ends_with("-wal")) path.resize(path.size() - 4);
    std::error_code failed;
    if (!fs::is_directory(path, failed) &&
        !importers::may_hold_sessions(fs::path(path).filename().string()))
      return;
    for (const ImportSource& source : importers::sources_in(path, {})) bring_in(source);
  }

  static Clock::time_point clock_time(std::int64_t ms) {
    return Clock::now() + std::chrono::milliseconds(std::max<std::int64_t>(0, ms - now_ms()));
  }

  bool is_waiting(const ImportSource& source) const {
    const auto found = due_.find(source.path);
    return found != due_.end() && found->second.modified_ms == source.modified_ms &&
           found->second.at_ms > now_ms();
  }

  std::optional<std::int64_t> next_due() const {
    const auto next =
        std::ranges::min_element(due_, {}, [](const auto& row) { return row.second.at_ms; });
    return next == due_.end() ? std::nullopt : std::optional(next->second.at_ms);
  }

  void look_at_due() {
    std::vector<std::string> paths;
    for (const auto& [path, due] : due_)
      if (due.at_ms <= now_ms()) paths.push_back(path);
    for (const std::string& path : paths) {
      due_.erase(path);
      look_at(path);
    }
  }

  void bring_in(const ImportSource& source) {
    const std::int64_t silent_ms = std::max<std::int64_t>(0, now_ms() - source.modified_ms);
    const bool growing = silent_ms < growing_ms, at_work = silent_ms < at_work_ms;
    // First what is finished, however the file ends.
    ImportedFile file = imported(source, {.growing = at_work}, false);
    if (!growing && at_work && file.trouble.empty()) {
      tell(file);
      file = imported(source, {}, true);
    }
    const bool all_written = std::ranges::all_of(
        file.sessions, [](const ImportedSession& each) { return each.trouble.empty(); });
    const bool left = growing || std::ranges::any_of(
                                     file.sessions, [](const auto& each) { return each.left > 0; });
    // What could not be written now is tried again with the next change.
    if (all_written && file.trouble.empty()) {
      seen_.note(source, file.sessions, !left);
      const std::int64_t at_ms = now_ms() + (growing ? growing_ms : at_work_ms) - silent_ms;
      if (left) due_[source.path] = {at_ms, source.modified_ms};
    }
    tell(file);
  }

  ImportedFile imported(const ImportSource& source, const importers::ReadOptions& reading,
                        bool at_work) {
    importers::ImportOptions options{.at_work = at_work};
    options.wanted = [&](const importers::ForeignSession& session) {
      const Id id = importers::session_id(source.format->name, session.id);
      return !seen_.had(id) || bool(store_.sessions().open(id));
    };
    ImportedFile file{source};
    try {
      file.sessions = importers::import_file(store_, source, options, reading);
    } catch (const Error& error) {
      if (error.status() == ExitStatus::storage) throw;
      file.trouble = error.what();
    }
    return file;
  }

  void tell(const ImportedFile& file) const {
    const bool news = std::ranges::any_of(
        file.sessions, [](const ImportedSession& each) { return each.added > 0; });
    if (invocation_.has("--json")) {
      if (news || !file.trouble.empty()) print_json(importers::report_json({file}));
    } else {
      for (const ImportedSession& each : file.sessions)
        if (each.added > 0)
          print_line(now_utc().substr(11, 8) + "  " + each.key + "  " +
                     counted(each.added, "new entry", "new entries") + "  " + each.title);
      if (!file.trouble.empty()) print_line(file.source.path + ": " + file.trouble);
    }
    std::fflush(stdout);
  }

  const Invocation& invocation_;
  store::SessionStore store_;
  Seen seen_;
  // Files that end in something unfinished, and when to read them again if they do not change.
  struct Due {
    std::int64_t at_ms = 0, modified_ms = 0;
  };
  std::map<std::string, Due> due_{};
};

}  // namespace

int import_sessions(const Invocation& invocation) {
  const importers::SourceFilter filter{.format = wanted_format(invocation),
                                       .since_ms = since_ms(invocation)};
  if (invocation.has("--undo") && invocation.arguments.empty())
    throw UsageError("--undo needs the files or folders that were imported");
  const std::vector<ImportSource> sources = invocation.arguments.empty()
                                                ? offered_sources(invocation, filter)
                                                : named_sources(invocation, filter);
  store::SessionStore store = app::open_store(invocation);
  if (invocation.has("--undo")) return undo(invocation, store, sources);
  importers::ImportOptions options{.key = invocation.value("--key"),
                                   .dry_run = invocation.has("--dry-run")};
  if (!options.key.empty()) {
    if (const auto problem = store::key_problem(options.key)) throw UsageError(*problem);
    check_single(sources);
  }
  // A file may mention sessions that have their own files next to it.
  std::set<std::string> given;
  const ImportSource* at = nullptr;
  options.wanted = [&](const ForeignSession& session) {
    // A database is as new as the newest session in it.
    if (const auto updated = ms_from_utc(session.updated_at); updated && *updated < filter.since_ms)
      return false;
    return given.insert(std::string(at->format->name) + ":" + session.id).second;
  };
  exporters::SecretMask mask;
  if (invocation.has("--redact-secrets")) options.mask = &mask;
  std::uint64_t bytes = 0;
  for (const ImportSource& source : sources) bytes += source.bytes;
  Progress progress("importing", bytes, Progress::Unit::bytes);
  std::vector<ImportedFile> files;
  bool failed = false;
  for (const ImportSource& source : sources) {
    ImportedFile file{source};
    at = &source;
    try {
      file.sessions = importers::import_file(store, source, options);
    } catch (const Error& error) {
      if (error.status() != ExitStatus::turn && sources.size() == 1) throw;
      if (error.status() == ExitStatus::storage) throw;
      file.trouble = error.what();
      failed = true;
    }
    files.push_back(std::move(file));
    progress.step(source.bytes);
  }
  progress.end();
  const screen::Screen::Parts screen = screen_parts(invocation);
  print_answer(invocation, report_json(files),
               layout::wrapped(report_text(files, options.dry_run),
                               screen.look.live ? screen.port.width() : 0));
  if (const std::string masked = exporters::counts_by_kind(mask.found()); !masked.empty())
    tell_user("masked " + masked);
  return failed ? failed_status : 0;
}

int watch_sessions(const Invocation& invocation) {
  app::catch_signals();
  Watch watch(invocation);
  watch.look_everywhere();
  invocation.has("--once") ? watch.wait_for_answers() : watch.follow();
  return stopped() ? app::interrupted_status : 0;
}

}  // namespace skein::verbs
