// What offline/demo says when its calls have been answered.
#include <algorithm>
#include <iterator>

#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/offline/rules.h"

namespace skein::offline {

namespace {

constexpr std::size_t shown_lines = 40;

std::size_t lines_in(std::string_view text) { return split(text, '\n').size(); }

// The first lines in a fence, and how many were left out.
std::string excerpt(std::string_view text, std::string_view language = {}) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < shown_lines && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  const std::string_view head = utf8_prefix(text.substr(0, end), 8000);
  const std::size_t left = lines_in(text.substr(head.size()));
  return fenced(head, language) + (left > 0 ? "\n(" + counted(left, "more line") + ")\n" : "");
}

std::string extension(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos || path.find('/', dot) != std::string::npos
             ? ""
             : path.substr(dot + 1);
}

std::string output_of(const model::ToolResult& result) {
  std::string out;
  for (const model::ResultBlock& block : result.content)
    if (const auto* text = std::get_if<model::Text>(&block)) out += text->text;
  return out;
}

// One tool's result in words. `input` is the call's.
using Words = std::string (*)(const Json& input, const std::string& output);

std::string words_for_list(const Json& input, const std::string& output) {
  return "`" + string_at(input, "path", ".") + "` has " + counted(lines_in(output), "entry line") +
         ":\n\n" + excerpt(output);
}
std::string words_for_read(const Json& input, const std::string& output) {
  const std::string path = string_at(input, "path");
  return "`" + path + "`, " + counted(lines_in(output), "line") + ":\n\n" +
         excerpt(output, extension(path));
}
std::string words_for_bash(const Json& input, const std::string& output) {
  const std::string command = "`" + string_at(input, "command") + "`";
  return output.empty() ? command + " ran and printed nothing.\n"
                        : command + " printed:\n\n" + excerpt(output);
}
std::string words_for_grep(const Json& input, const std::string& output) {
  return "Searching for `" + string_at(input, "pattern") + "` gave:\n\n" + excerpt(output);
}
std::string words_for_change(const Json& input, const std::string&) {
  return "Done: `" + string_at(input, "path") + "` is changed.\n";
}

struct Reporter {
  std::string_view tool;
  Words words;
};
constexpr Reporter reporters[] = {{"list", words_for_list},    {"read", words_for_read},
                                  {"bash", words_for_bash},    {"grep", words_for_grep},
                                  {"write", words_for_change}, {"edit", words_for_change}};

std::string report(const model::ToolUse* call, const model::ToolResult& result) {
  const std::string output = output_of(result);
  if (result.is_error) return "That did not work:\n\n" + excerpt(output);
  const auto* row = std::ranges::find(reporters, call ? call->name : "", &Reporter::tool);
  if (row == std::end(reporters)) return "The result:\n\n" + excerpt(output);
  return row->words(parse_json(call->input).value_or(Json::object()), output);
}

// Whether a listing has `file` as a whole word.
bool names(std::string_view listing, std::string_view file) {
  const std::size_t at = listing.find(file);
  return at != std::string_view::npos &&
         (at == 0 || listing[at - 1] == '\n' || listing[at - 1] == ' ');
}

}  // namespace

RuleReply report_results(const model::Context& context, std::string_view request) {
  const model::Message& results = context.messages.back();
  const auto asked =
      std::find_if(context.messages.rbegin(), context.messages.rend(),
                   [](const model::Message& each) { return each.role == model::Role::assistant; });
  std::string text;
  for (const model::Block& block : results.content) {
    const auto* result = std::get_if<model::ToolResult>(&block);
    if (result == nullptr) continue;
    const model::ToolUse* call = nullptr;
    if (asked != context.messages.rend())
      for (const model::ToolUse* each : model::tool_uses(*asked))
        if (each->id == result->tool_use_id) call = each;
    text += (text.empty() ? "" : "\n") + report(call, *result);

    const bool exploring = request.starts_with("explore") || request.starts_with("look around");
    if (exploring && call && call->name == "list" && names(output_of(*result), "README.md"))
      return call_tool(context, "read", R"({"path":"README.md"})",
                       text + "\nThere is a README, so I will read that too.\n");
  }
  return {"The results are here; what is left is to report them.", text};
}

}  // namespace skein::offline
