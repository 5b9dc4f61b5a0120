// Commands that name, mask, archive and repeat parts of a session.
#include <algorithm>
#include <span>

#include "core/model/redaction.h"
#include "core/model/turns.h"
#include "core/store/children.h"
#include "core/store/repeats.h"
#include "core/store/session_name.h"
#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/file_steps.h"
#include "repl/commands/handlers.h"
#include "repl/commands/named_session.h"
#include "repl/session/session.h"

namespace skein::commands {

using model::masked, model::preview, store::value_or_throw;

namespace {

// An answer may quote what was masked.
void mask_repeats(Session& session, const model::Entry& target, const std::string& reason) {
  const std::vector<Id> repeats =
      value_or_throw(store::entries_repeating(session.store(), session.id(), target));
  if (repeats.empty()) return;
  std::vector<std::string> names;
  for (const Id each : repeats) names.push_back(short_id(each));
  const std::string these =
      counted(repeats.size(), "other entry", "other entries") + " (" + listed(names) + ")";
  if (session.keyboard() == nullptr)
    return session.screen().print("The text is also in " + these +
                                  ", which the model is still sent: /redact masks each.\n");
  if (!session.confirm("The text is also in " + these + ". Mask them too?")) return;
  for (const Id each : repeats) value_or_throw(session.store().redact(session.id(), each, reason));
  session.screen().print("masked " + these + "\n");
}

// An entry that is not in `path` comes before all of it.
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

void take_snapshot(Session& session, std::string_view name) {
  const Id head = head_of(session);
  std::string chosen(name);
  for (std::size_t n = 1; chosen.empty(); ++n)
    if (!session.conversation().state().snapshots.contains("snapshot-" + std::to_string(n)))
      chosen = "snapshot-" + std::to_string(n);
  const auto& known = session.conversation().state().snapshots;
  const auto old = known.find(chosen);
  const std::string moved =
      old != known.end() && old->second != head ? "; it was " + short_id(old->second) : "";
  if (!may_take_name(session, chosen, head)) return session.screen().print("nothing was changed\n");
  value_or_throw(session.store().snapshot(session.id(), chosen, head));
  session.conversation().reload();
  for (const std::string& remark :
       session.services().take_checkpoint(session.id(), session.stop_check()))
    session.screen().print_untrusted(remark + "\n");
  session.screen().print_untrusted("snapshot " + chosen + " marks this point" + moved +
                                   "; /rollback " + chosen + " returns to it\n");
}

void show_snapshots(Session& session, std::string_view argument) {
  if (const auto [word, name] = first_word(argument); word == "delete") {
    if (trimmed(name).empty()) throw Error("/snapshots delete takes the name of a snapshot");
    value_or_throw(session.store().delete_snapshot(session.id(), std::string(trimmed(name))));
    session.conversation().reload();
    return session.screen().print_untrusted("snapshot " + std::string(trimmed(name)) +
                                            " is gone; the entries are kept\n");
  } else if (!word.empty()) {
    throw Error("/snapshots lists them; /snapshots delete NAME deletes one");
  }
  const model::SessionState& state = session.conversation().state();
  if (state.snapshots.empty()) session.screen().print("no snapshots yet; /snapshot takes one\n");
  for (const auto& [name, entry] : state.snapshots) {
    const store::Result<model::Entry> found = session.store().load_entry(session.id(), entry);
    session.screen().print_untrusted(
        (entry == session.conversation().head() ? "* " : "  ") + name + "  " + short_id(entry) +
        "  " + (found ? preview(masked(*found, state.redacted), 50) : "(its entry is gone)") +
        "\n");
  }
}

void roll_back(Session& session, std::string_view name) {
  if (name.empty()) throw Error("/rollback takes the name of a snapshot; /snapshots lists them");
  const auto& snapshots = session.conversation().state().snapshots;
  if (const auto found = snapshots.find(std::string(name)); found != snapshots.end()) {
    const Id entry = found->second;
    move_with_files(session, {entry, entry});
  } else {
    value_or_throw(session.store().rollback(session.id(), std::string(name)));
    session.conversation().catch_up();
  }
  session.screen().print_untrusted("back at " + std::string(name) +
                                   "; later entries are kept (/tree)\n");
}

std::vector<std::string> snapshot_names(Session& session, std::string_view start) {
  return names_from(session.conversation().state().snapshots, start,
                    [](const auto& snapshot) { return snapshot.first; });
}

void redact_entry(Session& session, std::string_view entry_and_reason) {
  const auto [name, reason] = first_word(entry_and_reason);
  if (name.empty())
    throw Error("/redact takes an entry and an optional reason; /tree shows the entries");
  const Id entry = entry_named(session, name);
  const model::Entry target = value_or_throw(session.store().load_entry(session.id(), entry));
  value_or_throw(session.store().redact(session.id(), entry, std::string(reason)));
  session.screen().print("entry " + short_id(entry) +
                         " is masked in every view, export and request from now on\n");
  mask_repeats(session, target, std::string(reason));
  session.conversation().reload();
  for (const Id summary : summaries_after(entry, session.conversation().path()))
    session.screen().print(
        "The summary " + short_id(summary) +
        " came after it and may retell it in other words: check it, and /redact it if "
        "it does.\n");
}

void archive_session(Session& session, std::string_view name) {
  const store::SessionRecord record =
      name.empty() ? session.conversation().record() : value_or_throw(named_session(session, name));
  value_or_throw(store::archive_family(session.store(), record.header.session));
  session.screen().print_untrusted(store::shown_name(record) +
                                   " is archived: /sessions archived lists it, it can be read as "
                                   "before, and the next message to it unpacks it\n");
}

// Asks the same question again; the new answer is a branch beside the first, which is kept.
void retry(Session& session, std::string_view) {
  const auto asks = [](const model::Entry& entry) { return model::is_prompt(entry); };
  const std::vector<model::Entry> path = session.conversation().path_until(asks);
  const auto question = std::find_if(path.rbegin(), path.rend(), asks);
  if (question == path.rend()) throw Error("there is nothing to ask again");
  session.screen().print_untrusted("again: " + preview(*question, 60) + "\n");
  session.conversation().move_head(question->id);
  session.go_on();
}

}  // namespace skein::commands
