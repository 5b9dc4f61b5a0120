// Commands that show tools, configuration and the state of the files, or export the conversation.
#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <iterator>

#include <cerrno>
#include <cstring>

#include "core/exchange/export.h"
#include "core/model/redaction.h"
#include "core/text/amounts.h"
#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/layout/width.h"
#include "repl/session/session.h"

namespace skein::commands {

using model::Entry, store::value_or_throw;

namespace {

struct Format {
  std::string_view name, suffix;
  std::string (*write)(std::string_view title, std::span<const Entry> path);
};
constexpr Format formats[] = {
    {"markdown", ".md", exchange::as_markdown},
    {"jsonl", ".jsonl",
     [](std::string_view, std::span<const Entry> path) { return exchange::as_json_lines(path); }},
};

// An export may contain secrets, so only the user may read it; it never overwrites a file.
void write_new_file(const std::string& path, std::string_view text) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd || !write_all(fd.get(), text) || ::fsync(fd.get()) != 0)
    throw Error(path + ": " + (errno == EEXIST ? "already exists" : std::strerror(errno)));
}

std::vector<Entry> masked_path(Session& session) {
  std::vector<Entry> path = value_or_throw(
      session.store().load_session_entries(session.id(), {.branch = head_of(session)}));
  for (Entry& entry : path) entry = model::masked(entry, session.conversation().state().redacted);
  return path;
}

}  // namespace

// [format] [file]; the suffix decides the format, and a missing file name is made from the key.
void export_session(Session& session, std::string_view arguments) {
  const auto [first, rest] = first_word(arguments);
  const Format* format = std::ranges::find(formats, first, &Format::name);
  std::string file(format != std::end(formats) ? rest : arguments);
  if (arguments.empty()) format = formats;
  if (format == std::end(formats))
    format = std::ranges::find_if(formats,
                                  [&](const Format& each) { return file.ends_with(each.suffix); });
  if (format == std::end(formats)) throw Error("/export writes markdown (.md) or jsonl (.jsonl)");
  const store::SessionRecord& record = session.conversation().record();
  if (file.empty()) {
    file = record.key + std::string(format->suffix);
    for (char& c : file)
      if (c == ':' || c == '/') c = '-';
  }
  const std::string path = file.starts_with('/') ? file : session.workspace() + "/" + file;
  const std::string text = format->write(record.state.title, masked_path(session));
  write_new_file(path, text);
  session.screen().print_untrusted("wrote " + path + " (" + std::to_string(text.size()) +
                                   " bytes)\n");
}

std::vector<std::string> format_names(Session&, std::string_view start) {
  return names_from(formats, start, &Format::name);
}

void show_tools(Session& session, std::string_view) {
  if (session.services().tools == nullptr) return;
  for (const model::Tool& tool : *session.services().tools) {
    session.screen().print_untrusted(
        "  " + layout::padded(tool.name, 6) +
        (tool.effect == model::Effect::reads ? "  reads    " : "  changes  ") +
        tool.description.substr(0, tool.description.find_first_of(".\n")) + "\n");
  }
  session.screen().print(
      "Tools that change something ask first; /permissions shows what is allowed.\n");
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
