// Going back and forth: /undo, /redo, /rewind, /edit, and what lies between, /diff.
#include <algorithm>
#include <utility>

#include "core/model/attachments.h"
#include "core/model/message.h"
#include "core/model/redaction.h"
#include "core/model/turns.h"
#include "core/text/amounts.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/file_steps.h"
#include "repl/commands/handlers.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/picker.h"
#include "repl/pick/session_picker.h"
#include "repl/session/session.h"

namespace skein::commands {

using checkpoints::ChangeCount, checkpoints::FileChange, checkpoints::Plan;
using store::value_or_throw;

namespace {

constexpr std::size_t most_prompts = 200;  // in the list
constexpr std::size_t most_counted = 50;   // of these, whose changes are counted

std::string prompt_text(Session& session, const model::Entry& entry) {
  const auto message =
      model::message_of(model::masked(entry, session.conversation().state().redacted));
  return message ? model::plain_text(*message) : std::string{};
}

// What the user typed, and what was attached to it.
struct Said {
  std::string words{};
  std::vector<std::string> files{};
};
Said what_was_said(Session& session, const model::Entry& entry) {
  const auto message =
      model::message_of(model::masked(entry, session.conversation().state().redacted));
  if (!message) return {};
  const std::string command = model::typed_command(entry);
  return {command.empty() ? model::words_alone(*message) : command,
          model::attached_names(*message)};
}

// The newest first.
std::vector<model::Entry> prompts_of(Session& session, std::size_t most = most_prompts) {
  std::size_t met = 0;
  const std::vector<model::Entry> path =
      session.conversation().path_until([&](const model::Entry& entry) {
        met += model::is_prompt(entry);
        return met >= most;
      });
  std::vector<model::Entry> out;
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry)
    if (model::is_prompt(*entry)) out.push_back(*entry);
  return out;
}

// What each prompt changed, git asked once for all of them.
std::vector<std::string> change_texts(Session& session, const std::vector<model::Entry>& prompts) {
  std::vector<std::string> out(prompts.size());
  checkpoints::WorkspaceFiles* const files = session.kept_files();
  if (files == nullptr || prompts.empty()) return out;
  const std::size_t counted_ones = std::min(prompts.size(), most_counted);
  const checkpoints::CheckpointLog log =
      value_or_throw(checkpoints::read_log(*files, session.id(), prompts[counted_ones - 1].id));
  std::vector<std::size_t> whose;
  std::vector<FileChange> all;
  for (std::size_t i = 0; i < counted_ones; ++i)
    for (FileChange& change : checkpoints::changes_of(log, prompts[i].id)) {
      all.push_back(std::move(change));
      whose.push_back(i);
    }
  const std::vector<ChangeCount> counts = checkpoints::count_each(*files, all, whose, counted_ones);
  for (std::size_t i = 0; i < counted_ones; ++i) out[i] = checkpoints::count_text(counts[i]);
  return out;
}

bool is_narrow(Session& session) {
  constexpr int narrow = 60;
  return session.keyboard() != nullptr && session.keyboard()->terminal().size().columns < narrow;
}

std::optional<model::Entry> pick_prompt(Session& session) {
  const std::vector<model::Entry> prompts = prompts_of(session);
  if (prompts.empty()) throw Error("nothing has been said yet");
  std::vector<std::string> changes = change_texts(session, prompts);
  std::size_t widest = 0;
  for (std::string& text : changes) {
    // What was said matters more than in how many files.
    if (is_narrow(session)) text.resize(std::min(text.find(" in "), text.size()));
    widest = std::max(widest, layout::display_width(text));
  }
  const auto& redacted = session.conversation().state().redacted;
  pick::PickList list{.title = "go back to before", .keys = "chooses it"};
  for (std::size_t i = 0; i < prompts.size(); ++i)
    list.lines.push_back(layout::padded(pick::age(prompts[i].timestamp), 7) + "  " +
                         (widest == 0 ? "" : layout::padded(changes[i], widest) + "  ") +
                         model::preview(model::masked(prompts[i], redacted), 60));
  if (session.chooses_by_number()) {
    for (std::size_t i = 0; i < prompts.size(); ++i)
      list.lines[i] = model::preview(model::masked(prompts[i], redacted), 60) + ", " +
                      pick::age(prompts[i].timestamp) +
                      (changes[i].empty() ? "" : ", " + changes[i]);
    const auto chosen = session.choose(list.title, list.lines);
    return chosen ? std::optional(prompts[*chosen]) : std::nullopt;
  }
  if (session.keyboard() == nullptr) {
    for (std::size_t i = 0; i < prompts.size(); ++i)
      session.screen().print_untrusted("  " + short_id(prompts[i].id) + "  " + list.lines[i] +
                                       "\n");
    session.screen().print("/rewind ENTRY goes back to before one of them\n");
    return std::nullopt;
  }
  const pick::Picked picked = pick::pick(*session.keyboard(), list);
  return picked.index ? std::optional(prompts[*picked.index]) : std::nullopt;
}

struct Chosen {
  bool conversation = false;
  FilesWanted files{};
};

// Nothing: the user left.
std::optional<Chosen> ask_what(Session& session, const Plan& plan) {
  const bool files = !plan.actions.empty() || !plan.by_hand.empty();
  session.screen().print_untrusted(plan_text(plan, 20));
  if (!files) {
    if (plan.is_empty()) session.screen().print("the files are as they were then\n");
    return session.confirm("Take the conversation back?") ? std::optional(Chosen{true, {}})
                                                          : std::nullopt;
  }
  if (session.chooses_by_number()) {
    const auto chosen = session.choose(
        "Take back", {"the conversation and the files", "messages only", "files only"});
    if (!chosen) return std::nullopt;
    return Chosen{*chosen != 2, {.put_back = *chosen != 1}};
  }
  if (session.keyboard() == nullptr) {
    if (!session.confirm("Take the conversation and the files back?")) return std::nullopt;
    return Chosen{true, {.put_back = true}};
  }
  for (;;) {
    const auto letter = pick::ask_choice(
        *session.keyboard(), session.screen(),
        "[c]onversation and files  [m]essages only  [f]iles only  [d]iff  [N]othing › ", "cmfd");
    if (!letter) return std::nullopt;
    if (*letter == 'd') {
      show_paged(session,
                 checkpoints::diff_of(*session.kept_files(), checkpoints::changes_of(plan)));
      continue;
    }
    Chosen chosen{*letter != 'f', {.put_back = *letter != 'm'}};
    if (chosen.files.put_back && !plan.by_hand.empty())
      chosen.files.overwrite = session.confirm("Overwrite " + counted(plan.by_hand.size(), "file") +
                                               " that changed by hand as well?");
    return chosen;
  }
}

// The message that `number` names: 1 or nothing is the last one. One that can be gone back from.
model::Entry prompt_back(Session& session, std::string_view number, const std::string& command) {
  const std::optional<std::size_t> back =
      number.empty() ? std::optional<std::size_t>(1) : number_in(number);
  if (!back || *back == 0)
    throw Error(command + " takes a number: 1 for your last message, 2 for the one before it");
  const std::vector<model::Entry> prompts = prompts_of(session, *back);
  if (prompts.empty()) throw Error("nothing has been said yet");
  if (prompts.size() < *back)
    throw Error("there " + std::string(prompts.size() == 1 ? "is" : "are") + " only " +
                counted(prompts.size(), "message") + " of yours here");
  const model::Entry& prompt = prompts[*back - 1];
  if (!prompt.parent) throw Error("this is the first message; /new starts a fresh session");
  return prompt;
}

void go_before(Session& session, const model::Entry& prompt) {
  if (!prompt.parent) throw Error("this is the first message; /new starts a fresh session");
  move_with_files(session, {prompt.id, *prompt.parent});
  session.screen().print_untrusted("went back to before: " + model::preview(prompt, 60) + "\n");
  session.put_back(prompt_text(session, prompt));
}

}  // namespace

