// Commands that show tools, configuration and the state of the files, and those that take words out
// of the conversation: into a file, to the clipboard, or onto the screen as they came.

#include "core/export/export_request.h"
#include "core/export/secrets.h"
#include "core/export/session_source.h"
#include "core/model/scrub.h"
#include "core/model/state.h"
#include "core/store/session_name.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/commands/usage.h"
#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/screen/markdown/line.h"
#include "repl/session/session.h"
#include "repl/terminal/requests.h"

namespace skein::commands {

using store::value_or_throw;

namespace {

// What it cost, as far as prices are known.
std::string usage_line(Session& session) {
  return model::stats_line(session.conversation().state(), session.cost());
}

std::string context_text(Session& session) {
  const context::BuiltContext built = session.context();
  const std::int64_t counted_now = counted_context(session), window = built.window.tokens;
  const std::int64_t total = counted_now > 0 ? counted_now : built.filling.total();
  const std::string tokens = (counted_now > 0 ? "" : "about ") + short_count(total);
  if (window <= 0) return tokens + " tokens";
  return tokens + " of " + short_count(window) + " tokens, " + percent(total, window);
}

// What it is called, not what it does in detail: /permissions tells that.
std::string sandbox_text(Session& session) {
  const std::string all = session.services().program->facts().sandbox;
  return all.substr(0, all.find_first_of(":;\n"));
}

std::string servers_text(Session& session) {
  return listed(session.services().server_rows(), ", ", [](const mcp::Hub::Row& each) {
    return each.name + " " + session::short_state(each);
  });
}

std::string instruction_files(Session& session) {
  std::vector<std::string> names;
  if (const instructions::Instructions* const known = session.services().program->instructions())
    for (const auto* list : {&known->documents(), &known->path_rules()})
      for (const instructions::Document& each : *list) names.push_back(each.shown);
  return listed(names);
}

// The title alone if it opens the session; else with the key.
std::string name_in_status(Session& session) {
  const store::SessionRecord& record = session.conversation().record();
  const std::string& title = record.state.title;
  if (title.empty()) return record.key;
  const store::Titles titles = store::titles_of(session.store().list({.called = title}));
  return store::typed_name(record, titles) == title ? title : title + " · " + record.key;
}

std::string settings_text(const std::vector<std::string>& files) {
  return files.empty() ? "no file" : listed(files, ", ", layout::short_folder);
}

// Names, and texts that may be foreign; empty: there is nothing to say.
std::vector<std::pair<std::string_view, std::string>> status_rows(Session& session) {
  const model::SessionState& state = session.conversation().state();
  const agent::Agent::Settings& settings = session.settings();
  const session::ProgramFacts program = session.services().program->facts();
  const std::string thinking(model::name(settings.model.thinking));
  return {{"version", program.version},
          {"session", name_in_status(session)},
          {"folder", layout::short_folder(session.workspace())},
          {"model",
           model::to_string(settings.model) + (thinking == "off" ? "" : " · thinking " + thinking)},
          {"mode", std::string(permission::name(settings.rules.mode)) + ": " +
                       permission::describe(settings.rules.mode)},
          {"sandbox", sandbox_text(session)},
          {"context", context_text(session)},
          {"used", usage_line(session)},
          {"budget", session.services().program->budget(session.conversation())},
          {"entries", counted(static_cast<std::size_t>(state.entries), "entry", "entries") + ", " +
                          counted(state.leaves.size(), "branch", "branches")},
          {"home", layout::short_folder(program.home)},
          {"settings", settings_text(program.settings)},
          {"instructions", instruction_files(session)},
          {"MCP servers", servers_text(session)},
          {"log", layout::short_folder(program.log)}};
}

// The newest thing that `find` finds in an answer, or the `back`-th before it.
std::optional<std::string> newest(
    Session& session, std::size_t back,
    const std::function<std::optional<std::string>(const model::Message&)>& find) {
  std::optional<std::string> out;
  session.conversation().path_until([&](const model::Entry& entry) {
    if (entry.type != model::type::message) return false;
    const auto message = model::message_from_json(
        model::masked(entry, session.conversation().state().redacted).payload);
    if (!message || message->role != model::Role::assistant) return false;
    std::optional<std::string> found = find(*message);
    if (!found || back-- > 0) return false;
    out = std::move(found);
    return true;
  });
  return out;
}

std::optional<std::string> answer_in(const model::Message& message) {
  std::string text = model::plain_text(message);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

// The last command that the model wanted to run in this message.
std::optional<std::string> command_in(Session& session, const model::Message& message) {
  std::optional<std::string> out;
  if (session.services().tools == nullptr) return out;
  for (const model::ToolUse* call : model::tool_uses(message)) {
    const model::Tool* tool = model::find_tool(*session.services().tools, call->name);
    if (tool == nullptr || tool->argument.kind != model::Argument::Kind::command) continue;
    const std::optional<Json> input = parse_json(call->input);
    if (input) out = string_at(*input, tool->argument.name.c_str());
  }
  return out;
}

// One code block of the newest answer that has some: the last, or the n-th.
std::string code_in(Session& session, std::string_view which) {
  const std::optional<std::size_t> wanted = number_in(which);
  if (!which.empty() && !wanted)
    throw Error("no such code block; use a number, like /copy code 2", ExitStatus::usage);
  std::size_t count = 0;
  const std::optional<std::string> found =
      newest(session, 0, [&](const model::Message& message) -> std::optional<std::string> {
        const auto blocks = screen::markdown::code_blocks(model::plain_text(message));
        if (blocks.empty()) return std::nullopt;
        count = blocks.size();
        const std::size_t at = wanted.value_or(count);
        return at <= count ? blocks[at - 1] : std::string();
      });
  if (!found) throw Error("there is no code block to copy");
  if (found->empty())
    throw Error("the answer has only " + counted(count, "code block"), ExitStatus::usage);
  return *found;
}

std::string what_to_copy(Session& session, std::string_view what) {
  if (what == "code" || what.starts_with("code ")) return code_in(session, trimmed(what.substr(4)));
  if (what == "cmd") {
    const auto found = newest(
        session, 0, [&](const model::Message& message) { return command_in(session, message); });
    if (!found) throw Error("the model has run no command here");
    return *found;
  }
  const std::optional<std::size_t> back = number_in(what.empty() ? "1" : what);
  if (!back) throw Error("usage: /copy, /copy 2, /copy code [n] or /copy cmd", ExitStatus::usage);
  const auto found = newest(session, *back - 1, answer_in);
  if (!found) throw Error("there is no answer to copy");
  return *found;
}

std::string words_for_effect(const model::Tool& tool) {
  if (!tool.does.empty()) return tool.does;
  if (tool.asks_user) return "asks you";
  if (tool.delegates) return "delegates";
  if (tool.argument.kind == model::Argument::Kind::url) return "fetches";
  return tool.effect == model::Effect::reads    ? "reads"
         : tool.effect == model::Effect::writes ? "changes"
                                                : "runs";
}

}  // namespace

void show_status(Session& session, std::string_view) {
  for (const auto& [name, text] : status_rows(session))
    session.screen().show_fact(name, layout::sanitized_row(text.empty() ? "none" : text), 14);
}

// [format] [file] [flags], as `skein export` takes them; a missing file name is made from the key.
void export_session(Session& session, std::string_view arguments) {
  std::vector<std::string_view> words = split(arguments, ' ');
  std::erase(words, "");
  const exporters::ExportRequest request = exporters::read_request(words);
  const store::SessionRecord record = session.store().open(session.id());
  exporters::Selection selection{.branch = head_of(session), .all_branches = request.all_branches};
  if (!request.branch.empty()) selection.branch = entry_named(session, request.branch);
  exporters::SecretMask mask;
  exporters::ExportedSession exported = exporters::exported_session(
      session.store(), record, selection, request.redact_secrets ? &mask : nullptr);
  exported.usage = usage_line(session);
  exported = exporters::with_options(std::move(exported), request.show);

  const std::string written = exporters::write_to_file(request, exported, session.workspace());
  if (request.redact_secrets)
    session.screen().print_untrusted(exporters::masked_report(mask.found()) + "\n");
  session.screen().print_untrusted(written + "\n");
}

Choices format_names(Session&, std::string_view start) {
  return names_from(exporters::formats(), start, &exporters::ExportFormat::name);
}

void show_tools(Session& session, std::string_view) {
  if (session.services().tools == nullptr) return;
  const layout::TerminalStyle& look = session.screen().look();
  std::size_t longest = 0, effects = 0;
  for (const model::Tool& tool : *session.services().tools) {
    longest = std::max(longest, layout::display_width(tool.name));
    effects = std::max(effects, layout::display_width(words_for_effect(tool)));
  }
  const std::size_t names = std::min<std::size_t>(longest, 16), width = session.screen().width();
  std::size_t column = 2 + names + 2 + effects + 2;
  const bool narrow = width > 0 && width < column + 24;
  if (narrow) column = 4;
  for (const model::Tool& tool : *session.services().tools) {
    const std::string name = layout::sanitized_row(tool.name);
    const std::string effect = layout::sanitized_row(words_for_effect(tool));
    const std::string what =
        layout::sanitized_row(tool.description.substr(0, tool.description.find_first_of(".\n")));
    if (look.labels) {
      session.screen().print(name + ": " + effect + ". " + what + "\n");
      continue;
    }
    const bool under = narrow || layout::display_width(name) > names;
    session.screen().print("  " + painted(layout::padded(name, names), layout::style::code, look) +
                           "  " +
                           painted(layout::padded(effect, effects), layout::style::dim, look) +
                           (under ? "\n" + std::string(column, ' ') : "  ") +
                           layout::hanging(what, column, width) + "\n");
  }
  session.screen().print(
      "Tools that change, run or fetch something ask first; /permissions shows what is allowed.\n");
}

void show_config(Session& session, std::string_view) {
  session.screen().print_untrusted(session.services().program->facts().configuration);
}

void show_health(Session& session, std::string_view) {
  const store::SessionRecord& record = session.conversation().record();
  const store::Damage damage =
      value_or_throw(session.store().transcripts().examine(record.header.session));
  session.screen().print_untrusted(
      record.key + ": " +
      counted(static_cast<std::size_t>(record.state.entries), "entry", "entries") + ", " +
      std::to_string(record.bytes) + " bytes, " + (damage.any() ? "damaged" : "undamaged") + "\n");
  const auto show = [&](const std::string& what, std::size_t count) {
    if (count > 0) session.screen().print("  " + what + ": " + std::to_string(count) + "\n");
  };
  show("altered after writing, still readable", damage.altered.size());
  show("unreadable", damage.broken.size());
  show("never confirmed", damage.uncommitted.size());
  show("gaps", damage.gaps.size());
  if (damage.any()) session.screen().print("`skein doctor` shows which bytes\n");
}

void copy_to_clipboard(Session& session, std::string_view text) {
  session.screen().flush();
  session.screen().print(
      terminal::copy_text(
          text, [&](std::string_view request) { return session.marks().pass_on(request); }) +
      "\n");
}

void copy(Session& session, std::string_view what) {
  const std::string text = what_to_copy(session, trimmed(what));
  copy_to_clipboard(session, text);
}

Choices copy_words(Session&, std::string_view start) {
  return names_from(std::array{"cmd", "code"}, start);
}

void expand_last(Session& session, std::string_view) { session.screen().expand_last(); }

void show_raw(Session& session, std::string_view) {
  const auto found = newest(session, 0, answer_in);
  if (!found) throw Error("there is no answer yet");
  session.screen().start_line();
  session.screen().pass_on(*found);
  session.screen().start_line();
}

}  // namespace skein::commands
