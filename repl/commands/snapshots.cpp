// Commands that name, mask, pack and repeat what was said.
#include <algorithm>
#include <span>

#include "core/model/redaction.h"
#include "core/model/turns.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/shell.h"

namespace skein::commands {

namespace {

std::string short_id(Id id) { return to_string(id).substr(0, 8); }

Id head_of(repl::Shell& shell) {
  const auto head = shell.conversation().head();
  if (!head) throw Error("nothing has been said yet");
  return *head;
}

// An entry that is not among those read lies before them all.
std::vector<Id> summaries_after(Id entry, std::span<const model::Entry> path) {
  auto from = std::ranges::find(path, entry, &model::Entry::id);
  if (from == path.end()) from = path.begin();
  std::vector<Id> out;
  for (; from != path.end(); ++from)
    if (from->type == model::type::compaction_summary || from->type == model::type::branch_summary)
      out.push_back(from->id);
  return out;
}

}  // namespace

void take_snapshot(repl::Shell& shell, std::string_view name) {
  const Id head = head_of(shell);
  std::string chosen(name);
  for (std::size_t n = 1; chosen.empty(); ++n)
    if (!shell.conversation().state().snapshots.contains("snapshot-" + std::to_string(n)))
      chosen = "snapshot-" + std::to_string(n);
  const auto& known = shell.conversation().state().snapshots;
  const auto old = known.find(chosen);
  const std::string moved =
      old != known.end() && old->second != head ? "; it was " + short_id(old->second) : "";
  store::value_or_throw(shell.store().snapshot(shell.conversation().session(), chosen, head));
  shell.conversation().reload();
  shell.screen().print_untrusted("snapshot " + chosen + " is this place" + moved + "; /rollback " +
                                 chosen + " comes back to it\n");
}

void show_snapshots(repl::Shell& shell, std::string_view) {
  const model::SessionState& state = shell.conversation().state();
  if (state.snapshots.empty()) shell.screen().print("no snapshots yet; /snapshot takes one\n");
  for (const auto& [name, entry] : state.snapshots) {
    const store::Result<model::Entry> found =
        shell.store().load_entry(shell.conversation().session(), entry);
    shell.screen().print_untrusted((entry == shell.conversation().head() ? "* " : "  ") + name +
                                   "  " + short_id(entry) + "  " +
                                   (found
                                        ? model::preview(model::masked(*found, state.redacted), 50)
                                        : "(its entry is gone)") +
                                   "\n");
  }
}

void roll_back(repl::Shell& shell, std::string_view name) {
  if (name.empty()) throw Error("/rollback takes the name of a snapshot; /snapshots lists them");
  store::value_or_throw(shell.store().rollback(shell.conversation().session(), std::string(name)));
  shell.conversation().catch_up();
  shell.screen().print_untrusted("back at " + std::string(name) +
                                 "; what came after it stays (/tree)\n");
}

std::vector<std::string> snapshot_names(repl::Shell& shell, std::string_view start) {
  std::vector<std::string> out;
  for (const auto& [name, entry] : shell.conversation().state().snapshots)
    if (name.starts_with(start)) out.push_back(name);
  return out;
}

void redact_entry(repl::Shell& shell, std::string_view entry_and_reason) {
  const std::size_t space = std::min(entry_and_reason.find(' '), entry_and_reason.size());
  if (space == 0) throw Error("/redact takes an entry, and a reason if you like; /tree shows them");
  const Id entry = entry_named(shell, entry_and_reason.substr(0, space));
  const std::string reason(entry_and_reason.substr(std::min(space + 1, entry_and_reason.size())));
  store::value_or_throw(shell.store().redact(shell.conversation().session(), entry, reason));
  shell.conversation().reload();
  shell.screen().print("entry " + short_id(entry) +
                       " is masked in every view, export and request from now on\n");
  for (const Id summary : summaries_after(entry, shell.conversation().path()))
    shell.screen().print("The summary " + short_id(summary) +
                         " came after it and may retell it in other words: read it, /redact it if "
                         "it does.\n");
}

void archive_session(repl::Shell& shell, std::string_view name) {
  const store::SessionRecord record = name.empty()
                                          ? shell.conversation().record()
                                          : store::value_or_throw(shell.store().find(name));
  store::value_or_throw(shell.store().archive(record.header.session));
  shell.screen().print_untrusted(record.key +
                                 " is packed; it is read as before, and the next message to it "
                                 "unpacks it\n");
}

// The same question once more: another answer beside the first, which stays.
void retry(repl::Shell& shell, std::string_view) {
  const auto asks = [](const model::Entry& entry) { return model::is_prompt(entry); };
  const std::vector<model::Entry> path = shell.conversation().path_until(asks);
  const auto question = std::find_if(path.rbegin(), path.rend(), asks);
  if (question == path.rend()) throw Error("there is nothing to ask again");
  shell.screen().print_untrusted("again: " + model::preview(*question, 60) + "\n");
  shell.conversation().move_head(question->id);
  shell.go_on();
}

}  // namespace skein::commands
