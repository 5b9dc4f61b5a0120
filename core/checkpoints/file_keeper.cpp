#include "core/checkpoints/file_keeper.h"

#include <algorithm>
#include <utility>

#include "core/text/amounts.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;

namespace {

constexpr std::size_t most_rows = 2000, most_row_bytes = 256u << 10;  // in an entry

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i)
    out += (i == 0 ? "" : ", ") + names[i];
  return names.size() > shown ? out + " and " + std::to_string(names.size() - shown) + " more"
                              : out;
}

bool same_state(const Checkpoint& a, const Checkpoint& b) {
  return a.coverage == b.coverage && a.git == b.git && a.files == b.files;
}

// Both sorted by path; what `more` says of a file counts.
std::vector<KeptFile> joined(std::vector<KeptFile> files, const std::vector<KeptFile>& more) {
  for (const KeptFile& file : more) {
    const auto at = std::ranges::lower_bound(files, file.path, {}, &KeptFile::path);
    if (at != files.end() && at->path == file.path)
      *at = file;
    else
      files.insert(at, file);
  }
  return files;
}

}  // namespace

store::Result<model::Entry> checkpoint_entry(ContentStore& contents, Checkpoint checkpoint) {
  JsonText rows;
  if (checkpoint.files.size() <= most_rows) rows = model::files_json(checkpoint.files);
  if (checkpoint.files.size() > most_rows || rows.size() > most_row_bytes) {
    if (rows.empty()) rows = model::files_json(checkpoint.files);
    store::Result<std::string> list = contents.keep(rows);
    if (!list) return list.error();
    checkpoint.list = *std::move(list);
    checkpoint.files.clear();
  }
  return model::make_entry(checkpoint);
}

WorkspaceFiles& FileKeeper::workspace() {
  if (!workspace_) workspace_ = open_();
  return *workspace_;
}

void FileKeeper::enter(const Moment& moment) {
  if (turn_.run_id != moment.run_id) turn_ = {.run_id = moment.run_id};
}

void FileKeeper::tell(Kept& kept, const std::string& sentence) {
  if (told_.insert(sentence).second) kept.notices.push_back(sentence);
}

void FileKeeper::tell_gaps(Kept& kept, const TreeScan& scan) {
  if (const std::string& obstacle = workspace().repository.obstacle(); !obstacle.empty())
    tell(kept, "git is not asked which files have changed: " + obstacle);
  if (scan.state.coverage == Checkpoint::by_tools)
    return tell(
        kept,
        "what commands change here cannot be put back: the folder is no git repository, and "
        "has too many files or too large ones to keep them all; what write and edit change "
        "is kept");
  if (!scan.left_out.empty())
    tell(kept, counted(scan.left_out.size(), "file is", "files are") +
                   " not kept, since they are too large or not readable, and could not be "
                   "put back: " +
                   some_of(scan.left_out));
  if (!scan.passed_over.empty())
    tell(kept, "repositories inside this one are not kept, and could not be put back: " +
                   some_of(scan.passed_over));
  if (scan.converts)
    tell(kept,
         "git converts files here (line ends, LFS, encodings): those it converts can be put back "
         "only if write or edit changed them");
}

store::Result<model::Entry> FileKeeper::entry_of(const Moment& moment, std::string_view phase,
                                                 Checkpoint state) {
  state.prompt = moment.prompt;
  state.phase = phase;
  state.root = workspace().root.path();
  return checkpoint_entry(workspace().contents, std::move(state));
}

TreeScan FileKeeper::look(const Moment& moment, const TreeScanner::Modes& modes) {
  const Stop::By user(workspace().stop, moment.stopped);
  return store::value_or_throw(workspace().scanner.scan(FileLook::Contents::kept, modes));
}

