#include "core/store/home/repair.h"

#include <cerrno>

#include "core/store/log/new_transcript.h"

namespace skein::store::home {

namespace {

constexpr std::int64_t hour_ms = 60 * 60 * 1000;

}  // namespace

Result<std::string> rebuild_transcript(files::Files& files, log::Log& log,
                                       const SessionHeader& header) {
  const std::string aside =
      "quarantine/" + to_string(header.session) + "." + std::to_string(now_ms()) + ".jsonl";
  log::NewTranscript rebuilt(files, header);
  if (const auto done = log.each_line([&](const log::ScannedLine& found) {
        if (found.facts().type != model::type::session_header) rebuilt.add(found);
        return true;
      });
      !done)
    return done.error();
  const std::string doing = "rebuilding session " + to_string(header.session);
  if (const auto done = rebuilt.finish(doing); !done) return done.error();
  // Both names of the old file before the new one gets its: at no moment is a byte without a name.
  int failed = files.link(log::transcript_path(header.session), aside);
  if (failed == 0) failed = files.sync_folder("quarantine");
  if (failed < 0) return failure_from_errno(failed, doing);
  if (const auto done = rebuilt.rename_into_place(doing); !done) return done.error();
  return aside;
}

Result<std::vector<std::string>> remove_leftovers(files::Files& files) {
  std::vector<std::string> out;
  for (const std::string folder : {"", "transcripts", "trash", "quarantine", "blobs", "drafts"}) {
    std::vector<std::string> names;
    const int listed = files.list(folder, names);
    if (listed == -ENOENT) continue;
    if (listed < 0) return failure_from_errno(listed, "the home's folder " + folder);
    for (const std::string& name : names) {
      const std::string path = folder.empty() ? name : folder + "/" + name;
      files::FileStat stat;
      if (!name.ends_with(".tmp") || files.stat_path(path, stat) < 0 ||
          stat.kind != files::FileStat::Kind::file ||
          now_ms() - stat.mtime_ns / 1'000'000 < hour_ms)
        continue;
      if (const int removed = files.remove(path); removed < 0)
        return failure_from_errno(removed, path);
      out.push_back(path);
    }
  }
  return out;
}

}  // namespace skein::store::home
