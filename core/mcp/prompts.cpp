#include "core/mcp/prompts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "core/mcp/content.h"
#include "core/mcp/remote_tools.h"
#include "core/mcp/rpc.h"
#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

std::string hint_of(const RemotePrompt& prompt) {
  std::string out;
  for (const RemotePrompt::Argument& each : prompt.arguments)
    out +=
        (out.empty() ? "" : " ") + (each.required ? "<" + each.name + ">" : "[" + each.name + "]");
  return out;
}

// The words from `first` on, which belong to the last argument.
std::string rest_of(const std::vector<std::string>& words, std::size_t first) {
  std::string out;
  for (std::size_t i = first; i < words.size(); ++i) out += (out.empty() ? "" : " ") + words[i];
  return out;
}

std::string asked_for(const PromptCommand& command, const RemotePrompt::Argument& argument,
                      const model::ToolPorts& ports) {
  const std::string about = argument.description.empty() ? "" : ": " + argument.description;
  if (!ports.ask_line)
    throw Error("/" + command.name + " needs <" + argument.name + ">" + about + "; it takes " +
                    command.hint,
                ExitStatus::usage);
  const auto line = ports.ask_line({"/" + command.name + " needs " + argument.name + about});
  if (!line || is_blank(*line)) throw Error("/" + command.name + " was not sent");
  return std::string(trimmed(*line));
}

Json arguments_for(const PromptCommand& command, const std::vector<std::string>& words,
                   const model::ToolPorts& ports) {
  Json out = Json::object();
  const std::vector<RemotePrompt::Argument>& wanted = command.prompt.arguments;
  if (wanted.empty() && !words.empty())
    throw Error("/" + command.name + " takes no arguments", ExitStatus::usage);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i < words.size())
      out[wanted[i].name] = i + 1 == wanted.size() ? rest_of(words, i) : words[i];
    else if (wanted[i].required)
      out[wanted[i].name] = asked_for(command, wanted[i], ports);
  }
  return out;
}

// All messages as the content of one; who is meant to have said a thing stands before it.
Json content_of(const Json& messages) {
  Json out = Json::array();
  if (!messages.is_array()) return out;
  for (const Json& message : messages) {
    if (string_at(message, "role") == "assistant")
      out.push_back({{"type", "text"}, {"text", "[the assistant answers:]"}});
    const Json& content = at(message, "content");
    if (content.is_array())
      for (const Json& each : content) out.push_back(each);
    else
      out.push_back(content);
  }
  return out;
}

}  // namespace

std::vector<PromptCommand> prompt_commands(const Client& client) {
  std::vector<PromptCommand> out;
  std::set<std::string> taken;
  for (const RemotePrompt& prompt : client.view().has.prompts) {
    std::string name = tool_name(client.entry().name, prompt.name, taken);
    if (taken.insert(name).second)
      out.push_back({std::move(name), prompt.description, hint_of(prompt), prompt});
  }
  return out;
}

PromptText prompt_text(Client& client, const PromptCommand& command,
                       const std::vector<std::string>& words, const model::ToolPorts& ports) {
  Json params{{"name", command.prompt.name}};
  params["arguments"] = arguments_for(command, words, ports);
  const Reply reply = client.request("prompts/get", dump(params), ports);
  if (!reply.answer) throw Error("/" + command.name + " was not sent: " + reply.failure);
  const Json& result = *reply.answer->result;
  const Json content = content_of(at(result, "messages"));
  if (content.empty())
    throw Error("/" + command.name + " was not sent: the server made nothing of it");
  PromptText out;
  for (model::ResultBlock& block : outcome_of({{"content", content}}, ports).content) {
    if (auto* text = std::get_if<model::Text>(&block)) out.text += text->text;
    if (auto* image = std::get_if<model::Image>(&block)) out.images.push_back(std::move(*image));
  }
  return out;
}

}  // namespace skein::mcp
