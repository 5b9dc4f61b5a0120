#include "repl/commands/file_steps.h"

#include <algorithm>
#include <vector>

#include "core/checkpoints/last_state.h"
#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/session/session.h"

namespace skein::commands {

using checkpoints::FileAction, checkpoints::Plan, checkpoints::RestoreReport;
using session::Services;
using store::value_or_throw;

namespace {

std::string_view verb_of(FileAction::Kind kind) {
  switch (kind) {
    case FileAction::Kind::write: return "put back  ";
    case FileAction::Kind::create: return "make again  ";
    case FileAction::Kind::remove: return "remove  ";
    case FileAction::Kind::mode: return "set the mode of  ";
  }
  return "";
}

std::string question_about(const Plan& plan) {
  std::string out = "also put " + counted(plan.actions.size(), "file") + " back?";
  if (plan.actions.empty()) out = "also put back what was changed by hand?";
  return out;
}

// So many lines that all of them, wrapped, and the question below can be seen at once.
std::size_t end_of_page(const std::vector<std::string_view>& lines, std::size_t from,
                        const terminal::Terminal::Size& screen) {
  constexpr std::size_t for_question = 2;
  const auto columns = static_cast<std::size_t>(std::max(screen.columns, 1));
  std::size_t rows = for_question, end = from;
  for (; end < lines.size(); ++end) {
    rows += std::max<std::size_t>(1, (layout::display_width(lines[end]) + columns - 1) / columns);
    if (rows > static_cast<std::size_t>(std::max(screen.rows, 1)) && end > from) break;
  }
  return end;
}

// The conversation moves alone; that it can move back again is written down.
void note_step(Session& session, const FileStep& step) {
  const std::vector<store::NewEntry> batch{{model::make_entry(
      model::payload::Restore{.to = step.to, .head = session.conversation().head()})}};
  value_or_throw(session.store().append_session_entries(session.id(), batch));
}

// The further folders in which calls since an entry may have changed files.
std::vector<std::string> folders_changed_since(Session& session, Id entry) {
  std::vector<std::string> out;
  for (const session::FolderLine& folder : session.services().folders())
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

}  // namespace

Plan plan_for(Session& session, Id entry) {
  checkpoints::WorkspaceFiles* const files = session.kept_files();
  if (files == nullptr) return {};
  return value_or_throw(checkpoints::plan_to(*files, session.id(), entry));
}

std::string plan_text(const Plan& plan, std::size_t lines) {
  std::vector<std::string> all;
  for (const FileAction& action : plan.actions)
    all.push_back(std::string(verb_of(action.kind)) + action.path());
  for (const FileAction& action : plan.by_hand)
    all.push_back("keep  " + action.path() + "  changed since skein last saw it");
  for (const checkpoints::LeftAlone& each : plan.impossible)
    all.push_back("keep  " + each.path + "  " + each.why);
  for (const std::string& remark : plan.remarks) all.push_back(remark);
  std::string out;
  for (std::size_t i = 0; i < std::min(lines, all.size()); ++i) out += "  " + all[i] + "\n";
  if (all.size() > lines) out += "  and " + std::to_string(all.size() - lines) + " more\n";
  return out;
}

FilesWanted ask_for_files(Session& session, const Plan& plan, const std::string& asked) {
  const auto follow = session.services().files_follow;
  if (plan.actions.empty() && plan.by_hand.empty()) return {};
  if (follow == Services::FilesFollow::never) return {};
  if (follow == Services::FilesFollow::always) return {.put_back = true};
  session.screen().print_untrusted(plan_text(plan, 8));
  const std::string question = asked.empty() ? question_about(plan) : asked;
  if (session.keyboard() == nullptr) return {.put_back = session.confirm(question)};
  const bool by_hand = !plan.by_hand.empty();
  const std::string choices =
      question + " [y]es  " + (by_hand ? "[o]verwrite all  " : "") + "[d]iff  [N]o › ";
  for (;;) {
    const auto letter =
        pick::ask_choice(*session.keyboard(), session.screen(), choices, by_hand ? "yod" : "yd");
    if (letter == 'd') {
      show_paged(session,
                 checkpoints::diff_of(*session.kept_files(), checkpoints::changes_of(plan)));
      continue;
    }
    return {.put_back = letter.has_value(), .overwrite = letter == 'o'};
  }
}

void report(Session& session, const RestoreReport& done) {
  const std::size_t count = done.changed.size() + done.removed.size();
  if (count > 0)
    session.screen().print("put " + counted(count, "file") + " back, +" +
                           std::to_string(done.lines.added) + " −" +
                           std::to_string(done.lines.removed) + " lines\n");
  for (const checkpoints::LeftAlone& each : done.kept)
    session.screen().print_untrusted("  " + each.path + " is as it was: " + each.why + "\n");
  for (const checkpoints::LeftAlone& each : done.failed)
    session.screen().print_untrusted("  " + each.path + " could not be put back: " + each.why +
                                     "\n");
}

void take_step(Session& session, const FileStep& step, const Plan& plan,
               const FilesWanted& wanted) {
  const std::optional<Id> from = session.conversation().head();
  if (wanted.put_back) {
    checkpoints::Restorer restorer(*session.kept_files());
    report(session, value_or_throw(restorer.run(plan, {.session = session.id(),
                                                       .to = step.to,
                                                       .head = step.head ? from : std::nullopt,
                                                       .overwrite = wanted.overwrite})));
  } else if (step.head) {
    note_step(session, step);
  }
  for (const std::string& folder : folders_changed_since(session, step.to))
    session.screen().print_untrusted("  files in " + folder +
                                     " are not restored: it is outside the workspace\n");
  if (step.head) session.conversation().move_head(*step.head);
  session.conversation().reload();
}

void move_with_files(Session& session, const FileStep& step) {
  const Plan plan = session.services().files_follow == Services::FilesFollow::never
                        ? Plan{}
                        : plan_for(session, step.to);
  take_step(session, step, plan, ask_for_files(session, plan));
}

void offer_files_of(Session& session, Id left) {
  checkpoints::WorkspaceFiles* const files = session.kept_files();
  const std::optional<Id> head = session.conversation().head();
  const bool never = session.services().files_follow == Services::FilesFollow::never;
  if (files == nullptr || never || !head || left == session.id()) return;
  const Plan plan = value_or_throw(checkpoints::plan_between(*files, left, session.id()));
  if (plan.actions.empty()) return;
  const FilesWanted wanted =
      ask_for_files(session, plan,
                    "put " + counted(plan.actions.size(), "file") + " as this session left " +
                        (plan.actions.size() == 1 ? "it?" : "them?"));
  if (!wanted.put_back) return;
  take_step(session, {.to = *head}, plan, wanted);
  session.screen().print("/redo takes that back\n");
}

void show_paged(Session& session, const std::string& text) {
  const std::string diff = valid_utf8(text);
  if (diff.empty()) return session.screen().print("nothing differs\n");
  std::vector<std::string_view> lines = split(diff, '\n');
  if (lines.back().empty()) lines.pop_back();
  if (session.keyboard() == nullptr) return session.screen().show_diff(diff);
  for (std::size_t shown = 0; shown < lines.size();) {
    const std::size_t end = end_of_page(lines, shown, session.keyboard()->terminal().size());
    std::string page;
    for (; shown < end; ++shown) page += std::string(lines[shown]) + "\n";
    session.screen().show_diff(page);
    if (shown == lines.size()) return;
    const std::string where = std::to_string(shown) + " of " + std::to_string(lines.size()) +
                              " lines · Space: more · any other key ends › ";
    if (!pick::ask_choice(*session.keyboard(), session.screen(), where, " ")) return;
  }
}

}  // namespace skein::commands
