// skein rewind: a session and its files taken back to before a message.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "app/home.h"
#include "app/load_config.h"
#include "app/signals.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/checkpoints/rewind.h"
#include "core/model/turns.h"
#include "core/text/amounts.h"
#include "core/text/json_writer.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"

namespace skein::verbs {

using checkpoints::FileAction, checkpoints::LeftAlone, checkpoints::Plan;
using checkpoints::RestoreReport, checkpoints::RestoreRequest;
using store::SessionRecord, store::value_or_throw;

namespace {

struct Goal {
  Id entry{};
  std::optional<Id> head{};                          // where the conversation goes
  std::optional<model::payload::Restore> restore{};  // to before this one
};

Goal goal_of(store::SessionStore& store, Id session, const std::string& name) {
  if (name.empty()) throw Error("--to says where to: the id of a message", ExitStatus::usage);
  const Id id = value_or_throw(store.find_entry(session, name));
  const model::Entry entry = value_or_throw(store.load_entry(session, id));
  if (auto restore = model::read_as<model::payload::Restore>(entry)) {
    const std::optional<Id> head = restore->head;
    return {id, head, std::move(restore)};
  }
  if (!model::is_prompt(entry))
    throw Error("entry " + name + " is no message of the user's", ExitStatus::usage);
  return {id, entry.parent, std::nullopt};
}

// The folder the files are in: the one given, else the session's own. A session that came from
// elsewhere may name any folder in its checkpoints: no other is changed unless the user names it.
std::string workspace_of(const app::Invocation& invocation, store::SessionStore& store,
                         const SessionRecord& record) {
  if (!invocation.workspace.empty()) return app::workspace_folder(invocation);
  std::string root = value_or_throw(checkpoints::last_root(store, record.header.session));
  if (root.empty()) root = record.header.cwd;
  if (root != record.header.cwd)
    throw Error("the session was started in " + record.header.cwd + ", but its files were in " +
                    root + "; name the folder to restore with -C",
                ExitStatus::usage);
  if (!std::filesystem::is_directory(root))
    throw Error("the session's folder " + root + " is gone; -C names where its files are now",
                ExitStatus::usage);
  return root;
}

void add_paths(JsonWriter& writer, std::string& out, std::string_view name,
               const std::vector<std::string>& paths) {
  writer.open(name);
  out += "[";
  for (std::size_t i = 0; i < paths.size(); ++i)
    out += (i == 0 ? "" : ",") + json_string(model::escaped_path(paths[i]));
  out += "]";
}

void add_reasons(JsonWriter& writer, std::string& out, std::string_view name,
                 const std::vector<LeftAlone>& all) {
  writer.open(name);
  out += "[";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) out += ",";
    JsonWriter each(out);
    each.text("path", model::escaped_path(all[i].path));
    each.text("why", all[i].why);
    each.end();
  }
  out += "]";
}

JsonText report_json(Id target, const std::string& folder, const RestoreReport& report,
                     bool dry_run) {
  std::string out;
  JsonWriter writer(out);
  writer.text("target", to_string(target));
  writer.text("folder", model::escaped_path(folder));
  add_paths(writer, out, "changed", report.changed);
  add_paths(writer, out, "removed", report.removed);
  add_reasons(writer, out, "kept", report.kept);
  add_reasons(writer, out, "failed", report.failed);
  writer.number("insertions", report.lines.added);
  writer.number("deletions", report.lines.removed);
  writer.truth("dry_run", dry_run);
  writer.end();
  return out;
}

void print_report(const std::string& folder, const RestoreReport& report, bool dry_run) {
  print_line("in " + folder);
  const std::string would = dry_run ? "would put back  " : "put back  ";
  for (const std::string& path : report.changed) print_line(would + path);
  for (const std::string& path : report.removed)
    print_line((dry_run ? "would remove  " : "removed  ") + path);
  for (const LeftAlone& each : report.kept) print_line("kept  " + each.path + "  " + each.why);
  for (const LeftAlone& each : report.failed) print_line("failed  " + each.path + "  " + each.why);
}

bool agreed() {
  std::fputs("Do it? [y/N] › ", stdout);
  std::fflush(stdout);
  std::string line;
  return std::getline(std::cin, line) && lower(trimmed(line)).starts_with('y');
}

struct Parts {
  bool files = true, talk = true;
};
Parts parts_of(const app::Invocation& invocation) {
  const Parts parts{!invocation.has("--conversation"), !invocation.has("--files")};
  if ((!parts.files && !parts.talk) || (invocation.has("--both") && !(parts.files && parts.talk)))
    throw Error("only one of --both, --files and --conversation", ExitStatus::usage);
  return parts;
}

// Nobody works in it meanwhile, so nothing moves between looking and doing.
store::SessionLease held_alone(store::SessionStore& store, const SessionRecord& record) {
  store::Result<store::SessionLease> alone =
      store.hold(record.header.session, store::LockMode::exclusive);
  if (alone) return *std::move(alone);
  if (alone.error().kind != store::Failure::Kind::busy) return nullptr;
  throw Error(record.key + " is at work in another process; try again when it has ended",
              ExitStatus::conflict);
}

// False: that was all, or the user does not want it.
bool announce(const app::Invocation& invocation, const std::string& folder,
              checkpoints::Restorer& restorer, const Plan& plan, const RestoreRequest& request) {
  const bool json = invocation.has("--json"), dry = invocation.has("--dry-run");
  if (!dry && (json || !app::attended())) return true;
  const RestoreReport foreseen = restorer.foresee(plan, request);
  if (json)
    print_json(report_json(request.to, folder, foreseen, true));
  else
    print_report(folder, foreseen, true);
  if (dry) return false;
  if (agreed()) return true;
  print_line("nothing was changed");
  return false;
}

}  // namespace

int rewind_session(const app::Invocation& invocation) {
  const Parts parts = parts_of(invocation);
  store::SessionStore store = app::open_store(invocation);
  const SessionRecord record = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = record.header.session;
  const store::SessionLease alone = held_alone(store, record);
  const std::optional<Id> from = value_or_throw(store.open(session)).state.head;
  const Goal goal = goal_of(store, session, invocation.value("--to"));
  if (parts.talk && !goal.head && !goal.restore)
    throw Error(
        "this is the first message: there is nothing before it; --files puts only the files back",
        ExitStatus::usage);
  const bool moves = parts.talk && goal.head;
  catalog::Catalog catalog;
  const config::Config config = app::load_config(invocation, "", catalog);
  checkpoints::WorkspaceFiles workspace(
      store, app::contents_of(invocation, store), workspace_of(invocation, store, record),
      app::own_places(invocation),
      config.sandbox ? *config.sandbox : tools::sandbox::best_sandbox(), "",
      checkpoints::ScanLimits{}, app::unfinished_folder());
  const std::string& folder = workspace.root.path();
  Plan plan;
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
  checkpoints::Restorer restorer(workspace);
  if (!announce(invocation, folder, restorer, plan, request)) return 0;
  const RestoreReport report = value_or_throw(restorer.run(plan, request));
  if (moves) value_or_throw(store.set_head(session, *goal.head));
  store.remember(session, "");
  if (invocation.has("--json"))
    print_json(report_json(goal.entry, folder, report, false));
  else
    print_report(folder, report, false);
  if (!invocation.has("--json") && moves)
    print_line("the next message to " + record.key + " follows " + to_string(*goal.head) +
               "; what came after it is kept");
  return report.failed.empty() ? 0 : static_cast<int>(ExitStatus::turn);
}

}  // namespace skein::verbs
