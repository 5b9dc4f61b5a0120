// Commands that move within a session's tree, and that name, mask, archive and repeat parts of it.
// Nothing is ever erased: only the head moves.

#include "core/model/tree.h"
#include "core/model/entry.h"
#include "core/model/scrub.h"
#include "core/store/backend.h"
#include "core/store/children.h"
#include "core/store/session_name.h"
#include "core/store/session_store.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/commands/usage.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/picker.h"
#include "repl/screen/markdown/line.h"
#include "repl/screen/turn_view.h"
#include "repl/session/session.h"

namespace skein::commands {

using model::masked, model::preview, store::value_or_throw;

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

// What a model wrote, without the marks of Markdown.
std::string plain_preview(const model::Entry& entry, std::size_t most) {
  // Marks that the cut would part are read whole.
  return layout::fit(screen::markdown::without_marks(model::preview(entry, 8 * most)), most);
}

// How an entry begins, as the screen shows it: a call by its title.
std::string opening_of(Session& session, const model::Entry& entry) {
  constexpr std::size_t most = 60;
  const auto message = model::message_of(entry);
  if (message) {
    const std::vector<const model::ToolUse*> calls = model::tool_uses(*message);
    if (calls.empty() || !model::words_alone(*message).empty())
      return message->role == model::Role::assistant ? plain_preview(entry, most)
                                                     : model::preview(entry, most);
    const std::string title = screen::title_of(*calls.front(), session.services().tools);
    return layout::fit(title, most) +
           (calls.size() > 1 ? " and " + std::to_string(calls.size() - 1) + " more" : "");
  }
  const std::string kind = model::kind_of(entry);
  return model::words_of(entry).empty() ? "(" + kind + ")"
                                        : kind + ": " + plain_preview(entry, most);
}

// One line about an entry: its id, whether the head is there, its name, the speaker, how it begins.
// The important parts come first because the end of a line may not fit.
std::string label_of(Session& session, const model::Tree::Node& node) {
  const agent::Conversation& conversation = session.conversation();
  const store::Result<store::StoredEntry> found =
      session.store().transcripts().load_at(conversation.session(), node.at);
  const auto name = conversation.state().labels.find(node.id);
  const std::size_t width = session.screen().width();
  const bool narrow = width > 0 && width < 60 && !session.screen().look().labels;
  const char* const here = narrow ? "  ← " : "  ← you are here  ";
  return short_id(node.id) + (node.id == conversation.head() ? here : "  ") +
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
  if (!name->empty())
    value_or_throw(session.store().mark(session.id(), model::payload::Label{entry, *name}));
  go_on_from(session, entry);
  session.conversation().reload();
}

// False: another entry has the name, and the user wants it to stay there.
bool mark_entry(Session& session, const std::string& name, Id entry) {
  const auto& known = session.conversation().state().snapshots;
  const auto old = known.find(name);
  if (old != known.end() && old->second != entry &&
      !session.confirm("The snapshot " + name + " marks " + short_id(old->second) +
                       ". Move it here?")) {
    session.screen().print("nothing was changed\n");
    return false;
  }
  value_or_throw(session.store().mark(session.id(), model::payload::Snapshot{name, entry}));
  session.conversation().reload();
  return true;
}

void name_snapshot(Session& session, Id entry) {
  const auto name = pick::ask_line(*session.keyboard(), "name of the snapshot › ");
  if (name && !name->empty() && mark_entry(session, *name, entry))
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
  const std::string title = older > 0
                                ? "continue from, of the last " + std::to_string(most) + " entries"
                                : "continue from";
  if (const auto chosen = session.choose(title, lines)) go_on_from(session, entries[*chosen]);
}

// An answer may quote what was masked.
void mask_repeats(Session& session, const model::Entry& target, const std::string& reason) {
  const std::vector<Id> repeats =
      value_or_throw(store::entries_repeating(session.store(), session.id(), target));
  if (repeats.empty()) return;
  const std::string these = counted(repeats.size(), "other entry", "other entries") + " (" +
                            listed(repeats, ", ", short_id) + ")";
  if (session.keyboard() == nullptr)
    return session.screen().print("The text is also in " + these +
                                  ", which the model still sees: /redact masks each.\n");
  if (!session.confirm("The text is also in " + these + ". Mask them too?")) return;
  for (const Id each : repeats)
    value_or_throw(session.store().mark(session.id(), model::payload::Redaction{each, reason}));
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

void take_snapshot(Session& session, const std::string& name) {
  const Id head = head_of(session);
  const auto& known = session.conversation().state().snapshots;
  const auto old = known.find(name);
  const std::string moved =
      old != known.end() && old->second != head ? "; it was " + short_id(old->second) : "";
  if (!mark_entry(session, name, head)) return;
  if (checkpoints::Checkpointer* const files = session.services().checkpoints) {
    model::FileKeeper::Kept kept =
        files->take({.session = session.id(), .stopped = session.stop_check()});
    std::vector<store::NewEntry> entries;
    for (model::Entry& entry : kept.entries) entries.push_back({std::move(entry)});
    if (!entries.empty())
      value_or_throw(session.store().append_session_entries(session.id(), entries));
    session.screen().print_each(kept.notices);
  }
  session.screen().print_untrusted("snapshot " + name + " marks this point" + moved +
                                   "; /rollback " + name + " returns to it\n");
}

void delete_snapshot(Session& session, const std::string& name) {
  if (name.empty()) throw Error("/snapshot delete takes the name of a snapshot");
  value_or_throw(session.store().mark(session.id(), model::payload::Snapshot{name, std::nullopt}));
  session.conversation().reload();
  session.screen().print_untrusted("snapshot " + name + " was deleted; its entries remain\n");
}

void list_snapshots(Session& session) {
  const model::SessionState& state = session.conversation().state();
  if (state.snapshots.empty())
    session.screen().print("no snapshots yet; /snapshot NAME takes one\n");
  for (const auto& [name, entry] : state.snapshots) {
    const store::Result<model::Entry> found = session.store().load_entry(session.id(), entry);
    session.screen().print_untrusted(
        (entry == session.conversation().head() ? "* " : "  ") + name + "  " + short_id(entry) +
        "  " + (found ? preview(masked(*found, state.redacted), 50) : "(its entry is gone)") +
        "\n");
  }
}

}  // namespace

void show_tree(Session& session, std::string_view) {
  const model::Tree tree = value_or_throw(session.store().tree(session.id()));
  if (tree.roots().empty()) return session.screen().print("nothing has been said yet\n");
  const auto label = [&](const model::Tree::Node& node) { return label_of(session, node); };
  if (session.chooses_by_number()) return choose_entry_by_number(session, tree);
  terminal::Keyboard* const keys = session.idle_keyboard();
  if (keys == nullptr)
    return model::draw(tree, {.label = label, .nested_depth = 6},
                       [&](const std::string& line) { session.screen().print_untrusted(line); });
  const pick::TreeChoice choice =
      pick::walk_tree_view(*keys, tree, session.conversation().head(), label);
  switch (choice.what) {
    case pick::TreeChoice::What::nothing: break;
    case pick::TreeChoice::What::go_on: go_on_from(session, choice.entry); break;
    case pick::TreeChoice::What::branch: name_and_go_on(session, choice.entry); break;
    case pick::TreeChoice::What::snapshot: name_snapshot(session, choice.entry); break;
  }
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

void snapshot(Session& session, std::string_view argument) {
  const auto [word, rest] = first_word(argument);
  if (word.empty()) return list_snapshots(session);
  if (word == "delete") return delete_snapshot(session, std::string(trimmed(rest)));
  take_snapshot(session, std::string(argument));
}

void roll_back(Session& session, std::string_view name) {
  if (name.empty()) throw Error("/rollback takes the name of a snapshot; /snapshot lists them");
  const auto& snapshots = session.conversation().state().snapshots;
  if (const auto found = snapshots.find(std::string(name)); found != snapshots.end()) {
    const Id entry = found->second;
    move_with_files(session, {entry, entry});
  } else {
    value_or_throw(rollback(session.store(), session.id(), std::string(name)));
    session.conversation().catch_up();
  }
  session.screen().print_untrusted("back at " + std::string(name) +
                                   "; later entries are kept (/tree)\n");
}

Choices snapshot_names(Session& session, std::string_view start) {
  return names_from(session.conversation().state().snapshots, start,
                    [](const auto& snapshot) { return snapshot.first; });
}

void redact_entry(Session& session, std::string_view entry_and_reason) {
  const auto [name, reason] = first_word(entry_and_reason);
  if (name.empty())
    throw Error("/redact takes an entry and an optional reason; /tree shows the entries");
  const Id entry = entry_named(session, name);
  const model::Entry target = value_or_throw(session.store().load_entry(session.id(), entry));
  value_or_throw(
      session.store().mark(session.id(), model::payload::Redaction{entry, std::string(reason)}));
  session.screen().print("entry " + short_id(entry) +
                         " is now masked in every view, export and request\n");
  mask_repeats(session, target, std::string(reason));
  session.conversation().reload();
  tell_resend(session);
  for (const Id summary : summaries_after(entry, session.conversation().path()))
    session.screen().print(
        "The summary " + short_id(summary) +
        " came later and may repeat the text in other words; check it, and /redact it if so.\n");
}

void archive_session(Session& session, std::string_view name) {
  const store::SessionRecord record =
      name.empty() ? session.conversation().record() : value_or_throw(named_session(session, name));
  value_or_throw(store::archive_family(session.store(), record.header.session));
  session.screen().print_untrusted(store::shown_name(record) +
                                   " is archived: /sessions archived lists it. It stays readable; "
                                   "your next message to it unpacks it.\n");
}

// Asks the same question again; the new answer is another branch; the first is kept.
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
