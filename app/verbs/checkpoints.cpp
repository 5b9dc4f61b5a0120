// skein rewind, blame and bisect: a session and its files taken back to before a message; which
// message and model wrote a line of a file; which message of a session broke a command.

#include "app/invocation/signals.h"
#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/checkpoints/bisect.h"
#include "core/checkpoints/blame.h"
#include "core/checkpoints/rewind.h"
#include "core/model/entry.h"
#include "core/model/scrub.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/edit/external_editor.h"

namespace skein::verbs {

using checkpoints::LeftAlone, checkpoints::RestorePlan, checkpoints::RestoreReport;
using checkpoints::RestoreRequest, checkpoints::WorkspaceFiles;
using store::SessionRecord, store::value_or_throw;

namespace {

// `store` must outlive them.
WorkspaceFiles files_in(const Invocation& invocation, store::SessionStore& store,
                        const std::string& folder) {
  return WorkspaceFiles(store, app::contents_of(invocation, store), folder,
                        app::own_places(invocation),
                        app::load_config(invocation, "").chosen_sandbox(), "",
                        checkpoints::ScanLimits{}, app::unfinished_folder());
}

struct Goal {
  Id entry{};
  std::optional<Id> head{};                          // where the conversation goes
  std::optional<model::payload::Restore> restore{};  // to before this one
};

Goal goal_of(store::SessionStore& store, Id session, const std::string& name) {
  if (name.empty()) throw UsageError("--to is missing: give the id of a message");
  const Id id = value_or_throw(store.find_entry(session, name));
  const model::Entry entry = value_or_throw(store.load_entry(session, id));
  if (auto restore = model::read_as<model::payload::Restore>(entry)) {
    const std::optional<Id> head = restore->head;
    return {id, head, std::move(restore)};
  }
  if (!model::is_prompt(entry)) throw UsageError("entry " + name + " is not one of your messages");
  return {id, entry.parent, std::nullopt};
}

// The folder the files are in: the one given, else the session's own. A session that came from
// elsewhere may name any folder in its checkpoints: no other is changed unless the user names it.
std::string workspace_of(const Invocation& invocation, store::SessionStore& store,
                         const SessionRecord& record) {
  if (!invocation.workspace.empty()) return app::workspace_folder(invocation);
  std::string root =
      value_or_throw(checkpoints::last_root(store.transcripts(), record.header.session));
  if (root.empty()) root = record.header.cwd;
  if (root != record.header.cwd)
    throw UsageError("the session was started in " + record.header.cwd +
                     ", but its files were in " + root + "; name the folder to restore with -C");
  if (!std::filesystem::is_directory(root))
    throw UsageError("the session's folder " + root +
                     " no longer exists; use -C to name the folder that has its files now");
  return root;
}

Json paths_json(const std::vector<std::string>& paths) {
  Json out = Json::array();
  for (const std::string& path : paths) out.push_back(model::escaped_path(path));
  return out;
}

Json reasons_json(const std::vector<LeftAlone>& all) {
  Json out = Json::array();
  for (const auto& [path, why] : all)
    out.push_back({{"path", model::escaped_path(path)}, {"why", why}});
  return out;
}

JsonText report_json(Id target, const std::string& folder, const RestoreReport& report,
                     bool dry_run) {
  return dump({{"target", to_string(target)},
               {"folder", model::escaped_path(folder)},
               {"changed", paths_json(report.changed)},
               {"removed", paths_json(report.removed)},
               {"kept", reasons_json(report.kept)},
               {"failed", reasons_json(report.failed)},
               {"insertions", report.lines.added},
               {"deletions", report.lines.removed},
               {"dry_run", dry_run}});
}

void print_report(const Invocation& invocation, Id target, const std::string& folder,
                  const RestoreReport& report, bool dry_run) {
  if (invocation.has("--json")) return print_json(report_json(target, folder, report, dry_run));
  print_line("in " + folder);
  const std::string would = dry_run ? "would restore  " : "restored  ";
  for (const std::string& path : report.changed) print_line(would + path);
  for (const std::string& path : report.removed)
    print_line((dry_run ? "would remove  " : "removed  ") + path);
  for (const LeftAlone& each : report.kept) print_line("kept  " + each.path + "  " + each.why);
  for (const LeftAlone& each : report.failed) print_line("failed  " + each.path + "  " + each.why);
}

struct RewindParts {
  bool files = true, talk = true;
};
RewindParts parts_of(const Invocation& invocation) {
  const RewindParts parts{!invocation.has("--conversation"), !invocation.has("--files")};
  if ((!parts.files && !parts.talk) || (invocation.has("--both") && !(parts.files && parts.talk)))
    throw UsageError("use only one of --both, --files and --conversation");
  return parts;
}

// No other process works in it, so nothing moves between looking and doing.
store::SessionLease held_alone(store::SessionStore& store, const SessionRecord& record) {
  store::Result<store::SessionLease> alone =
      store.presence().hold(record.header.session, store::LockMode::exclusive);
  if (alone) return *std::move(alone);
  if (alone.error().kind != store::Failure::Kind::busy) return nullptr;
  throw Error(record.key + " is in use by another process; try again when that process has ended",
              ExitStatus::conflict);
}

// False: that was all, or the user does not want it.
bool announce(const Invocation& invocation, const std::string& folder, WorkspaceFiles& workspace,
              const RestorePlan& plan, const RestoreRequest& request) {
  const bool json = invocation.has("--json"), dry = invocation.has("--dry-run");
  if (!dry && (json || !app::attended())) return true;
  const RestoreReport foreseen = checkpoints::foresee(workspace, plan, request);
  print_report(invocation, request.to, folder, foreseen, true);
  if (dry) return false;
  if (agreed("Continue?")) return true;
  print_line("nothing was changed");
  return false;
}

using checkpoints::FileHistory, checkpoints::FileVersion, checkpoints::LineAuthor;
using checkpoints::LineOrigin;

namespace fs = std::filesystem;

struct Asked {
  std::string file{};  // absolute
  std::size_t line = 0;
};

Asked asked_about(const Invocation& invocation) {
  const std::string& given = invocation.arguments.at(0);
  const std::size_t colon = given.rfind(':');
  Asked out;
  if (colon != std::string::npos && colon > 0)
    out.line = parse_number<std::size_t>(std::string_view(given).substr(colon + 1)).value_or(0);
  if (out.line == 0)
    throw UsageError("'" + given + "' has no line number; use FILE:LINE, like src/main.c:12");
  std::error_code failed;
  const fs::path file =
      fs::canonical(fs::path(app::workspace_folder(invocation)) / given.substr(0, colon), failed);
  if (failed || !fs::is_regular_file(file))
    throw UsageError(given.substr(0, colon) + " is not a file");
  out.file = file.string();
  return out;
}

std::string_view name_of(FileVersion::By by, bool seen_before) {
  if (!seen_before) return "unknown";
  switch (by) {
    case FileVersion::By::turn: return "turn";
    case FileVersion::By::restore: return "restore";
    case FileVersion::By::outside: return "outside";
    case FileVersion::By::first: return "older";
  }
  return "";
}

// "2026-11-16 15:04": to the minute, as people look at it.
std::string minute_of(const std::string& time) {
  std::string out = time.substr(0, 16);
  if (out.size() > 10) out[10] = ' ';
  return out;
}

struct Found {
  std::string text{};  // of the line
  FileVersion version{};
  LineOrigin origin{};
  bool seen_before = false;            // by any checkpoint
  std::optional<LineAuthor> author{};  // of a turn
  std::optional<store::SessionRecord> session{};
};

JsonText json_of(const Asked& asked, const Found& found) {
  std::string out;
  JsonWriter writer(out);
  writer.text("file", model::escaped_path(asked.file));
  writer.number("line", static_cast<std::int64_t>(asked.line));
  writer.text("text", valid_utf8(found.text));
  writer.text("origin", name_of(found.version.by, found.seen_before));
  writer.truth("certain", found.origin.lost == 0);
  writer.text_if("since", found.version.since);
  writer.text_if("seen", found.seen_before ? found.version.seen.time : "");
  if (found.session) {
    writer.text("session", to_string(found.session->header.session));
    writer.text("key", found.session->key);
  }
  if (found.author) {
    writer.text("prompt", to_string(found.author->prompt.id));
    writer.text("prompt_text", valid_utf8(model::preview(found.author->prompt, 200)));
    if (found.author->entry) writer.text("entry", to_string(found.author->entry->id));
    writer.text_if("call", valid_utf8(found.author->call));
    writer.text_if("model", found.author->model);
  }
  writer.end();
  return out;
}

void print_author(const Found& found) {
  const LineAuthor& author = *found.author;
  print_line("written " + minute_of(found.version.seen.time) + " UTC in " + found.session->key +
             (author.model.empty() ? "" : " by " + author.model));
  print_line("  " + to_string(author.prompt.id) + "  " + model::preview(author.prompt, 70));
  if (author.entry)
    print_line("  " + to_string(author.entry->id) + "  " +
               std::string(split(author.call, '\n').front()));
  if (found.origin.lost > 0)
    print_line("or by an earlier change: " +
               counted(found.origin.lost, "earlier state is", "earlier states are") +
               " no longer saved");
}

void print_found(const Found& found) {
  using By = FileVersion::By;
  const FileVersion& version = found.version;
  if (!found.seen_before) return print_line("no checkpoint of any session contains this file");
  if (found.author) return print_author(found);
  switch (version.by) {
    case By::first:
      return print_line("older than any checkpoint: the line was already in the file on " +
                        minute_of(version.seen.time) + " UTC");
    case By::restore:
      return print_line("restored " + minute_of(version.seen.time) +
                        " UTC from a state that is in no checkpoint");
    case By::turn:
    case By::outside: break;
  }
  const std::string until =
      version.seen.time.empty() ? "" : " and " + minute_of(version.seen.time) + " UTC";
  print_line("changed by hand or by another program, " +
             std::string(until.empty() ? "since " : "between ") + minute_of(version.since) +
             (until.empty() ? " UTC, the last checkpoint of the file" : until));
}

using checkpoints::Bisected, checkpoints::Verdict;

// A turn that kept something of the files, with all that was said in it.
struct TestedTurn {
  model::Entry prompt{};
  std::vector<model::Entry> said{};
};

std::vector<TestedTurn> tested_turns(store::SessionStore& store, const SessionRecord& record,
                                     const checkpoints::CheckpointLog& log) {
  std::set<Id> kept;
  for (const checkpoints::CheckpointRecord& each : log.checkpoints)
    if (each.state.prompt) kept.insert(*each.state.prompt);
  std::vector<TestedTurn> out;
  if (!record.state.head) return out;
  bool tested = false;
  for (const store::StoredEntry& placed :
       value_or_throw(store.path(record.header.session, *record.state.head)).entries) {
    if (model::is_prompt(placed.entry)) {
      tested = kept.contains(placed.entry.id);
      if (tested) out.push_back({placed.entry});
    } else if (tested) {
      out.back().said.push_back(placed.entry);
    }
  }
  return out;
}

// What a call was about: a path, or a command.
std::string call_text(const model::ToolUse& call) {
  const Json input = parse_json(call.input).value_or(Json::object());
  const std::string path = string_at(input, "path"), command = string_at(input, "command");
  return call.name + " " + (path.empty() ? command : path);
}

void print_turn(const TestedTurn& turn, const std::string& changes) {
  print_line(to_string(turn.prompt.id) + "  " + model::preview(turn.prompt, 70));
  std::string model;
  std::vector<std::string> calls;
  for (const model::Entry& entry : turn.said)
    if (const auto message = model::message_of(entry);
        message && message->role == model::Role::assistant) {
      model = message->provider + "/" + message->model;
      for (const model::ToolUse* call : model::tool_uses(*message))
        if (call->name != "read" && call->name != "list" && call->name != "grep")
          calls.push_back(to_string(entry.id) + "  " + call_text(*call));
    }
  if (!model.empty()) print_line("  answered by " + model);
  if (!changes.empty()) print_line("  changed " + changes);
  for (const std::string& call : calls) print_line("  " + call);
}

// none: as everything is now.
Verdict test(checkpoints::EarlierStates& states, const std::optional<Id>& prompt,
             const std::vector<std::string>& command) {
  for (const checkpoints::LeftAlone& each : value_or_throw(states.show(prompt)))
    tell_user(each.path + " could not be restored to its earlier state: " + each.why);
  std::fflush(stdout);
  const int status = edit::run_at_terminal(command, nullptr, {}, states.folder());
  tell_user((prompt ? "before " + to_string(*prompt) : std::string("now")) + ": exit status " +
            std::to_string(status));
  if (status >= 126)
    throw Error("the command could not run or was interrupted: exit status " +
                std::to_string(status));
  return status == 0 ? Verdict::good : status == 125 ? Verdict::skip : Verdict::bad;
}

std::vector<std::string> command_words(const Invocation& invocation) {
  std::vector<std::string> words(invocation.arguments.begin() + 1, invocation.arguments.end());
  if (words.size() == 1) return {"/bin/sh", "-c", words.front()};
  words.insert(words.begin(), {"/bin/sh", "-c", "exec \"$@\"", "sh"});
  return words;
}

int not_found(const std::string& why) {
  print_line(why);
  return failed_status;
}

// Says where to go on; at a terminal it is done if the user likes.
void offer_branch(store::SessionStore& store, const SessionRecord& record,
                  const model::Entry& prompt) {
  if (!prompt.parent) return;
  const std::string from = to_string(*prompt.parent);
  if (!app::attended())
    return print_line("`skein branch " + record.key + " --from " + from +
                      "` creates a session that starts before that message");
  if (!agreed("Create a session that starts before that message?")) return;
  const Id made =
      value_or_throw(store.branch_from_entry(record.header.session, *prompt.parent)).session_id;
  print_line("`skein -s " + store.open(made).key + "` continues there");
}

}  // namespace

int rewind_session(const Invocation& invocation) {
  const RewindParts parts = parts_of(invocation);
  store::SessionStore store = app::open_store(invocation);
  const SessionRecord record = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = record.header.session;
  const store::SessionLease alone = held_alone(store, record);
  const std::optional<Id> from = store.open(session).state.head;
  const Goal goal = goal_of(store, session, invocation.value("--to"));
  if (parts.talk && !goal.head && !goal.restore)
    throw UsageError(
        "this is the first message, so there is nothing to go back to; --files restores only the "
        "files");
  const bool moves = parts.talk && goal.head;
  checkpoints::WorkspaceFiles workspace =
      files_in(invocation, store, workspace_of(invocation, store, record));
  const std::string& folder = workspace.root.path();
  RestorePlan plan;
  if (parts.files)
    plan = value_or_throw(goal.restore ? checkpoints::plan_before(workspace, session, *goal.restore)
                                       : checkpoints::plan_to(workspace, session, goal.entry));
  for (const std::string& remark : plan.remarks) tell_user(remark);
  const RestoreRequest request{.session = session,
                               .to = goal.entry,
                               .head = moves ? from : std::nullopt,
                               .redo = goal.restore.has_value(),
                               .overwrite = invocation.has("--overwrite"),
                               .files = parts.files};
  if (!announce(invocation, folder, workspace, plan, request)) return 0;
  const RestoreReport report = value_or_throw(checkpoints::restore(workspace, plan, request));
  if (moves) value_or_throw(store.mark(session, model::payload::Head{*goal.head}));
  store.presence().remember(session, "");
  print_report(invocation, goal.entry, folder, report, false);
  if (!invocation.has("--json") && moves)
    print_line("the next message to " + record.key + " follows " + to_string(*goal.head) +
               "; later messages are kept as a branch");
  return report.failed.empty() ? 0 : failed_status;
}

int blame_line(const Invocation& invocation) {
  const Asked asked = asked_about(invocation);
  store::SessionStore store = app::open_store(invocation);
  const fs::path file(asked.file);
  checkpoints::WorkspaceFiles folder = files_in(invocation, store, file.parent_path().string());
  const FileHistory history(folder, file.filename().string());
  for (const std::string& trouble : history.troubles) tell_user(trouble);
  const std::string now = history.text(history.versions.back()).value_or("");
  const std::vector<std::string_view> lines = split(now, '\n');
  if (asked.line > lines.size())
    throw UsageError(asked.file + " has " + counted(lines.size(), "line"));
  Found found{.text = std::string(lines[asked.line - 1])};
  found.origin = checkpoints::origin_of_line(
      history.versions, asked.line,
      [&](const FileVersion& version) { return history.text(version); });
  found.version = history.versions[found.origin.version];
  found.seen_before = !history.versions.front().seen.time.empty();
  if (found.version.by == FileVersion::By::turn) {
    found.session = store.open(found.version.seen.session);
    found.author =
        value_or_throw(checkpoints::author_of(store, found.version, asked.file, found.text));
    const auto& redacted = found.session->state.redacted;
    found.author->prompt = model::masked(found.author->prompt, redacted);
    if (found.author->entry && redacted.contains(found.author->entry->id))
      found.author->call = "(redacted)";
  }
  print_answer(invocation, invocation.has("--json") ? json_of(asked, found) : JsonText{},
               found.text);
  if (!invocation.has("--json")) print_found(found);
  return found.author ? 0 : failed_status;
}

int bisect_session(const Invocation& invocation) {
  auto [store, record, session] = open_session(invocation);
  const std::string root = value_or_throw(checkpoints::last_root(store.transcripts(), session));
  if (root.empty()) return not_found("no checkpoints of files are saved for " + record.key);
  if (!std::filesystem::is_directory(root))
    throw UsageError("the session's folder " + root + " is gone");
  WorkspaceFiles original = files_in(invocation, store, root);
  if (original.repository.is_there() &&
      !std::filesystem::is_directory(original.repository.top() + "/.git"))
    throw Error(
        "the workspace is a linked worktree, which cannot be copied; run bisect in the main "
        "repository");
  const checkpoints::CheckpointLog log =
      value_or_throw(checkpoints::read_log(original, session, std::nullopt));
  const std::vector<TestedTurn> turns = tested_turns(store, record, log);
  if (turns.empty()) return not_found("no message on this branch changed files");

  checkpoints::EarlierStates states(original, session, app::own_places(invocation),
                                    app::load_config(invocation, "").chosen_sandbox());
  const std::vector<std::string> command = command_words(invocation);
  const Bisected end = checkpoints::bisect(turns.size() + 1, [&](std::size_t state) {
    const bool earlier = state < turns.size();
    return test(states, earlier ? std::optional(turns[state].prompt.id) : std::nullopt, command);
  });
  switch (end.kind) {
    case Bisected::Kind::good_at_end:
      return not_found("the command succeeds in the current state; there is nothing to find");
    case Bisected::Kind::bad_at_start:
      return not_found("the command already fails before the first message that changed files");
    case Bisected::Kind::unclear:
      return not_found("the first or last state cannot be tested: the command exited with 125");
    case Bisected::Kind::found: break;
  }
  print_line(end.bad - end.good == 1
                 ? "this message broke it:"
                 : "one of these messages broke it; the states in between could not be tested:");
  for (std::size_t i = end.good; i < end.bad; ++i)
    print_turn(turns[i], checkpoints::count_text(checkpoints::count_of(
                             original, checkpoints::changes_of(log, turns[i].prompt.id))));
  offer_branch(store, record, turns[end.good].prompt);
  return 0;
}

}  // namespace skein::verbs
