// A text taken out of every row of a database that is ours. What the database keeps besides its
// rows is out of our reach, and is named.
#include <algorithm>
#include <utility>

#include "core/store/files/named_files.h"
#include "core/store/home/maintenance/scrub.h"
#include "core/store/postgres/database_backend.h"
#include "core/store/postgres/new_session.h"
#include "core/store/postgres/values.h"

namespace skein::store::postgres {

using home::maintenance::FileScrubber, home::maintenance::Scrubbed, home::maintenance::ScrubWish;

namespace {

constexpr const char* out_of_reach =
    "the database may still hold it where no statement reaches: in rows it has not vacuumed yet, "
    "its write-ahead log, standbys and backups; whoever runs it can remove it there";

// All that we see, also what is in the trash.
constexpr Statement list_all{"", R"(
  select id, key, owner = current_user from skein.session order by id)"};
constexpr Statement read_any{"", R"(
  select id, key, record, bytes, last_crc, archived, edition from skein.session where id = $1)"};
constexpr Statement read_stretch{"read_stretch", R"(
  select at, line from skein.line where session = $1 and at >= $2 order by at limit 500)"};
constexpr Statement list_blobs{"", R"(
  select distinct name from skein.blob where owner = current_user order by name)"};
constexpr Statement remove_blob{"", R"(
  delete from skein.blob where owner = current_user and name = $1)"};

std::string places(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& each : all) out += (out.empty() ? "" : "; ") + each;
  return out;
}

struct OneOfAll {
  Id session{};
  std::string key{};
  bool ours = false;
};

// One run over a database.
class DatabaseScrubber {
 public:
  DatabaseScrubber(Connection& connection, const model::Scrubbing& what, Scrubbed& report)
      : connection_(connection), what_(what), report_(report) {}

  Result<std::vector<OneOfAll>> sessions() {
    std::vector<OneOfAll> out;
    const auto asked = connection_.ask(list_all, {}, [&](Row row) {
      Columns columns(row);
      OneOfAll one{columns.id(), std::string(columns.text()), columns.truth()};
      out.push_back(std::move(one));
      return columns.fit();
    });
    if (!asked) return asked.error();
    return out;
  }

  void session(const OneOfAll& one) {
    constexpr int most_tries = 5;  // others may write to it meanwhile
    for (int tries = 0; tries < most_tries; ++tries) {
      const Result<bool> done = rewrite(one);
      if (!done) return unreached(one, done.error().text);
      if (*done) return;
    }
    unreached(one, "it is being written to all the time");
  }

  // Whether each holds it is known only once it has been read.
  void blobs(DatabaseBackend& backend) {
    std::vector<std::string> names;
    const auto asked = connection_.ask(list_blobs, {}, [&](Row row) {
      Columns columns(row);
      names.emplace_back(columns.text());
      return columns.fit();
    });
    if (!asked) return report_.unreached.push_back("blobs: " + asked.error().text);
    for (const std::string& name : names) {
      if (std::ranges::find(what_.blobs, name) == what_.blobs.end()) {
        const Result<std::string> bytes = backend.load_blob(name);
        if (!bytes) report_.unreached.push_back(bytes.error().text);
        if (!bytes || !model::holds(*bytes, what_)) continue;
      }
      if (const auto removed = connection_.ask(remove_blob, Values().text(name)); !removed)
        report_.unreached.push_back("blob " + name + ": " + removed.error().text);
      else
        report_.changed.push_back("blob " + name +
                                  ": removed; what refers to it shows that it is gone");
    }
  }

 private:
  void unreached(const OneOfAll& one, const std::string& why) {
    report_.unreached.push_back("session " + one.key + ": " + why);
  }

  // All of its lines as a file; `damaged` if some are missing.
  Result<void> fetch(const OneOfAll& one, const SessionRow& row, files::Files& to,
                     const std::string& path) {
    std::string text;
    for (std::size_t before = 1; text.size() != before;) {
      before = text.size();
      bool fits = true;
      const auto asked = connection_.ask(
          read_stretch, Values().id(one.session).integer(static_cast<std::int64_t>(text.size())),
          [&](Row found) {
            Columns columns(found);
            fits = fits && static_cast<std::size_t>(columns.integer()) == text.size();
            text.append(columns.bytes()).append("\n");
            return columns.fit();
          });
      if (!asked) return asked.error();
      if (!fits) break;
    }
    if (text.size() != row.bytes)
      return Failure{Failure::Kind::damaged, "lines of it are missing, or it goes on just now"};
    return files::replace_file(to, path, text);
  }

  // False: somebody wrote to it meanwhile.
  Result<bool> rewrite(const OneOfAll& one) {
    std::optional<SessionRow> row;
    const auto asked = connection_.ask(read_any, Values().id(one.session), [&](Row found) {
      return bool(row = read_session_row(found));
    });
    if (!asked) return asked.error();
    if (!row) return true;  // gone meanwhile
    const std::unique_ptr<files::Files> memory = files::memory_files();
    memory->make_folder("transcripts");
    const std::string path = log::transcript_path(one.session);
    if (const auto done = fetch(one, *row, *memory, path); !done) return done.error();
    Scrubbed found;
    FileScrubber(*memory, what_, found).transcript(one.session, path, one.key);
    if (!found.unreached.empty()) return Failure{Failure::Kind::io, places(found.unreached)};
    if (!found.changed.empty()) {
      if (!one.ours) return Failure{Failure::Kind::read_only, "it is somebody else's"};
      log::LogReader lines(*memory, one.session, path);
      if (const auto done = lines.refresh(); !done) return done.error();
      const Result<bool> replaced = replace_lines(connection_, *row, lines);
      if (!replaced || !*replaced) return replaced;
    }
    for (const std::string& each : found.changed)
      report_.changed.push_back("session " + one.key + each.substr(each.find(':')));
    report_.repeats.insert(report_.repeats.end(), found.repeats.begin(), found.repeats.end());
    report_.summaries.insert(report_.summaries.end(), found.summaries.begin(),
                             found.summaries.end());
    return true;
  }

  Connection& connection_;
  const model::Scrubbing& what_;
  Scrubbed& report_;
};

}  // namespace

// The session it was asked for comes last, so that whoever is stopped in the middle still knows
// what to look for.
Result<Scrubbed> DatabaseBackend::scrub(Id session, Id entry, const ScrubWish& wish) {
  const Result<StoredEntry> target = with(session, [&](OpenSession& open) {
    return open.log.locate(entry).and_then([&](Position at) { return open.log.at(at); });
  });
  if (!target) return target.error();
  const model::Scrubbing what = model::scrubbing_of(target->entry, wish.named);
  Scrubbed report;
  DatabaseScrubber scrubber(connection_, what, report);
  const Result<std::vector<OneOfAll>> all = scrubber.sessions();
  if (!all) return all.error();
  const auto own = std::ranges::find(*all, session, &OneOfAll::session);
  for (const OneOfAll& one : *all)
    if (one.session != session) scrubber.session(one);
  scrubber.blobs(*this);
  if (wish.elsewhere) wish.elsewhere(what, report);
  if (report.unreached.empty() && own != all->end()) scrubber.session(*own);
  open_.clear();
  if (!report.unreached.empty())
    return Failure{Failure::Kind::io,
                   "it may still stand in " + places(report.unreached) +
                       ". The entry was left in its own session, so that this can be done again "
                       "once that is solved"};
  report.left.emplace_back(out_of_reach);
  return report;
}

}  // namespace skein::store::postgres
