// Commands that show tools, configuration and the state of the files, or export the conversation.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/exchange/export.h"
#include "core/model/redaction.h"
#include "core/text/amounts.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

struct Format {
  std::string_view name, suffix;
  std::string (*write)(std::string_view title, std::span<const model::Entry> path);
};
constexpr Format formats[] = {
    {"markdown", ".md", exchange::as_markdown},
    {"jsonl", ".jsonl",
     [](std::string_view, std::span<const model::Entry> path) {
       return exchange::as_json_lines(path);
     }},
};

const Format* format_named(std::string_view name) {
  for (const Format& format : formats)
    if (format.name == name) return &format;
  return nullptr;
}
const Format* format_of_file(std::string_view file) {
  for (const Format& format : formats)
    if (file.ends_with(format.suffix)) return &format;
  return nullptr;
}

// An export may contain secrets, so only the user may read it; it never overwrites a file.
void write_new_file(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const auto fail = [&](int error) {
    if (fd >= 0) ::close(fd);
    throw Error(path + ": " + (error == EEXIST ? "already exists" : std::strerror(error)));
  };
  if (fd < 0) fail(errno);
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::close(fd) != 0) throw Error(path + ": " + std::strerror(errno));
}

std::vector<model::Entry> masked_path(session::Session& session) {
  const agent::Conversation& conversation = session.conversation();
  if (!conversation.head()) throw Error("nothing has been said yet");
  std::vector<model::Entry> path = store::value_or_throw(session.store().load_session_entries(
      conversation.session(), {.branch = conversation.head()}));
  for (model::Entry& entry : path) entry = model::masked(entry, conversation.state().redacted);
  return path;
}

}  // namespace

// [format] [file]; the suffix decides the format, and a missing file name is made from the key.
void export_session(session::Session& session, std::string_view arguments) {
  const std::size_t space = std::min(arguments.find(' '), arguments.size());
  const std::string_view first = arguments.substr(0, space);
  const Format* format = format_named(first);
  std::string file(format ? arguments.substr(std::min(space + 1, arguments.size())) : arguments);
  if (!format && !file.empty()) format = format_of_file(file);
  if (!format && !file.empty()) throw Error("/export writes markdown (.md) or jsonl (.jsonl)");
  if (!format) format = &formats[0];
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

std::vector<std::string> format_names(session::Session&, std::string_view start) {
  std::vector<std::string> out;
  for (const Format& format : formats)
    if (format.name.starts_with(start)) out.emplace_back(format.name);
  return out;
}

void show_tools(session::Session& session, std::string_view) {
  if (session.services().tools == nullptr) return;
  for (const model::Tool& tool : *session.services().tools) {
    std::string name = tool.name;
    name.resize(std::max<std::size_t>(name.size(), 6), ' ');
    session.screen().print_untrusted(
        "  " + name + (tool.effect == model::Effect::reads ? "  reads    " : "  changes  ") +
        tool.description.substr(0, tool.description.find_first_of(".\n")) + "\n");
  }
  session.screen().print(
      "Tools that change something ask first; /permissions shows what is allowed.\n");
}

void show_config(session::Session& session, std::string_view) {
  session.screen().print_untrusted(session.services().configuration());
}

void show_health(session::Session& session, std::string_view) {
  const store::SessionRecord& record = session.conversation().record();
  const store::Damage damage =
      store::value_or_throw(session.store().examine(record.header.session));
  session.screen().print_untrusted(
      record.key + ": " +
      counted(static_cast<std::size_t>(record.state.entries), "entry", "entries") + ", " +
      std::to_string(record.bytes) + " bytes, " + (damage.any() ? "damaged" : "undamaged") + "\n");
  const std::array<std::pair<const char*, std::size_t>, 4> counts{
      {{"altered after writing, still readable: ", damage.altered.size()},
       {"unreadable: ", damage.broken.size()},
       {"never acknowledged: ", damage.uncommitted.size()},
       {"gaps: ", damage.gaps.size()}}};
  for (const auto& [what, count] : counts)
    if (count > 0) session.screen().print(std::string("  ") + what + std::to_string(count) + "\n");
  if (damage.any()) session.screen().print("`skein doctor` shows which bytes\n");
}

}  // namespace skein::commands