void rewind(Session& session, std::string_view name) {
  std::optional<model::Entry> prompt;
  if (name.empty())
    prompt = pick_prompt(session);
  else
    prompt = value_or_throw(session.store().load_entry(session.id(), entry_named(session, name)));
  if (!prompt) return;
  if (!model::is_prompt(*prompt))
    throw Error("/rewind takes one of your messages; /tree shows the entries, /branch goes to any");
  const Plan plan = plan_for(session, prompt->id);
  const std::optional<Chosen> chosen = ask_what(session, plan);
  if (!chosen) return session.screen().print("nothing was changed\n");
  if (chosen->conversation && !prompt->parent)
    throw Error("this is the first message; /new starts a fresh session");
  take_step(session, {prompt->id, chosen->conversation ? prompt->parent : std::nullopt}, plan,
            chosen->files);
  if (!chosen->conversation) return session.screen().print("/redo takes that back\n");
  session.screen().print_untrusted("went back to before: " + model::preview(*prompt, 60) +
                                   "; /redo returns\n");
  session.put_back(prompt_text(session, *prompt));
}

// Goes back to before the last prompt, or before a summary if that came last. Nothing is lost:
// /redo returns to what was undone.
void undo(Session& session, std::string_view number) {
  if (!number.empty()) return go_before(session, prompt_back(session, number, "/undo"));
  agent::Conversation& conversation = session.conversation();
  bool newest = true;
  const auto undone = [&](const model::Entry& entry) {
    if (entry.type == model::type::runtime_init) return false;  // belongs to the summary
    return model::is_prompt(entry) ||
           (std::exchange(newest, false) && entry.type == model::type::compaction_summary);
  };
  const std::vector<model::Entry> path = conversation.path_until(undone);
  newest = true;
  const auto entry = std::find_if(path.rbegin(), path.rend(), undone);
  if (entry == path.rend()) throw Error("there is nothing to undo");
  if (entry->type == model::type::compaction_summary && entry->parent) {
    take_step(session, {entry->id, *entry->parent}, {}, {});
    return session.screen().print(
        "undid the summary; the model sees the original messages again\n");
  }
  go_before(session, *entry);
}

