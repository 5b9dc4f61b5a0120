#include "core/model/tool.h"

#include <algorithm>

namespace skein::model {

ToolOutcome tool_text(std::string text) { return {{Text{std::move(text)}}}; }

ToolOutcome tool_failure(std::string text) { return {{Text{std::move(text)}}, true}; }

constexpr std::string_view amendment_opening = "The user changed `";
constexpr std::string_view hook_amendment_opening = "A hook of the user's changed ";

Text amendment(const std::string& argument, const std::string& text) {
  return {std::string(amendment_opening) + argument +
          "` before this was done. It was done with:\n" + text + "\n"};
}

Text hook_amendment(const JsonText& input) {
  return {std::string(hook_amendment_opening) +
          "this call before it was done. It was done with:\n" + input + "\n"};
}

bool was_amended(const ToolResult& result) {
  const auto* first = result.content.size() > 1 ? std::get_if<Text>(&result.content[0]) : nullptr;
  return first != nullptr && (first->text.starts_with(amendment_opening) ||
                              first->text.starts_with(hook_amendment_opening));
}

bool was_refused(const ToolResult& result) {
  const auto* first = result.content.empty() ? nullptr : std::get_if<Text>(&result.content[0]);
  return result.is_error && first != nullptr && first->text.starts_with(refusal_opening);
}

std::string refusal_words(const ToolResult& result) {
  const auto* first = result.content.empty() ? nullptr : std::get_if<Text>(&result.content[0]);
  if (first == nullptr || !first->text.starts_with(refusal_opening)) return "refused";
  return "refused" + first->text.substr(refusal_opening.size());
}

const Tool* find_tool(const Tools& tools, std::string_view name) {
  const auto found = std::ranges::find(tools, name, &Tool::name);
  return found == tools.end() ? nullptr : &*found;
}

const Tool* find_file_reader(const Tools& tools) {
  const auto found = std::ranges::find_if(tools, [](const Tool& tool) {
    return tool.effect == Effect::reads && tool.argument.kind == Argument::Kind::file;
  });
  return found == tools.end() ? nullptr : &*found;
}

}  // namespace skein::model
