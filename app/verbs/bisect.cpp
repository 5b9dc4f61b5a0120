// skein bisect: which message of a session broke a command, tried out in a scratch folder.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/home.h"
#include "app/load_config.h"
#include "app/signals.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/checkpoints/bisect.h"
#include "core/checkpoints/rewind.h"
#include "core/model/turns.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/edit/external_editor.h"

namespace skein::verbs {

using checkpoints::Bisected, checkpoints::Verdict, checkpoints::WorkspaceFiles;
using store::SessionRecord, store::value_or_throw;

namespace {

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
    tell_user(each.path + " is not as it was then: " + each.why);
  std::fflush(stdout);
  const int status = edit::run_at_terminal(command, nullptr, {}, states.folder());
  tell_user((prompt ? "before " + to_string(*prompt) : std::string("now")) + ": exit status " +
            std::to_string(status));
  if (status >= 126)
    throw Error("the command cannot be run, or was interrupted: exit status " +
                std::to_string(status));
  return status == 0 ? Verdict::good : status == 125 ? Verdict::skip : Verdict::bad;
}

std::vector<std::string> command_words(const app::Invocation& invocation) {
  std::vector<std::string> words(invocation.arguments.begin() + 1, invocation.arguments.end());
  if (words.size() == 1) return {"/bin/sh", "-c", words.front()};
  words.insert(words.begin(), {"/bin/sh", "-c", "exec \"$@\"", "sh"});
  return words;
}

int not_found(const std::string& why) {
  print_line(why);
  return static_cast<int>(ExitStatus::turn);
}

// Says where to go on; at a terminal it is done if the user likes.
void offer_branch(store::SessionStore& store, const SessionRecord& record,
                  const model::Entry& prompt) {
  if (!prompt.parent) return;
  const std::string from = to_string(*prompt.parent);
  if (!app::attended())
    return print_line("`skein branch " + record.key + " --from " + from +
                      "` makes a session that begins before it");
  std::fputs("Make a session that begins before it? [y/N] › ", stdout);
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line) || !lower(trimmed(line)).starts_with('y')) return;
  const Id made =
      value_or_throw(store.branch_from_entry(record.header.session, *prompt.parent)).session_id;
  print_line("`skein -s " + value_or_throw(store.open(made)).key + "` goes on there");
}

std::string changes_text(WorkspaceFiles& workspace, const checkpoints::CheckpointLog& log,
                         Id prompt) {
  return checkpoints::count_text(
      checkpoints::count_of(workspace, checkpoints::changes_of(log, prompt)));
}

}  // namespace

int bisect_session(const app::Invocation& invocation) {
  store::SessionStore store = app::open_store(invocation);
  const SessionRecord found = value_or_throw(store.find(invocation.arguments.at(0)));
  const SessionRecord record = value_or_throw(store.open(found.header.session));
  const std::string root = value_or_throw(checkpoints::last_root(store, record.header.session));
  if (root.empty()) return not_found("nothing was kept of the files of " + record.key);
  if (!std::filesystem::is_directory(root))
    throw Error("the session's folder " + root + " is gone", ExitStatus::usage);
  catalog::Catalog catalog;
  const config::Config config = app::load_config(invocation, "", catalog);
  const auto sandbox = config.sandbox ? *config.sandbox : tools::sandbox::best_sandbox();
  WorkspaceFiles original(store, app::contents_of(invocation, store), root,
                          app::own_places(invocation), sandbox);
  if (original.repository.is_there() &&
      !std::filesystem::is_directory(original.repository.top() + "/.git"))
    throw Error(
        "the workspace is a linked worktree, of which no copy can be made; bisect in the "
        "repository itself");
  const checkpoints::CheckpointLog log =
      value_or_throw(checkpoints::read_log(original, record.header.session, std::nullopt));
  const std::vector<TestedTurn> turns = tested_turns(store, record, log);
  if (turns.empty()) return not_found("no message on this branch changed files");

  checkpoints::EarlierStates states(original, record.header.session, app::own_places(invocation),
                                    sandbox);
  const std::vector<std::string> command = command_words(invocation);
  const Bisected end = checkpoints::bisect(turns.size() + 1, [&](std::size_t state) {
    const bool earlier = state < turns.size();
    return test(states, earlier ? std::optional(turns[state].prompt.id) : std::nullopt, command);
  });
  switch (end.kind) {
    case Bisected::Kind::good_at_end: return not_found("the command succeeds as everything is now");
    case Bisected::Kind::bad_at_start:
      return not_found("the command fails before the first message that changed files, too");
    case Bisected::Kind::unclear:
      return not_found("the first or the last state cannot be tested (exit status 125)");
    case Bisected::Kind::found: break;
  }
  print_line(end.bad - end.good == 1 ? "this message broke it:"
                                     : "one of these messages broke it; what lies between could "
                                       "not be tested:");
  for (std::size_t i = end.good; i < end.bad; ++i)
    print_turn(turns[i], changes_text(original, log, turns[i].prompt.id));
  offer_branch(store, record, turns[end.good].prompt);
  return 0;
}

}  // namespace skein::verbs