// The changed text takes the place of the old one, which stays as a branch of its own.
void edit_prompt(Session& session, std::string_view number) {
  if (session.keyboard() == nullptr)
    throw Error("no line can be edited here; /branch ENTRY TEXT goes on from another entry");
  const model::Entry prompt = prompt_back(session, number, "/edit");
  const Said said = what_was_said(session, prompt);
  const std::optional<std::string> text = session.revised(said.words);
  if (!text || is_blank(*text)) return session.screen().print("nothing was changed\n");
  for (const std::string& file : said.files)
    if (text->find(file) == std::string::npos)
      session.screen().print_untrusted("  " + file + " is not attached again\n");
  move_with_files(session, {prompt.id, *prompt.parent});
  if (!text->starts_with('/')) return session.turn(*text);
  const auto [name, arguments] = first_word(std::string_view(*text).substr(1));
  if (!session.turn_of(name, trimmed(arguments, " ")))
    throw Error("no command /" + std::string(name) + " of yours or this project can be sent");
}

void redo(Session& session, std::string_view) {
  const std::optional<model::payload::Restore> step =
      value_or_throw(checkpoints::last_step_back(session.store(), session.id()));
  if (!step) throw Error("there is nothing to redo: nothing was undone since the last message");
  const std::optional<Id> from = session.conversation().head();
  checkpoints::WorkspaceFiles* const files = session.kept_files();
  if (files != nullptr) {
    const Plan plan = value_or_throw(checkpoints::plan_before(*files, session.id(), *step));
    checkpoints::Restorer restorer(*files);
    report(session, value_or_throw(restorer.run(plan, {.session = session.id(),
                                                       .to = step->to,
                                                       .head = step->head ? from : std::nullopt,
                                                       .redo = true,
                                                       .files = step->before.has_value()})));
  } else {
    const std::vector<store::NewEntry> batch{
        {model::make_entry(model::payload::Restore{.to = step->to, .head = from, .redo = true})}};
    value_or_throw(session.store().append_session_entries(session.id(), batch));
  }
  if (step->head) session.conversation().move_head(*step->head);
  session.conversation().reload();
  session.put_back("");
  session.screen().print(step->head ? "the conversation is where it was before you went back\n"
                                    : "the files are as they were before you put them back\n");
}

void show_diff(Session& session, std::string_view since) {
  checkpoints::WorkspaceFiles* const files = session.kept_files();
  if (files == nullptr) throw Error("files are not kept in a session that is not");
  if (since == "turn") {
    const std::vector<model::Entry> prompts = prompts_of(session);
    if (prompts.empty()) throw Error("nothing has been said yet");
    const checkpoints::CheckpointLog log =
        value_or_throw(checkpoints::read_log(*files, session.id(), prompts.front().id));
    std::vector<FileChange> changes = checkpoints::changes_of(log, prompts.front().id);
    checkpoints::resolve(*files, changes);
    return show_paged(session, checkpoints::diff_of(*files, changes));
  }
  std::optional<Id> entry;
  const auto& snapshots = session.conversation().state().snapshots;
  if (const auto named = snapshots.find(std::string(since)); named != snapshots.end())
    entry = named->second;
  else if (!since.empty())
    entry = entry_named(session, since);
  const Plan plan = value_or_throw(checkpoints::plan_to(*files, session.id(), entry));
  for (const std::string& remark : plan.remarks) session.screen().print_untrusted(remark + "\n");
  show_paged(session, checkpoints::diff_of(*files, checkpoints::changes_of(plan)));
}

std::vector<std::string> diff_words(Session& session, std::string_view start) {
  std::vector<std::string> out = snapshot_names(session, start);
  if (std::string_view("turn").starts_with(start)) out.insert(out.begin(), "turn");
  return out;
}

}  // namespace skein::commands