model::FileKeeper::Kept FileKeeper::before_command(const Moment& moment) try {
  enter(moment);
  Kept kept;
  if (turn_.scan) return kept;
  TreeScan scan = look(moment);
  model::Entry entry = store::value_or_throw(entry_of(moment, Checkpoint::before, scan.state));
  tell_gaps(kept, scan);
  // Of a folder that is not covered there is nothing to say.
  if (scan.state.is_whole()) kept.entries.push_back(std::move(entry));
  turn_.scan = std::move(scan);
  return kept;
} catch (const Stop::Stopped&) {
  return {.refusal = "cancelled by the user"};
} catch (const Error& error) {
  return {.refusal = std::string("not run, because the files it may change could not be kept "
                                 "first: ") +
                     error.what()};
}

model::FileKeeper::Kept FileKeeper::before_write(const Moment& moment,
                                                 const model::FileBefore& file) {
  enter(moment);
  Kept kept;
  const std::string path(file.below);
  if (turn_.written.contains(path)) return kept;
  KeptFile row{.path = path, .mode = static_cast<std::uint32_t>(file.mode & 0777)};
  row.size = file.size;
  if (file.too_large) {
    row.hash = "";
    tell(kept, path + " is too large to be kept, and could not be put back");
  } else if (file.bytes) {
    store::Result<std::string> name = workspace().files.keep(*file.bytes);
    if (!name) {
      kept.refusal =
          "not written, because what is there could not be kept first: " + name.error().text;
      return kept;
    }
    row.hash = *std::move(name);
  }
  // What the scan saw before the turn's first command counts more: that came earlier.
  const bool scanned =
      turn_.scan && turn_.scan->state.is_whole() &&
      std::ranges::binary_search(turn_.scan->state.files, path, {}, &KeptFile::path);
  if (!scanned) {
    store::Result<model::Entry> entry =
        entry_of(moment, Checkpoint::before,
                 {.coverage = std::string(Checkpoint::by_tools), .files = {std::move(row)}});
    if (entry) kept.entries.push_back(*std::move(entry));
  }
  turn_.written.insert(path);
  return kept;
}

store::Result<std::vector<KeptFile>> FileKeeper::now(const std::set<std::string>& paths) {
  std::vector<KeptFile> out;
  for (const std::string& path : paths) {
    const store::Result<SeenFile> seen = workspace().files.look(path, FileLook::Contents::kept);
    if (!seen) return seen.error();
    out.push_back(seen->file);
    if (seen->kind == SeenFile::Kind::other) out.back().hash = "";
  }
  if (const auto flushed = workspace().files.flush(); !flushed) return flushed.error();
  return out;
}

model::FileKeeper::Kept FileKeeper::after_turn(const Moment& moment) {
  enter(moment);
  Kept kept;
  const ThisTurn turn = std::exchange(turn_, {});
  if (!turn.scan && turn.written.empty()) return kept;
  const Stop::By nothing(workspace().stop, {});
  Checkpoint state{.coverage = std::string(Checkpoint::by_tools)};
  std::string failed;
  if (turn.scan && turn.scan->state.is_whole()) try {
      TreeScan scan = look(moment, turn.scan->state.modes);
      tell_gaps(kept, scan);
      if (turn.written.empty() && same_state(scan.state, turn.scan->state)) return kept;
      state = std::move(scan.state);
    } catch (const Error& error) {
      failed = error.what();
    }
  try {
    state.files = joined(std::move(state.files), store::value_or_throw(now(turn.written)));
    if (state.is_whole() || !state.files.empty())
      kept.entries.push_back(
          store::value_or_throw(entry_of(moment, Checkpoint::after, std::move(state))));
  } catch (const Error& error) {
    failed = error.what();
  }
  if (!failed.empty())
    kept.notices.push_back("the files as this turn leaves them could not be kept: " + failed);
  return kept;
}

model::FileKeeper::Kept FileKeeper::take(const Moment& moment) {
  Kept kept;
  const TreeScan scan = look(moment);
  tell_gaps(kept, scan);
  if (scan.state.is_whole())
    kept.entries.push_back(store::value_or_throw(entry_of(moment, Checkpoint::before, scan.state)));
  return kept;
}

}  // namespace skein::checkpoints
