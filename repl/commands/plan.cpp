// /plan: enters plan mode with something to plan, or shows the plan that was approved last, puts it
// on the clipboard, or into a file.
#include <array>
#include <filesystem>
#include <optional>

#include "core/exchange/output_file.h"
#include "core/plan/presented.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"
#include "repl/terminal/clipboard.h"

namespace skein::commands {

namespace {

constexpr std::array<std::string_view, 2> plan_actions{"copy", "save"};
constexpr std::string_view usual_plan_file = "PLAN.md";

std::optional<model::Plan> newest_plan(
    Session& session,
    const std::function<std::optional<model::Plan>(const model::Entry& entry)>& find) {
  const agent::Conversation& conversation = session.conversation();
  std::optional<model::Plan> found;
  conversation.path_until([&](const model::Entry& entry) {
    if (!conversation.state().redacted.contains(entry.id)) found = find(entry);
    return found.has_value();
  });
  return found;
}

model::Plan approved_plan(Session& session) {
  std::optional<model::Plan> found = newest_plan(session, plan::approved_in);
  if (!found)
    throw Error("no plan has been approved here; /plan and what to plan enters plan mode");
  return *std::move(found);
}

// Approved or not; an approved one as the user left it.
model::Plan presented_plan(Session& session) {
  std::optional<model::Plan> found = newest_plan(session, [](const model::Entry& entry) {
    std::optional<model::Plan> out = plan::approved_in(entry);
    return out ? out : plan::presented_in(entry);
  });
  if (!found)
    throw Error("no plan has been presented here; /plan and what to plan enters plan mode");
  return *std::move(found);
}

void copy_plan(Session& session) {
  const model::Plan plan = presented_plan(session);
  session.screen().flush();
  session.screen().print(
      terminal::copy_text(
          plan.text, [&](std::string_view request) { return session.marks().pass_on(request); }) +
      "\n");
}

void save_plan(Session& session, std::string_view name) {
  namespace fs = std::filesystem;
  const model::Plan plan = presented_plan(session);
  const fs::path root = fs::path(session.workspace()).lexically_normal();
  const fs::path file = (root / (name.empty() ? usual_plan_file : name)).lexically_normal();
  const fs::path below = file.lexically_relative(root);
  if (below.empty() || below == "." || *below.begin() == "..")
    throw Error("/plan save writes into the workspace; " + file.string() + " is outside of it");
  using exchange::OutputFile;
  std::error_code ignored;
  const bool there = fs::exists(fs::symlink_status(file, ignored));
  if (there && !session.confirm(below.string() + " is there already. Overwrite it?"))
    throw Error(below.string() + " stays as it is; /plan save FILE takes another name");
  OutputFile out(file.string(), there ? OutputFile::Existing::replace : OutputFile::Existing::keep);
  out.write(plan.text);
  if (!plan.text.ends_with('\n')) out.write("\n");
  out.finish();
  session.screen().print_untrusted("wrote the plan to " + below.string() + "\n");
}

}  // namespace

// One more word at most: "save the state before each step" is something to plan.
void show_plan(Session& session, std::string_view text) {
  if (text.empty()) return session.screen().show(approved_plan(session));
  const auto [action, rest] = first_word(text);
  const std::string_view file = trimmed(rest);
  if (text == "copy") return copy_plan(session);
  if (action == "save" && file.find_first_of(" \n") == std::string_view::npos)
    return save_plan(session, file);
  session.settings().rules.mode = permission::Mode::plan;
  session.screen().print("permission mode plan: " + permission::describe(permission::Mode::plan) +
                         "; Shift+Tab leaves it\n");
  session.turn(std::string(text));
}

std::vector<std::string> plan_words(Session&, std::string_view start) {
  std::vector<std::string> out;
  for (const std::string_view word : plan_actions)
    if (word.starts_with(start)) out.emplace_back(word);
  return out;
}

}  // namespace skein::commands
