#include "core/store/home/migration.h"

#include "core/store/home/blobs.h"
#include "core/store/log/new_transcript.h"
#include "core/text/checksum.h"
#include "core/text/log.h"
#include "core/text/text.h"

namespace skein::store::home {

namespace {

std::optional<legacy::Session> read_unsealed(const legacy::Lines& lines) {
  if (lines.objects.empty()) return std::nullopt;
  const Json& first = lines.objects.front();
  const Json& header = at(first, "payload");
  if (string_at(first, "type") != model::type::session_header || !header.is_object() ||
      int_at(header, "version") != 0 || first.contains("seal"))
    return std::nullopt;
  legacy::Session out{.form = "unsealed lines",
                      .key = string_at(header, "key"),
                      .cwd = string_at(header, "cwd"),
                      .created_at = string_at(first, "timestamp"),
                      .losses = lines.losses};
  std::set<Id> known;
  std::optional<Id> last;
  for (std::size_t i = 1; i < lines.objects.size(); ++i) {
    std::optional<model::Entry> entry = log::entry_from_json(dump(lines.objects[i]));
    if (!entry || !known.insert(entry->id).second) {
      out.losses.push_back("line " + std::to_string(i + 1) +
                           (entry ? " repeats an id" : " is not an entry") + " and was left out");
      continue;
    }
    if (entry->parent && !known.contains(*entry->parent)) entry->parent = last;
    if (!model::is_marginal(entry->type)) last = entry->id;
    out.entries.push_back(std::move(*entry));
  }
  return out;
}

constexpr std::uint64_t max_legacy_bytes = 1u << 30;

std::string legacy_path(Id session) { return "transcripts/" + to_string(session) + ".json"; }

// The session a file in an older form is, or becomes, whatever its name is there; a name
// that is no session's always means the same one.
std::optional<Id> session_of_legacy(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos ||
      (name.substr(dot) != ".json" && name.substr(dot) != ".jsonl"))
    return std::nullopt;
  if (const auto id = parse_id(name.substr(0, dot))) return id;
  return parse_id(sha256_hex(name.substr(0, dot)).substr(0, 16));
}

std::string made_up_key(Id session) { return "main:migrated:" + to_string(session); }

std::string key_of(const legacy::Session& old, Id session) {
  return key_problem(old.key) ? made_up_key(session) : old.key;
}

// Or something that cannot be read now.
bool is_transcript(Home& home, Id session) {
  const auto read = log::LogReader(home.files(), session, log::transcript_path(session)).refresh();
  return read || read.error().kind != Failure::Kind::damaged;
}

// A name that is free: an attempt that was cut short may have used one this very moment.
std::string aside_for(files::Files& files, Id session, const std::string& source) {
  for (std::int64_t time = now_ms();; ++time) {
    std::string name = "quarantine/" + to_string(session) + "." + std::to_string(time) +
                       source.substr(source.rfind('.'));
    if (!files::exists(files, name)) return name;
  }
}

// One file on its way to become a transcript, while the index is locked.
class Migration {
 public:
  Migration(Home& home, IndexChange& change, Id session, const std::string& source)
      : home_(home), files_(home.files()), change_(change), session_(session), source_(source) {
    result_.session = session;
  }

  Result<MigrationResult> run() {
    // One that is finished counts, whatever else is there.
    const auto there = files::stat(files_, path_, described(session_));
    if (!there && !there.error().missing) return there.error();
    files::OpenFile locked;
    if (there) {
      locked = TRY(home_.lock(change_, session_));
      log::LogReader log(files_, session_, path_);
      const Result<void> read = log.refresh();
      if (read) return finished(log);
      if (read.error().kind != Failure::Kind::damaged || source_ != path_) return read.error();
    }
    const auto bytes =
        TRY(files::read_whole(files_, source_, max_legacy_bytes, described(session_)));
    std::optional<legacy::Session> old = read_legacy(session_, bytes);
    if (!old)
      return Failure{Failure::Kind::damaged,
                     described(session_) + " is in an unknown format; it was not changed"};
    return replace(*old);
  }

 private:
  Result<MigrationResult> finished(const log::LogReader& log) {
    TRY(log.writable());
    // It may have been finished by one who could not make sure of its name.
    TRY(files::sync_folder(files_, "transcripts", described(session_)));
    return set_aside(source_ == path_ ? legacy_path(session_) : source_);
  }

  Result<SessionHeader> header_for(legacy::Session& old) {
    SessionHeader header{.session = session_,
                         .key = key_of(old, session_),
                         .cwd = old.cwd,
                         .created_by = "skein " SKEIN_VERSION,
                         .created_at = old.created_at};
    Index* index = TRY(change_.refresh());
    // However old it is, it takes no key from a session that is there.
    std::string key = free_key(*index, session_, header.key);
    if (key_problem(key)) key = made_up_key(session_);
    if (key != header.key)
      old.losses.push_back("its key " + header.key +
                           " belongs to another session; its key is now " + key);
    header.key = key;
    if (header.created_at.empty())
      header.created_at = old.entries.empty() ? now_utc() : old.entries.front().timestamp;
    return header;
  }

