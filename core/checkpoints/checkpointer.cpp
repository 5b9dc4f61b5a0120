#include "core/checkpoints/checkpointer.h"

#include "core/checkpoints/checkpoint_log.h"
#include "core/text/text.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;

namespace {

constexpr std::size_t most_rows = 2000, most_row_bytes = 256u << 10;  // in an entry

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
  const JsonText rows = model::files_json(checkpoint.files);
  if (checkpoint.files.size() > most_rows || rows.size() > most_row_bytes) {
    checkpoint.list = TRY(contents->keep_blob(rows));
    checkpoint.files.clear();
  }
  return model::make_entry(checkpoint);
}

WorkspaceFiles& Checkpointer::workspace() {
  if (!workspace_) workspace_ = open_();
  return *workspace_;
}

void Checkpointer::enter(const Moment& moment) {
  if (turn_.run_id != moment.run_id) turn_ = {.run_id = moment.run_id};
}

void Checkpointer::warn(Kept& kept, const std::string& sentence) {
  if (warned_.insert(sentence).second) kept.notices.push_back(sentence);
}

void Checkpointer::warn_of_gaps(Kept& kept, const TreeScan& scan) {
  if (const std::string& obstacle = workspace().repository.obstacle(); !obstacle.empty())
    warn(kept, "skein does not ask git which files have changed: " + obstacle);
  if (scan.state.coverage == Checkpoint::by_tools)
    return warn(kept,
                "changes that commands make here cannot be undone: the folder is not a git "
                "repository and has too many or too large files to save them all; files that write "
                "and edit change are saved");
  if (!scan.left_out.empty())
    warn(kept, counted(scan.left_out.size(), "file is", "files are") +
                   " not saved because they are too large or unreadable, and cannot be restored: " +
                   listed(scan.left_out, 3));
  if (!scan.passed_over.empty())
    warn(kept, "repositories inside this one are not saved and cannot be restored: " +
                   listed(scan.passed_over, 3));
  if (scan.converts)
    warn(kept,
         "git converts files here (line ends, LFS, encodings); those can be restored only if "
         "write or edit changed them");
}

store::Result<model::Entry> Checkpointer::entry_of(const Moment& moment, std::string_view phase,
                                                   Checkpoint state) {
  state.prompt = moment.prompt;
  state.phase = phase;
  state.root = workspace().root.path();
  return checkpoint_entry(workspace().contents, std::move(state));
}

TreeScan Checkpointer::look(const Moment& moment, const UsualModes& modes) {
  const StopRequest::By user(workspace().stop, moment.stopped);
  return store::value_or_throw(scan(workspace(), FileLook::Contents::kept, modes));
}

model::FileKeeper::Kept Checkpointer::before_command(const Moment& moment) try {
  enter(moment);
  Kept kept;
  if (turn_.scan) return kept;
  TreeScan scan = look(moment);
  model::Entry entry = store::value_or_throw(entry_of(moment, Checkpoint::before, scan.state));
  warn_of_gaps(kept, scan);
  // Of a folder that is not covered there is nothing to say.
  if (scan.state.is_whole()) kept.entries.push_back(std::move(entry));
  turn_.scan = std::move(scan);
  return kept;
} catch (const StopRequest::Stopped&) {
  return {.refusal = "cancelled by the user"};
} catch (const Error& error) {
  return {.refusal = std::string("not run: the files it may change could not be saved first: ") +
                     error.what()};
}

model::FileKeeper::Kept Checkpointer::before_write(const Moment& moment,
                                                   const model::FileBefore& file) {
  enter(moment);
  Kept kept;
  const std::string path(file.below);
  if (turn_.written.contains(path)) return kept;
  KeptFile row{
      .path = path, .mode = static_cast<std::uint32_t>(file.mode & 0777), .size = file.size};
  if (file.too_large) {
    row.hash = "";
    warn(kept, path + " is too large to be saved and cannot be restored");
  } else if (file.bytes) {
    store::Result<std::string> name = workspace().contents->keep_blob(*file.bytes);
    if (!name) {
      kept.refusal =
          "not written: the present contents could not be saved first: " + name.error().text;
      return kept;
    }
    row.hash = *std::move(name);
  }
  // What the scan saw before the turn's first command counts more: that came earlier.
  const bool scanned =
      turn_.scan && turn_.scan->state.is_whole() && row_of(turn_.scan->state, path) != nullptr;
  if (!scanned) {
    store::Result<model::Entry> entry =
        entry_of(moment, Checkpoint::before,
                 {.coverage = std::string(Checkpoint::by_tools), .files = {std::move(row)}});
    if (entry) kept.entries.push_back(*std::move(entry));
  }
  turn_.written.insert(path);
  return kept;
}

store::Result<std::vector<KeptFile>> Checkpointer::now(const std::set<std::string>& paths) {
  std::vector<KeptFile> out;
  for (const std::string& path : paths) {
    const SeenFile seen = TRY(workspace().files.look(path, FileLook::Contents::kept));
    out.push_back(seen.file);
    if (seen.kind == SeenFile::Kind::other) out.back().hash = "";
  }
  TRY(workspace().files.flush());
  return out;
}

model::FileKeeper::Kept Checkpointer::after_turn(const Moment& moment) {
  enter(moment);
  Kept kept;
  const ThisTurn turn = std::exchange(turn_, {});
  if (!turn.scan && turn.written.empty()) return kept;
  const StopRequest::By nothing(workspace().stop, {});
  Checkpoint state{.coverage = std::string(Checkpoint::by_tools)};
  std::string failed;
  if (turn.scan && turn.scan->state.is_whole()) try {
      TreeScan scan = look(moment, turn.scan->state.modes);
      warn_of_gaps(kept, scan);
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
    kept.notices.push_back("the state of the files after this turn could not be saved: " + failed);
  return kept;
}

model::FileKeeper::Kept Checkpointer::take(const Moment& moment) {
  Kept kept;
  const TreeScan scan = look(moment);
  warn_of_gaps(kept, scan);
  if (scan.state.is_whole())
    kept.entries.push_back(store::value_or_throw(entry_of(moment, Checkpoint::before, scan.state)));
  return kept;
}

}  // namespace skein::checkpoints
