#include "repl/session/delegation.h"

#include <algorithm>

#include "core/model/delegation.h"
#include "core/text/text.h"

namespace skein::session {

namespace {

constexpr std::string_view agent_prefix = "agent-";

}  // namespace

std::string agent_mention(std::string_view name) {
  return "@" + std::string(agent_prefix) + std::string(name);
}

std::optional<Delegated> delegated(std::string_view prompt, const std::vector<KnownAgent>& agents,
                                   const std::function<bool(std::string_view)>& is_file) {
  const std::size_t at = std::min(prompt.find_first_not_of(" \t\n"), prompt.size());
  if (!prompt.substr(at).starts_with('@')) return std::nullopt;
  const std::size_t end = std::min(prompt.find_first_of(" \t\n", at), prompt.size());
  const std::string_view typed = prompt.substr(at + 1, end - at - 1);
  const std::string_view task = trimmed(prompt.substr(end), " \t\n");
  if (task.empty() || is_file(typed)) return std::nullopt;
  const auto known = [&](std::string_view name) {
    return std::ranges::find(agents, name, &KnownAgent::name) != agents.end();
  };
  std::string_view name = typed;
  // An agent may itself be called agent-x.
  if (!known(name) && name.starts_with(agent_prefix)) name.remove_prefix(agent_prefix.size());
  if (!known(name)) return std::nullopt;
  return Delegated{model::handing_on(name, task), end};
}

}  // namespace skein::session