  Result<MigrationResult> replace(legacy::Session& old) {
    const SessionHeader header = TRY(header_for(old));
    const std::string doing = "migrating " + described(session_);
    log::NewTranscript migrated(files_, header, doing);
    for (const Entry& entry : old.entries) {
      if (entry.payload.size() + entry.meta.size() + 1024 > log::max_line_bytes)
        return Failure{
            Failure::Kind::refused,
            described(session_) +
                " cannot be migrated: an entry of it is larger than 16 MiB; it was not changed"};
      migrated.add(entry);
    }
    for (const std::string& blob : old.blobs) TRY(write_blob(files_, blob));
    TRY(migrated.finish());
    if (source_ == path_) {
      result_.old_file = aside_for(files_, session_, source_);
      TRY(files::link(files_, path_, result_.old_file, doing));
      TRY(files::sync_folder(files_, "quarantine", doing));
      TRY(migrated.rename_into_place());
    } else {
      TRY(migrated.link_into_place());
    }
    result_.form = old.form;
    result_.entries = old.entries.size();
    result_.losses = std::move(old.losses);
    log_warning("migration", {{"session", to_string(session_)},
                              {"form", result_.form},
                              {"entries", result_.entries},
                              {"losses", result_.losses.size()}});
    home_.forget(session_);
    return set_aside(source_ == path_ ? "" : source_);
  }

  Result<MigrationResult> set_aside(const std::string& source) {
    if (!source.empty() && files::exists(files_, source)) {
      result_.old_file = aside_for(files_, session_, source);
      TRY(files::move_file(files_, source, result_.old_file, "setting " + source + " aside"));
    }
    TRY(change_.finish());
    return std::move(result_);
  }

  Home& home_;
  files::Files& files_;
  IndexChange& change_;
  const Id session_;
  const std::string path_ = log::transcript_path(session_), source_;
  MigrationResult result_{};
};

Result<MigrationResult> migrate_file(Home& home, const std::string& source, Id session) {
  IndexChange change = TRY(home.index().change());
  return Migration(home, change, session, source).run();
}

}  // namespace

std::optional<legacy::Session> read_legacy(Id session, std::string_view bytes) {
  std::optional<legacy::Session> found = legacy::read_session(session, bytes);
  return found ? std::move(found) : read_unsealed(legacy::lines_of(bytes));
}

std::vector<std::string> report_of(const MigrationResult& migrated) {
  std::vector<std::string> out{
      (migrated.form.empty()
           ? "session " + to_string(migrated.session) + " had been migrated before; its old file"
           : "migrated session " + to_string(migrated.session) + " from " + migrated.form + ", " +
                 counted(migrated.entries, "entry", "entries") + "; its old file") +
      " is saved as " + migrated.old_file};
  for (const std::string& loss : migrated.losses) out.push_back("  " + loss);
  return out;
}

Result<MigrationResult> migrate(Home& home, Id session) {
  const auto plain = files::stat(home.files(), log::transcript_path(session));
  const bool moved = !plain && plain.error().missing;
  return migrate_file(home, moved ? legacy_path(session) : log::transcript_path(session), session);
}

Result<MigrationResult> migrate_called(Home& home, std::string_view name) {
  const std::vector<std::string> names = TRY(files::list(home.files(), "transcripts"));
  const std::vector<Id> unknown = home.index().without_row();
  for (const std::string& file : names) {
    const std::optional<Id> session = session_of_legacy(file);
    const std::string source = "transcripts/" + file;
    if (!session || (session_of_file(file) && (!std::ranges::binary_search(unknown, *session) ||
                                               is_transcript(home, *session))))
      continue;
    const auto bytes = files::read_whole(home.files(), source, max_legacy_bytes);
    const auto old = bytes ? read_legacy(*session, *bytes) : std::nullopt;
    if (!old || (key_of(*old, *session) != name && to_string(*session) != name)) continue;
    Result<MigrationResult> migrated = migrate_file(home, source, *session);
    if (migrated)
      for (const std::string& line : report_of(*migrated)) home.index().tell(line);
    return migrated;
  }
  return Failure{Failure::Kind::gone, "no session called '" + std::string(name) + "'"};
}

Result<std::vector<MigrationResult>> migrate_all(Home& home) {
  const std::vector<std::string> names = TRY(files::list(home.files(), "transcripts"));
  std::vector<MigrationResult> out;
  for (const std::string& name : names) {
    const std::optional<Id> session = session_of_legacy(name);
    if (!session) continue;
    if (session_of_file(name) && is_transcript(home, *session)) continue;
    Result<MigrationResult> migrated = migrate_file(home, "transcripts/" + name, *session);
    if (migrated)
      out.push_back(*std::move(migrated));
    else if (migrated.error().kind != Failure::Kind::damaged)  // that is reported as a stray
      return migrated.error();
  }
  return out;
}

std::string older_form(files::Files& files, const std::string& name) {
  const std::optional<Id> session = session_of_legacy(name);
  if (!session) return {};
  const auto bytes = files::read_whole(files, "transcripts/" + name, max_legacy_bytes);
  const auto old = bytes ? read_legacy(*session, *bytes) : std::nullopt;
  return old ? old->form : std::string{};
}

std::size_t older_forms(Home& home) {
  const Result<std::vector<std::string>> names = files::list(home.files(), "transcripts");
  if (!names) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(*names, [&](const std::string& name) {
    const std::optional<Id> known = session_of_file(name);
    return !(known && home.index().find(*known) != nullptr) &&
           !older_form(home.files(), name).empty();
  }));
}

}  // namespace skein::store::home
