#include "providers/offline/requests.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::offline {

RuleReply call_tool(const model::Context& context, std::string_view name, JsonText input,
                    std::string announcement) {
  if (std::ranges::find(context.tools, name, &model::ToolSpec::name) == context.tools.end())
    return {"The rule wants the tool " + std::string(name) + ", which is not there.",
            "For this I would call the tool `" + std::string(name) +
                "`, but it is not switched on here.\n"};
  std::size_t calls = 0;
  for (const model::Message& message : context.messages) calls += model::tool_uses(message).size();
  return {"The rule for this calls the tool " + std::string(name) + ".",
          std::move(announcement),
          {model::ToolUse{.id = "demo_" + std::to_string(calls + 1),
                          .name = std::string(name),
                          .input = std::move(input)}}};
}

namespace {

JsonText object(std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  Json json = Json::object();
  for (const auto& [key, value] : members) json[std::string(key)] = value;
  return dump(json);
}

// `text` without those of the words that it begins with, one after the other.
std::string_view without(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text.starts_with(word)) text.remove_prefix(word.size());
  return text;
}

bool looks_like_path(std::string_view text) {
  return text.find_first_of("./_") != std::string_view::npos &&
         text.find_first_of(" \n") == std::string_view::npos;
}

}  // namespace

std::string unquoted(std::string_view text) {
  text = trimmed(text);
  const bool full_stop = text.ends_with('.') && text.size() > 1;
  if (full_stop || text.ends_with('?') || text.ends_with('!')) text.remove_suffix(1);
  return std::string(trimmed(text, "`\"'"));
}

std::optional<RuleReply> list_files(const Match& match) {
  std::string_view rest = trimmed(match.rest);
  for (const std::string_view word :
       {"all ", "the ", "files", "file", "directory", "folder", "in ", "of "}) {
    rest = trimmed(rest);
    if (lower(rest).starts_with(word)) rest.remove_prefix(word.size());
  }
  std::string path = unquoted(rest);
  if (path.find(' ') != std::string::npos || path.starts_with("th") || path == "here") path.clear();
  return call_tool(match.context, "list", object({{"path", path.empty() ? "." : path}}),
                   "Let me look.\n");
}

std::optional<RuleReply> read_file(const Match& match) {
  std::string_view rest = without(trimmed(match.rest), {"me ", "the ", "file ", "@"});
  const std::string path = unquoted(rest);
  if (!looks_like_path(path)) return std::nullopt;
  return call_tool(match.context, "read", object({{"path", path}}), "I will read it.\n");
}

std::optional<RuleReply> run_command(const Match& match) {
  const std::string command(trimmed(trimmed(match.rest), "`"));
  if (command.empty()) return std::nullopt;
  return call_tool(match.context, "bash", object({{"command", command}}), "I will run that.\n");
}

std::optional<RuleReply> find_text(const Match& match) {
  std::string_view rest = without(trimmed(match.rest), {"all ", "for "});
  std::string_view path = ".";
  if (const std::size_t in = rest.rfind(" in "); in != std::string_view::npos) {
    path = trimmed(rest.substr(in + 4), " `\"'?.");
    rest = rest.substr(0, in);
  }
  const std::string pattern = unquoted(rest);
  if (pattern.empty()) return std::nullopt;
  if (path.empty() || path.find(' ') != std::string_view::npos) path = ".";
  return call_tool(match.context, "grep", object({{"pattern", pattern}, {"path", path}}),
                   "I will search for it.\n");
}

std::optional<RuleReply> create_file(const Match& match) {
  std::string_view rest =
      without(trimmed(match.rest), {"a ", "new ", "file ", "called ", "named "});
  const std::size_t space = std::min(rest.find_first_of(" \n"), rest.size());
  std::string path = unquoted(rest.substr(0, space));
  std::string_view content = trimmed(rest.substr(space));
  if (!looks_like_path(path)) {  // "write hello to notes.txt"
    const std::size_t to = rest.rfind(" to ");
    if (to == std::string_view::npos) return std::nullopt;
    path = unquoted(rest.substr(to + 4));
    content = rest.substr(0, to);
  }
  if (!looks_like_path(path)) return std::nullopt;
  content = without(content, {"with ", "containing ", "the ", "text ", "content "});
  std::string body(trimmed(content, "\"'`"));
  if (!body.empty() && !body.ends_with('\n')) body += '\n';
  return call_tool(match.context, "write", object({{"path", path}, {"content", body}}),
                   "I will write it.\n");
}

std::optional<RuleReply> replace_text(const Match& match) {
  const std::size_t with = match.rest.find(" with "), in = match.rest.rfind(" in ");
  if (with == std::string_view::npos || in == std::string_view::npos || in < with + 6)
    return std::nullopt;
  return call_tool(match.context, "edit",
                   object({{"path", unquoted(match.rest.substr(in + 4))},
                           {"old_text", unquoted(match.rest.substr(0, with))},
                           {"new_text", unquoted(match.rest.substr(with + 6, in - with - 6))}}),
                   "I will change it.\n");
}

}  // namespace skein::offline
