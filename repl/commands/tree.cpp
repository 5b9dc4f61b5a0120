// Commands that move within a session's tree. Nothing is ever erased: only the head moves.
#include <algorithm>

#include "core/model/attachments.h"
#include "core/model/entry_words.h"
#include "core/model/redaction.h"
#include "core/model/tree_drawing.h"
#include "core/store/backend.h"
#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/file_steps.h"
#include "repl/commands/handlers.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/tree_view.h"
#include "repl/screen/tool_view.h"
#include "repl/session/session.h"

namespace skein::commands {

using store::value_or_throw;

namespace {

// The mark of the speaker, as on the screen.
std::string mark_of(const model::Entry& entry) {
  const auto message = model::message_of(entry);
  if (!message || message->role == model::Role::assistant || message->continuation) return {};
  if (message->role == model::Role::user) return "› ";
  for (const model::Block& block : message->content)
    if (const auto* result = std::get_if<model::ToolResult>(&block))
      return model::was_refused(*result) ? "○ " : result->is_error ? "✗ " : "● ";
  return "● ";
}

// How an entry begins, in the words of the screen: a call by its title, the rest without names of
// our own.
std::string opening_of(Session& session, const model::Entry& entry) {
  constexpr std::size_t most = 60;
  const auto message = model::message_of(entry);
  if (message) {
    const std::vector<const model::ToolUse*> calls = model::tool_uses(*message);
    if (calls.empty() || !model::words_alone(*message).empty()) return model::preview(entry, most);
    const std::string title = screen::title_of(*calls.front(), session.services().tools);
    return layout::fit(title, most) +
           (calls.size() > 1 ? " and " + std::to_string(calls.size() - 1) + " more" : "");
  }
  const std::string kind = model::kind_of(entry);
  return model::words_of(entry).empty() ? "(" + kind + ")"
                                        : kind + ": " + model::preview(entry, most);
}

// One line about an entry: its id, whether the head is there, its name, the speaker, how it begins.
// The important parts come first because the end of a line may not fit.
std::string label_of(Session& session, const model::Tree::Node& node) {
  const agent::Conversation& conversation = session.conversation();
  const store::Result<store::StoredEntry> found =
      session.store().load_at(conversation.session(), node.at);
  const auto name = conversation.state().labels.find(node.id);
  return short_id(node.id) + (node.id == conversation.head() ? "  ← you are here  " : "  ") +
         (name != conversation.state().labels.end() ? "⎇ " + name->second + "  " : "") +
         (found && found->altered ? std::string(store::altered_mark) + " " : "") +
         (found
              ? mark_of(found->entry) +
                    opening_of(session, model::masked(found->entry, conversation.state().redacted))
              : "");
}

void go_on_from(Session& session, Id entry) {
  move_with_files(session, {entry, entry});
  session.screen().print("the next message follows " + short_id(entry) +
                         "; the old branch is kept (/tree)\n");
}

void name_and_go_on(Session& session, Id entry) {
  const auto name = pick::ask_line(*session.keyboard(), "name of the branch › ");
  if (!name) return;
  if (!name->empty()) value_or_throw(session.store().label(session.id(), entry, *name));
  go_on_from(session, entry);
  session.conversation().reload();
}

void name_snapshot(Session& session, Id entry) {
  const auto name = pick::ask_line(*session.keyboard(), "name of the snapshot › ");
  if (!name || name->empty()) return;
  if (!may_take_name(session, *name, entry)) return session.screen().print("nothing was changed\n");
  value_or_throw(session.store().snapshot(session.id(), *name, entry));
  session.conversation().reload();
  session.screen().print_untrusted("snapshot " + *name + "; /rollback " + *name +
                                   " returns here\n");
}

// The newest entries, each with the number of the one it follows if that is not the one before it.
void choose_entry_by_number(Session& session, const model::Tree& tree) {
  constexpr std::size_t most = 40;
  std::vector<Id> entries;
  for (const model::Tree::Node& node : tree.nodes())
    if (!node.marginal) entries.push_back(node.id);
  const std::size_t older = entries.size() > most ? entries.size() - most : 0;
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(older));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const model::Tree::Node& node = *tree.find(entries[i]);
    std::string line = label_of(session, node);
    if (node.parent >= 0) {
      const Id parent = tree.nodes()[static_cast<std::size_t>(node.parent)].id;
      const auto place = std::ranges::find(entries, parent) - entries.begin();
      if (parent != (i > 0 ? entries[i - 1] : Id{}) &&
          place < static_cast<std::ptrdiff_t>(entries.size()))
        line += ", follows " + std::to_string(place + 1);
    }
    lines.push_back(line);
  }
  const std::string title =
      older > 0 ? "go on from, of the last " + std::to_string(most) + " entries" : "go on from";
  if (const auto chosen = session.choose(title, lines)) go_on_from(session, entries[*chosen]);
}

}  // namespace

void show_tree(Session& session, std::string_view) {
  const model::Tree tree = value_or_throw(session.store().tree(session.id()));
  if (tree.roots().empty()) return session.screen().print("nothing has been said yet\n");
  const auto label = [&](const model::Tree::Node& node) { return label_of(session, node); };
  if (session.chooses_by_number()) return choose_entry_by_number(session, tree);
  // Keys typed ahead are meant for the prompt, not for the tree view.
  if (session.keyboard() == nullptr || session.keyboard()->typed_ahead())
    return model::draw(tree, {.label = label, .nested_depth = 6},
                       [&](const std::string& line) { session.screen().print_untrusted(line); });
  const pick::TreeChoice choice =
      pick::walk_tree_view(*session.keyboard(), tree, session.conversation().head(), label);
  switch (choice.what) {
    case pick::TreeChoice::What::nothing: break;
    case pick::TreeChoice::What::go_on: go_on_from(session, choice.entry); break;
    case pick::TreeChoice::What::branch: name_and_go_on(session, choice.entry); break;
    case pick::TreeChoice::What::snapshot: name_snapshot(session, choice.entry); break;
  }
}

void show_branches(Session& session, std::string_view) {
  const auto branches = value_or_throw(session.store().branches(session.id()));
  if (branches.empty()) return session.screen().print("no branches yet: nothing has been said\n");
  for (const store::Branch& branch : branches)
    session.screen().print_untrusted(
        (branch.leaf == session.conversation().head() ? "* " : "  ") + short_id(branch.leaf) +
        "  " + counted(branch.length, "entry", "entries") + "  " + branch.preview + "\n");
}

void branch(Session& session, std::string_view entry_and_prompt) {
  const auto [entry, prompt] = first_word(entry_and_prompt);
  if (entry.empty())
    throw Error("/branch takes the entry to continue from; /tree shows the entries");
  go_on_from(session, entry_named(session, entry));
  if (!prompt.empty()) session.turn(std::string(prompt));
}

void fork_session(Session& session, std::string_view key) {
  const store::SessionHandle made = value_or_throw(
      session.store().branch_from_entry(session.id(), head_of(session), std::string(key)));
  open_with_this_model(session, made.session_id);
}

void continue_turn(Session& session, std::string_view) {
  if (session.conversation().path().empty()) throw Error("nothing has been said yet");
  session.go_on();
}

}  // namespace skein::commands
