// Commands that move within a session's tree. Nothing is ever erased: only the head moves.
#include <algorithm>
#include <utility>

#include "core/model/redaction.h"
#include "core/model/tree_drawing.h"
#include "core/model/turns.h"
#include "core/store/backend.h"
#include "core/text/amounts.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/pick/ask.h"
#include "repl/pick/tree_view.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

// The mark of the speaker, as on the screen.
std::string mark_of(const model::Entry& entry) {
  const auto message =
      entry.type == model::type::message ? model::message_from_json(entry.payload) : std::nullopt;
  if (!message || message->role == model::Role::assistant || message->continuation) return {};
  return message->role == model::Role::user ? "› " : "● ";
}

// One line about an entry: its id, whether the head is there, its name, the speaker, how it begins.
// The important parts come first because the end of a line may not fit.
std::string label_of(session::Session& session, const model::Tree::Node& node) {
  const agent::Conversation& conversation = session.conversation();
  const store::Result<store::StoredEntry> found =
      session.store().load_at(conversation.session(), node.at);
  const auto name = conversation.state().labels.find(node.id);
  return to_string(node.id).substr(0, 6) +
         (node.id == conversation.head() ? "  ← you are here  " : "  ") +
         (name != conversation.state().labels.end() ? "⎇ " + name->second + "  " : "") +
         (found && found->altered ? std::string(store::altered_mark) + " " : "") +
         (found ? mark_of(found->entry) +
                      model::preview(model::masked(found->entry, conversation.state().redacted), 60)
                : "");
}

void go_on_from(session::Session& session, Id entry) {
  session.conversation().move_head(entry);
  session.screen().print("the next message follows " + to_string(entry).substr(0, 6) +
                         "; the old branch is kept (/tree)\n");
}

void name_and_go_on(session::Session& session, Id entry) {
  const auto name = pick::ask_line(*session.keyboard(), "name of the branch › ");
  if (!name) return;
  if (!name->empty())
    store::value_or_throw(session.store().label(session.conversation().session(), entry, *name));
  go_on_from(session, entry);
  session.conversation().reload();
}

void name_snapshot(session::Session& session, Id entry) {
  const auto name = pick::ask_line(*session.keyboard(), "name of the snapshot › ");
  if (!name || name->empty()) return;
  store::value_or_throw(session.store().snapshot(session.conversation().session(), *name, entry));
  session.conversation().reload();
  session.screen().print_untrusted("snapshot " + *name + "; /rollback " + *name +
                                   " returns here\n");
}

}  // namespace

void show_tree(session::Session& session, std::string_view) {
  const model::Tree tree =
      store::value_or_throw(session.store().tree(session.conversation().session()));
  if (tree.roots().empty()) return session.screen().print("nothing has been said yet\n");
  const auto label = [&](const model::Tree::Node& node) { return label_of(session, node); };
  // Keys typed ahead are meant for the prompt, not for the tree view.
  if (session.keyboard() == nullptr || session.keyboard()->typed_ahead())
    return session.screen().print_untrusted(model::draw(tree, {.label = label, .nested_depth = 6}));
  const pick::TreeChoice choice =
      pick::walk_tree_view(*session.keyboard(), tree, session.conversation().head(), label);
  switch (choice.what) {
    case pick::TreeChoice::What::nothing: break;
    case pick::TreeChoice::What::go_on: go_on_from(session, choice.entry); break;
    case pick::TreeChoice::What::branch: name_and_go_on(session, choice.entry); break;
    case pick::TreeChoice::What::snapshot: name_snapshot(session, choice.entry); break;
  }
}

void show_branches(session::Session& session, std::string_view) {
  for (const store::Branch& branch :
       store::value_or_throw(session.store().branches(session.conversation().session())))
    session.screen().print_untrusted((branch.leaf == session.conversation().head() ? "* " : "  ") +
                                     to_string(branch.leaf).substr(0, 6) + "  " +
                                     counted(branch.length, "entry", "entries") + "  " +
                                     branch.preview + "\n");
}

void branch(session::Session& session, std::string_view entry_and_prompt) {
  const std::size_t space = std::min(entry_and_prompt.find(' '), entry_and_prompt.size());
  if (space == 0) throw Error("/branch takes the entry to continue from; /tree shows the entries");
  const Id entry = entry_named(session, entry_and_prompt.substr(0, space));
  go_on_from(session, entry);
  if (space < entry_and_prompt.size())
    session.turn(std::string(entry_and_prompt.substr(space + 1)));
}

void fork_session(session::Session& session, std::string_view key) {
  const agent::Conversation& conversation = session.conversation();
  if (!conversation.head()) throw Error("nothing has been said yet");
  const store::SessionHandle made = store::value_or_throw(session.store().branch_from_entry(
      conversation.session(), *conversation.head(), std::string(key)));
  open_with_this_model(session, made.session_id);
}

// Goes back to before the last prompt, or before a summary if that came last. Nothing is lost:
// /branch can return to what was undone.
void undo(session::Session& session, std::string_view) {
  agent::Conversation& conversation = session.conversation();
  bool newest = true;
  const auto undone = [&](const model::Entry& entry) {
    return model::is_prompt(entry) ||
           (std::exchange(newest, false) && entry.type == model::type::compaction_summary);
  };
  const std::vector<model::Entry> path = conversation.path_until(undone);
  newest = true;
  const auto entry = std::find_if(path.rbegin(), path.rend(), undone);
  if (entry == path.rend()) throw Error("there is nothing to undo");
  if (!entry->parent) throw Error("this is the first message; /new starts a fresh session");
  conversation.move_head(*entry->parent);
  if (entry->type == model::type::compaction_summary)
    session.screen().print("undid the summary; the model sees the original messages again\n");
  else
    session.screen().print_untrusted("went back to before: " + model::preview(*entry, 60) + "\n");
}

void continue_turn(session::Session& session, std::string_view) {
  if (session.conversation().path().empty()) throw Error("nothing has been said yet");
  session.go_on();
}

}  // namespace skein::commands
