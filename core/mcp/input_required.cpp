#include "core/mcp/input_required.h"

#include <utility>

#include "core/mcp/shortened.h"

namespace skein::mcp {

AskedAgain with_input(Json params, const Json& result, const ElicitationPorts& ports) {
  constexpr std::size_t most_questions = 20;
  AskedAgain out{std::move(params)};
  out.params.erase("inputResponses");
  out.params.erase("requestState");
  if (result.contains("requestState")) out.params["requestState"] = at(result, "requestState");
  const Json& wanted = at(result, "inputRequests");
  if (!wanted.is_object() || wanted.empty()) return out;
  if (wanted.size() > most_questions) return {.trouble = "asks too much at once"};
  Json given = Json::object();
  for (const auto& [key, each] : wanted.items()) {
    if (string_at(each, "method") != "elicitation/create")
      return {.trouble = "wants '" + shortened(string_at(each, "method"), 60) +
                         "' of skein, which does not do that"};
    given[key] = elicited(at(each, "params"), ports);
    if (ports.stopped()) return {.trouble = "was left without an answer"};
  }
  out.params["inputResponses"] = std::move(given);
  return out;
}

Json roots_of(const std::string& workspace) {
  const Json root{{"uri", "file://" + workspace}, {"name", "workspace"}};
  return {{"roots", Json::array({root})}};
}

ElicitationPorts elicitation_ports(const std::string& server, const model::ToolPorts& tool) {
  return {.server = server,
          .ask = tool.ask,
          .ask_line = tool.ask_line,
          .stopped = tool.stopped,
          .tell = [&tool](const std::string& remark) { tool.output(remark + "\n"); }};
}

}  // namespace skein::mcp
