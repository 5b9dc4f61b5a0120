#include "core/import/import_files.h"

#include "core/export/session_source.h"
#include "core/text/text.h"

namespace skein::importers {

namespace fs = std::filesystem;

namespace {

// Refuses every session, and so gets the facts of all of them.
struct Peek : Receiver {
  std::vector<ForeignSession> sessions{};

  bool begin(const ForeignSession& session) override {
    sessions.push_back(session);
    return false;
  }
  void add(ForeignEntry) override {}
  std::string keep(std::string_view) override { return {}; }
  void lose(std::string_view) override {}
  void end(std::string_view) override {}
};

std::int64_t modified_ms(const fs::path& file) {
  std::error_code failed;
  const auto time = fs::last_write_time(file, failed);
  if (failed) return 0;
  const auto since = fs::file_time_type::clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

// Adds the file if it is one that is looked for.
void look_at(const fs::directory_entry& entry, const SourceFilter& filter,
             std::vector<ImportSource>& found) {
  // A running program writes new rows of its database to the file next to it.
  const std::string log = entry.path().string() + "-wal";
  const std::int64_t modified = std::max(modified_ms(entry.path()), modified_ms(log));
  if (modified < filter.since_ms) return;
  const auto opened = SourceFile::open(entry.path().string());
  const auto* file = std::get_if<SourceFile>(&opened);
  if (file == nullptr) return;
  const ImportFormat* format = filter.format;
  if (format == nullptr)
    format = format_of(*file);
  else if (!format->recognizes(*file))
    format = nullptr;
  if (format != nullptr) found.push_back({file->path(), format, file->size(), modified});
}

}  // namespace

bool may_hold_sessions(std::string_view name) {
  // What OpenClaw sets aside when a session is reset or deleted.
  for (const std::string_view gone : {".reset.", ".deleted."})
    if (name.find(gone) != std::string_view::npos) return false;
  constexpr std::array endings{".jsonl", ".json", ".jsonl.zst", ".db", ".sqlite"};
  return std::ranges::any_of(endings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

std::vector<ImportSource> sources_in(const std::string& path, const SourceFilter& filter) {
  std::vector<ImportSource> found;
  std::error_code failed;
  const fs::directory_entry start{fs::path(path), failed};
  if (!start.is_directory(failed)) {
    look_at(start, filter, found);
    return found;
  }
  fs::recursive_directory_iterator each(start.path(), fs::directory_options::skip_permission_denied,
                                        failed);
  for (; !failed && each != fs::recursive_directory_iterator(); each.increment(failed)) {
    std::error_code unknown;
    if (each->is_symlink(unknown)) continue;
    if (each->path().filename() == "node_modules") each.disable_recursion_pending();
    if (!may_hold_sessions(each->path().filename().string()) || !each->is_regular_file(unknown))
      continue;
    look_at(*each, filter, found);
  }
  std::ranges::sort(found, {}, &ImportSource::path);
  return found;
}

std::vector<ImportSource> usual_sources(const SourceFilter& filter) {
  std::vector<ImportSource> found;
  std::set<std::string> seen;
  for (const ImportFormat& format : formats()) {
    if (filter.format != nullptr && filter.format != &format) continue;
    SourceFilter of_this = filter;
    of_this.format = &format;
    for (const std::string& place : usual_places(format))
      for (ImportSource& source : sources_in(place, of_this))
        if (seen.insert(source.path).second) found.push_back(std::move(source));
  }
  std::ranges::sort(found, std::ranges::greater{}, &ImportSource::modified_ms);
  return found;
}

std::vector<ForeignSession> sessions_in(const ImportSource& source) {
  Peek peek;
  const auto file = SourceFile::open(source.path);
  if (const auto* opened = std::get_if<SourceFile>(&file)) try {
      source.format->read(*opened, {}, peek);
    } catch (const Error&) {  // an import reports why
    }
  return std::move(peek.sessions);
}

ImportOffer offer_for(const std::string& folder, const std::vector<ImportSource>& sources,
                      const std::function<void()>& looked_into) {
  ImportOffer offer;
  for (const ImportSource& source : sources) {
    const std::vector<ForeignSession> sessions = sessions_in(source);
    if (looked_into) looked_into();
    if (sessions.empty()) continue;
    const bool is_here =
        std::ranges::find(sessions, folder, &ForeignSession::cwd) != sessions.end();
    (is_here ? offer.here : offer.elsewhere).push_back(source);
  }
  return offer;
}

std::vector<ImportedSession> import_file(store::SessionStore& store, const ImportSource& source,
                                         const ImportOptions& options, const ReadOptions& reading) {
  const auto file = SourceFile::open(source.path);
  if (const auto* why_not = std::get_if<std::string>(&file))
    throw Error(*why_not, ExitStatus::usage);
  SessionImport import(store, *source.format, source.path, source.modified_ms, options);
  source.format->read(std::get<SourceFile>(file), reading, import);
  return import.sessions();
}

std::vector<store::SessionRecord> imports_of(store::SessionStore& store, const ImportFormat& format,
                                             const std::vector<std::string>& sessions) {
  std::vector<store::SessionRecord> found;
  for (store::SessionRecord& record : store.list()) {
    if (record.state.origin != format.name) continue;
    const auto origin = exporters::origin_of(store.transcripts(), record.header.session);
    store.presence().close(record.header.session);
    if (origin && std::ranges::find(sessions, origin->session) != sessions.end())
      found.push_back(std::move(record));
  }
  return found;
}

}  // namespace skein::importers
