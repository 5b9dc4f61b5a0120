// Commands that show tools, configuration and the state of the files, or export the conversation.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/exchange/export_request.h"
#include "core/exchange/output_file.h"
#include "core/exchange/secrets.h"
#include "core/exchange/session_source.h"
#include "core/model/stats.h"
#include "core/store/session_name.h"
#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/session/session.h"

namespace skein::commands {

using store::value_or_throw;

namespace {

// What it cost, as far as prices are known.
std::string usage_line(Session& session) {
  double dollars = 0;
  bool known = true, at_least = false;
  const model::SessionState& state = session.conversation().state();
  for (const auto& [model, usage] : state.usage) {
    const auto cost = session.services().cost(model, usage);
    known = known && cost;
    if (cost) dollars += cost->dollars, at_least = at_least || cost->at_least;
  }
  return model::stats_line(state, known ? std::optional(dollars) : std::nullopt, at_least);
}

struct StatusRow {
  std::string_view name;
  std::string text;  // may be foreign; empty: there is nothing to say
};

std::string context_text(Session& session) {
  const context::BuiltContext built = session.context();
  const std::int64_t total = built.filling.total(), window = built.window.tokens;
  const std::string tokens = "about " + short_count(total);
  if (window <= 0) return tokens + " tokens";
  return tokens + " of " + short_count(window) + " tokens, " + percent(total, window);
}

// What it is called, not what it does in detail: /permissions tells that.
std::string sandbox_text(Session& session) {
  const std::string all = session.services().sandbox();
  return all.substr(0, all.find_first_of(":;\n"));
}

std::string servers_text(Session& session) {
  std::vector<std::string> parts;
  for (const session::ServerLine& each : session.services().servers())
    parts.push_back(each.name + " " + (each.trouble.empty() ? each.state : "failed"));
  return listed(parts);
}

std::string instruction_files(Session& session) {
  std::vector<std::string> names;
  for (const session::InstructionLine& each : session.services().instructions())
    names.push_back(each.name);
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

std::vector<StatusRow> status_rows(Session& session) {
  const model::SessionState& state = session.conversation().state();
  const agent::Agent::Settings& settings = session.settings();
  const session::ProgramFacts program = session.services().program();
  const std::string thinking(model::name(settings.model.thinking));
  return {{"version", program.version},
          {"session", name_in_status(session)},
          {"folder", session.workspace()},
          {"model",
           model::to_string(settings.model) + (thinking == "off" ? "" : " · thinking " + thinking)},
          {"mode", std::string(permission::name(settings.rules.mode)) + ": " +
                       permission::describe(settings.rules.mode)},
          {"sandbox", sandbox_text(session)},
          {"context", context_text(session)},
          {"used", usage_line(session)},
          {"entries", counted(static_cast<std::size_t>(state.entries), "entry", "entries") + ", " +
                          counted(state.leaves.size(), "branch", "branches")},
          {"home", program.home},
          {"settings", program.settings.empty() ? "no file" : listed(program.settings)},
          {"instructions", instruction_files(session)},
          {"MCP servers", servers_text(session)},
          {"log", program.log}};
}

}  // namespace

void show_status(Session& session, std::string_view) {
  constexpr std::size_t names = 12;
  const layout::TerminalStyle& look = session.screen().look();
  for (const StatusRow& row : status_rows(session)) {
    const std::string text = layout::sanitized_row(row.text.empty() ? "none" : row.text);
    session.screen().print(
        look.labels
            ? std::string(row.name) + ": " + text + "\n"
            : painted(layout::padded(std::string(row.name), names), layout::style::dim, look) +
                  "  " + layout::hanging(text, names + 2, session.screen().width()) + "\n");
  }
}

// [format] [file] [flags], as `skein export` takes them; a missing file name is made from the key.
void export_session(Session& session, std::string_view arguments) {
  std::vector<std::string_view> words = split(arguments, ' ');
  std::erase(words, "");
  const exchange::ExportRequest request = exchange::read_request(words);
  const store::SessionRecord record = value_or_throw(session.store().open(session.id()));
  exchange::Selection selection{.branch = head_of(session), .all_branches = request.all_branches};
  if (!request.branch.empty()) selection.branch = entry_named(session, request.branch);
  exchange::SecretMask mask;
  exchange::exporters::ExportedSession exported = exchange::exported_session(
      session.store(), record, selection, request.redact_secrets ? &mask : nullptr);
  exported.usage = usage_line(session);
  exported = exchange::exporters::with_options(std::move(exported), request.show);

  const bool named = !request.file.empty();
  const std::string file =
      named ? request.file : exchange::file_name_for(record.key, *request.format);
  const std::string path = file.starts_with('/') ? file : session.workspace() + "/" + file;
  using Existing = exchange::OutputFile::Existing;
  exchange::OutputFile output(path, named ? Existing::replace : Existing::keep);
  request.format->write(exported, [&](std::string_view piece) { output.write(piece); });
  output.finish();
  if (request.redact_secrets)
    session.screen().print_untrusted(
        mask.found().empty() ? "no secret was found\n"
                             : "masked " + counted(mask.found().size(), "secret") + ": " +
                                   exchange::counts_by_kind(mask.found()) + "\n");
  session.screen().print_untrusted("wrote " + path + " (" + with_separators(output.bytes()) +
                                   " bytes)\n");
}

std::vector<std::string> format_names(Session&, std::string_view start) {
  return names_from(exchange::exporters::formats(), start, &exchange::exporters::Format::name);
}

namespace {

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

void show_tools(Session& session, std::string_view) {
  if (session.services().tools == nullptr) return;
  const layout::TerminalStyle& look = session.screen().look();
  std::size_t longest = 0, effects = 0;
  for (const model::Tool& tool : *session.services().tools) {
    longest = std::max(longest, layout::display_width(tool.name));
    effects = std::max(effects, layout::display_width(words_for_effect(tool)));
  }
  const std::size_t names = std::min<std::size_t>(longest, 16),
                    column = 2 + names + 2 + effects + 2;
  for (const model::Tool& tool : *session.services().tools) {
    const std::string name = layout::sanitized_row(tool.name);
    const std::string effect = layout::sanitized_row(words_for_effect(tool));
    const std::string what =
        layout::sanitized_row(tool.description.substr(0, tool.description.find_first_of(".\n")));
    if (look.labels) {
      session.screen().print(name + ": " + effect + ". " + what + "\n");
      continue;
    }
    const bool under = layout::display_width(name) > names;
    session.screen().print("  " + painted(layout::padded(name, names), layout::style::code, look) +
                           "  " +
                           painted(layout::padded(effect, effects), layout::style::dim, look) +
                           (under ? "\n" + std::string(column, ' ') : "  ") +
                           layout::hanging(what, column, session.screen().width()) + "\n");
  }
  session.screen().print(
      "Tools that change, run or fetch something ask first; /permissions shows what is "
      "allowed.\n");
}

void show_config(Session& session, std::string_view) {
  session.screen().print_untrusted(session.services().configuration());
}

void show_health(Session& session, std::string_view) {
  const store::SessionRecord& record = session.conversation().record();
  const store::Damage damage = value_or_throw(session.store().examine(record.header.session));
  session.screen().print_untrusted(
      record.key + ": " +
      counted(static_cast<std::size_t>(record.state.entries), "entry", "entries") + ", " +
      std::to_string(record.bytes) + " bytes, " + (damage.any() ? "damaged" : "undamaged") + "\n");
  const auto show = [&](const std::string& what, std::size_t count) {
    if (count > 0) session.screen().print("  " + what + ": " + std::to_string(count) + "\n");
  };
  show("altered after writing, still readable", damage.altered.size());
  show("unreadable", damage.broken.size());
  show("never acknowledged", damage.uncommitted.size());
  show("gaps", damage.gaps.size());
  if (damage.any()) session.screen().print("`skein doctor` shows which bytes\n");
}

}  // namespace skein::commands
