// Going back and forth: /undo, /redo, /rewind, /edit, and what changed in between, /diff.

#include "core/checkpoints/rewind.h"
#include "core/context/beginning.h"
#include "core/model/entry.h"
#include "core/model/message.h"
#include "core/model/scrub.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/layout/flow.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/picker.h"
#include "repl/session/session.h"

namespace skein::commands {

using checkpoints::ChangeCount, checkpoints::FileAction, checkpoints::FileChange,
    checkpoints::RestorePlan, checkpoints::RestoreReport;
using session::Services;
using store::value_or_throw;

namespace {

std::string_view verb_of(FileAction::Kind kind) {
  switch (kind) {
    case FileAction::Kind::write: return "restore  ";
    case FileAction::Kind::create: return "recreate  ";
    case FileAction::Kind::remove: return "remove  ";
    case FileAction::Kind::mode: return "set the mode of  ";
  }
  return "";
}

// The conversation moves alone; that it can move back again is recorded.
void note_step(Session& session, const model::payload::Restore& step) {
  const std::vector<store::NewEntry> batch{{model::make_entry(step)}};
  value_or_throw(session.store().append_session_entries(session.id(), batch));
}

// Without a head the conversation stays where it is.
void move_head(Session& session, std::optional<Id> head) {
  if (head) session.conversation().move_head(*head);
  session.conversation().reload();
}

struct FilesWanted {
  bool put_back = false;
  bool overwrite = false;  // also what was changed by hand
};

// The additional directories in which calls since an entry may have changed files.
std::vector<std::string> folders_changed_since(Session& session, Id entry) {
  std::vector<std::string> out;
  for (const workspace::AdditionalDirectory& folder : session.services().open_folders())
    if (!folder.read_only) out.push_back(folder.path);
  if (out.empty()) return out;
  std::string written;  // the input of those calls
  const auto is_entry = [&](const model::Entry& each) { return each.id == entry; };
  for (const model::Entry& each : session.conversation().path_until(is_entry))
    if (const auto message = model::message_of(each))
      for (const model::ToolUse* call : model::tool_uses(*message))
        if (!has_word("read grep list", call->name)) written += call->input + "\n";
  std::erase_if(out,
                [&](const std::string& path) { return written.find(path) == std::string::npos; });
  return out;
}

// The plan to an entry; empty if files are not kept.
RestorePlan plan_for(Session& session, Id entry) {
  checkpoints::WorkspaceFiles* const files = session.kept_files();
  if (files == nullptr) return {};
  return value_or_throw(checkpoints::plan_to(*files, session.id(), entry));
}

// At most so many lines about it.
std::string plan_text(const RestorePlan& plan, std::size_t lines) {
  std::vector<std::string> all;
  for (const FileAction& action : plan.actions)
    all.push_back(std::string(verb_of(action.kind)) + action.path());
  for (const FileAction& action : plan.by_hand)
    all.push_back("keep  " + action.path() + "  changed since the last checkpoint");
  for (const checkpoints::LeftAlone& each : plan.impossible)
    all.push_back("keep  " + each.path + "  " + each.why);
  for (const std::string& remark : plan.remarks) all.push_back(remark);
  std::string out;
  for (std::size_t i = 0; i < std::min(lines, all.size()); ++i) out += "  " + all[i] + "\n";
  if (all.size() > lines) out += "  and " + std::to_string(all.size() - lines) + " more\n";
  return out;
}

// A diff, a screenful at a time: as much as can be seen at once with the question below.
void show_paged(Session& session, const std::string& text) {
  constexpr std::size_t for_question = 2;
  const std::string diff = valid_utf8(text);
  if (diff.empty()) return session.screen().print("no differences\n");
  if (session.keyboard() == nullptr) return session.screen().show_diff(diff);
  const std::size_t lines = layout::rows_of(diff, 0);
  for (std::string_view rest = diff;;) {
    const terminal::Terminal::Size screen = session.keyboard()->terminal().size();
    const layout::Cut page = layout::first_rows(
        rest, std::max(screen.rows, for_question + 1) - for_question, screen.columns);
    session.screen().show_diff(page.text);
    if (page.lines_out == 0) return;
    rest.remove_prefix(page.text.size());
    const std::string where = std::to_string(lines - page.lines_out) + " of " +
                              std::to_string(lines) +
                              " lines · Space: more · any other key ends › ";
    if (!pick::ask_choice(*session.keyboard(), session.screen(), where, " ")) return;
  }
}

void show_plan_diff(Session& session, const RestorePlan& plan) {
  show_paged(session, checkpoints::diff_of(*session.kept_files(), checkpoints::changes_of(plan)));
}

// With this question; none: how many files shall be put back. Enter alone never loses what the user
// changed by hand.
FilesWanted ask_for_files(Session& session, const RestorePlan& plan, const std::string& asked = {},
                          pick::Enter enter = pick::Enter::no) {
  if (plan.actions.empty() && plan.by_hand.empty()) return {};
  if (session.services().files_follow == Services::FilesFollow::always) return {.put_back = true};
  session.screen().print_untrusted(plan_text(plan, 8));
  const std::string question = !asked.empty() ? asked
                               : plan.actions.empty()
                                   ? "also restore files changed by hand?"
                                   : "also restore " + counted(plan.actions.size(), "file") + "?";
  const bool by_hand = !plan.by_hand.empty();
  if (by_hand) enter = pick::Enter::no;
  if (session.keyboard() == nullptr) return {.put_back = session.confirm(question, enter)};
  const bool yes = enter == pick::Enter::yes;
  const std::string choices = question + (yes ? " [Y]es  " : " [y]es  ") +
                              (by_hand ? "[o]verwrite all  " : "") + "[d]iff  " +
                              (yes ? "[n]o › " : "[N]o › ");
  for (;;) {
    const auto letter =
        pick::ask_choice(*session.keyboard(), session.screen(), choices, by_hand ? "yod" : "yd",
                         yes ? std::optional('y') : std::nullopt);
    if (letter != 'd') return {.put_back = letter.has_value(), .overwrite = letter == 'o'};
    show_plan_diff(session, plan);
  }
}

void restore(Session& session, const RestorePlan& plan,
             const checkpoints::RestoreRequest& request) {
  const RestoreReport done =
      value_or_throw(checkpoints::restore(*session.kept_files(), plan, request));
  const std::size_t count = done.changed.size() + done.removed.size();
  if (count > 0)
    session.screen().print("restored " + counted(count, "file") + ", +" +
                           std::to_string(done.lines.added) + " −" +
                           std::to_string(done.lines.removed) + " lines\n");
  for (const checkpoints::LeftAlone& each : done.kept)
    session.screen().print_untrusted("  " + each.path + " was not changed: " + each.why + "\n");
  for (const checkpoints::LeftAlone& each : done.failed)
    session.screen().print_untrusted("  " + each.path + " could not be restored: " + each.why +
                                     "\n");
}

// Moves without asking.
void take_step(Session& session, const FileStep& step, const RestorePlan& plan,
               const FilesWanted& wanted) {
  const std::optional<Id> from = session.conversation().head();
  if (wanted.put_back)
    restore(session, plan,
            {.session = session.id(),
             .to = step.to,
             .head = step.head ? from : std::nullopt,
             .overwrite = wanted.overwrite});
  else if (step.head)
    note_step(session, {.to = step.to, .head = from});
  for (const std::string& folder : folders_changed_since(session, step.to))
    session.screen().print_untrusted("  files in " + folder +
                                     " are not restored: it is outside the workspace\n");
  move_head(session, step.head);
}

constexpr std::size_t most_prompts = 200;  // in the list
constexpr std::size_t most_counted = 50;   // of these, whose changes are counted

struct SentPrompt {
  std::string text{};
  std::string words{};  // that the user typed
  std::vector<std::string> files{};
};
SentPrompt what_was_said(Session& session, const model::Entry& entry) {
  const auto message =
      model::message_of(model::masked(entry, session.conversation().state().redacted));
  if (!message) return {};
  const std::string command = model::typed_command(entry);
  return {model::plain_text(*message), command.empty() ? model::words_alone(*message) : command,
          model::attached_names(*message)};
}

// Throws Error for the first prompt of a session.
Id entry_before(const model::Entry& prompt) {
  if (!prompt.parent) throw Error("this is the first message; /new starts a fresh session");
  return *prompt.parent;
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

std::optional<model::Entry> pick_prompt(Session& session) {
  const std::vector<model::Entry> prompts = prompts_of(session);
  if (prompts.empty()) throw Error("nothing has been said yet");
  std::vector<std::string> changes = change_texts(session, prompts);
  const bool narrow =
      session.keyboard() != nullptr && session.keyboard()->terminal().size().columns < 60;
  std::size_t widest = 0;
  for (std::string& text : changes) {
    // What was said matters more than in how many files.
    if (narrow) text.resize(std::min(text.find(" in "), text.size()));
    widest = std::max(widest, layout::display_width(text));
  }
  const auto& redacted = session.conversation().state().redacted;
  pick::PickList list{.title = "go back to before", .keys = "chooses"};
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
std::optional<Chosen> ask_what(Session& session, const RestorePlan& plan) {
  const bool files = !plan.actions.empty() || !plan.by_hand.empty();
  session.screen().print_untrusted(plan_text(plan, 20));
  if (!files) {
    if (plan.is_empty()) session.screen().print("no files have changed since then\n");
    return session.confirm("Go back to before this message?") ? std::optional(Chosen{true, {}})
                                                              : std::nullopt;
  }
  if (session.chooses_by_number()) {
    const auto chosen =
        session.choose("go back with", {"conversation and files", "messages only", "files only"});
    if (!chosen) return std::nullopt;
    return Chosen{*chosen != 2, {.put_back = *chosen != 1}};
  }
  if (session.keyboard() == nullptr) {
    if (!session.confirm("Go back with conversation and files?")) return std::nullopt;
    return Chosen{true, {.put_back = true}};
  }
  for (;;) {
    const auto letter = pick::ask_choice(
        *session.keyboard(), session.screen(),
        "[c]onversation and files  [m]essages only  [f]iles only  [d]iff  [N]othing › ", "cmfd");
    if (!letter) return std::nullopt;
    if (*letter == 'd') {
      show_plan_diff(session, plan);
      continue;
    }
    Chosen chosen{*letter != 'f', {.put_back = *letter != 'm'}};
    if (chosen.files.put_back && !plan.by_hand.empty())
      chosen.files.overwrite = session.confirm(
          "Also overwrite " + counted(plan.by_hand.size(), "file") + " changed by hand?");
    return chosen;
  }
}

// The message that `number` names: 1 or nothing is the last one. One that can be gone back from.
model::Entry prompt_back(Session& session, std::string_view number, const std::string& command) {
  const std::optional<std::size_t> back = number_in(number.empty() ? "1" : number);
  if (!back)
    throw Error(command + " takes a number: 1 for your last message, 2 for the one before it");
  const std::vector<model::Entry> prompts = prompts_of(session, *back);
  if (prompts.empty()) throw Error("nothing has been said yet");
  if (prompts.size() < *back)
    throw Error("you have sent only " + counted(prompts.size(), "message") + " here");
  entry_before(prompts[*back - 1]);
  return prompts[*back - 1];
}

void go_before(Session& session, const model::Entry& prompt, pick::Enter enter) {
  move_with_files(session, {prompt.id, entry_before(prompt)}, enter);
  session.screen().print_untrusted("went back to before: " + model::preview(prompt, 60) + "\n");
  session.put_back(what_was_said(session, prompt).text);
}

}  // namespace

void move_with_files(Session& session, const FileStep& step, pick::Enter enter) {
  const RestorePlan plan = session.services().files_follow == Services::FilesFollow::never
                               ? RestorePlan{}
                               : plan_for(session, step.to);
  take_step(session, step, plan, ask_for_files(session, plan, {}, enter));
}

void offer_files_of(Session& session, Id left) {
  checkpoints::WorkspaceFiles* const files = session.kept_files();
  const std::optional<Id> head = session.conversation().head();
  const bool never = session.services().files_follow == Services::FilesFollow::never;
  if (files == nullptr || never || !head || left == session.id()) return;
  const RestorePlan plan = value_or_throw(checkpoints::plan_between(*files, left, session.id()));
  if (plan.actions.empty()) return;
  const FilesWanted wanted = ask_for_files(session, plan,
                                           "restore " + counted(plan.actions.size(), "file") +
                                               " to how this session left " +
                                               (plan.actions.size() == 1 ? "it?" : "them?"));
  if (!wanted.put_back) return;
  take_step(session, {.to = *head}, plan, wanted);
  session.screen().print("/redo undoes this\n");
}

void rewind(Session& session, std::string_view name) {
  std::optional<model::Entry> prompt;
  if (name.empty())
    prompt = pick_prompt(session);
  else
    prompt = value_or_throw(session.store().load_entry(session.id(), entry_named(session, name)));
  if (!prompt) return;
  if (!model::is_prompt(*prompt))
    throw Error("/rewind takes one of your messages; /tree shows the entries, /branch goes to any");
  const RestorePlan plan = plan_for(session, prompt->id);
  const std::optional<Chosen> chosen = ask_what(session, plan);
  if (!chosen) return session.screen().print("nothing was changed\n");
  std::optional<Id> head;
  if (chosen->conversation) head = entry_before(*prompt);
  take_step(session, {prompt->id, head}, plan, chosen->files);
  if (!head) return session.screen().print("/redo undoes this\n");
  session.screen().print_untrusted("went back to before: " + model::preview(*prompt, 60) +
                                   "; /redo returns\n");
  session.put_back(what_was_said(session, *prompt).text);
}

// Goes back to before the last prompt, or before a summary if that came last; /redo returns.
// Between earlier prompts the user may have changed files: only for the last one Enter restores
// them.
void undo(Session& session, std::string_view number) {
  if (!number.empty())
    return go_before(session, prompt_back(session, number, "/undo"),
                     number == "1" ? pick::Enter::yes : pick::Enter::no);
  agent::Conversation& conversation = session.conversation();
  bool newest = true;
  const auto undone = [&](const model::Entry& entry) {
    const bool drops = context::drops_result(entry);
    if (entry.type == model::type::runtime_init && !drops) return false;  // belongs to the summary
    if (model::tells_changes(entry)) return false;
    return model::is_prompt(entry) || (std::exchange(newest, false) &&
                                       (drops || entry.type == model::type::compaction_summary));
  };
  const std::vector<model::Entry> path = conversation.path_until(undone);
  newest = true;
  const auto entry = std::find_if(path.rbegin(), path.rend(), undone);
  if (entry == path.rend()) throw Error("there is nothing to undo");
  if (!model::is_prompt(*entry) && entry->parent) {
    take_step(session, {entry->id, *entry->parent}, {}, {});
    return session.screen().print(
        entry->type == model::type::runtime_init
            ? "the model sees the result again that was dropped last\n"
            : "undid the summary; the model sees the original messages again\n");
  }
  go_before(session, *entry, pick::Enter::yes);
}

// The changed text replaces the old one, which stays as a separate branch.
void edit_prompt(Session& session, std::string_view number) {
  if (session.keyboard() == nullptr)
    throw Error("editing needs a terminal; /branch ENTRY TEXT continues from another entry");
  const model::Entry prompt = prompt_back(session, number, "/edit");
  const SentPrompt said = what_was_said(session, prompt);
  const std::optional<std::string> text = session.revised(said.words);
  if (!text || is_blank(*text)) return session.screen().print("nothing was changed\n");
  for (const std::string& file : said.files)
    if (text->find(file) == std::string::npos)
      session.screen().print_untrusted("  " + file + " is not attached again\n");
  move_with_files(session, {prompt.id, *prompt.parent});
  if (!text->starts_with('/')) return session.turn(*text);
  const auto [name, arguments] = first_word(std::string_view(*text).substr(1));
  if (!session.turn_of(name, trimmed(arguments, " ")))
    throw Error("there is no custom command /" + std::string(name));
}

void redo(Session& session, std::string_view) {
  const std::optional<model::payload::Restore> step =
      value_or_throw(checkpoints::last_step_back(session.store().transcripts(), session.id()));
  if (!step) throw Error("there is nothing to redo: nothing was undone since the last message");
  const std::optional<Id> from = session.conversation().head();
  checkpoints::WorkspaceFiles* const files = session.kept_files();
  if (files != nullptr) {
    restore(session, value_or_throw(checkpoints::plan_before(*files, session.id(), *step)),
            {.session = session.id(),
             .to = step->to,
             .head = step->head ? from : std::nullopt,
             .redo = true,
             .files = step->before.has_value()});
  } else {
    note_step(session, {.to = step->to, .head = from, .redo = true});
  }
  move_head(session, step->head);
  session.put_back("");
  session.screen().print(step->head ? "the conversation is where it was before you went back\n"
                                    : "the files are as they were before you restored them\n");
}

void show_diff(Session& session, std::string_view since) {
  checkpoints::WorkspaceFiles* const files = session.kept_files();
  if (files == nullptr) throw Error("there are no checkpoints in a session that is not saved");
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
  const RestorePlan plan = value_or_throw(checkpoints::plan_to(*files, session.id(), entry));
  session.screen().print_each(plan.remarks);
  show_plan_diff(session, plan);
}

Choices diff_words(Session& session, std::string_view start) {
  Choices out = snapshot_names(session, start);
  if (std::string_view("turn").starts_with(start)) out.insert(out.begin(), {.text = "turn"});
  return out;
}

}  // namespace skein::commands
