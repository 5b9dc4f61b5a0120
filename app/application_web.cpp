// How an Application fetches from the web: for the model by its tool, for the user by /web and
// @https://….
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "app/application.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "core/tools/pdf_text.h"
#include "core/tools/tools.h"
#include "core/web/fetcher.h"
#include "providers/http/web_transport.h"

namespace skein::app {

namespace {

using Verdict = permission::Decision::Verdict;

bool is_web_address(std::string_view name) {
  const std::string start = lower(name.substr(0, 8));
  return start.starts_with("http://") || start == "https://";
}

}  // namespace

model::Tool Application::web_tool() {
  // Shared by the copies of the tool: they have one cache.
  if (!fetcher_)
    fetcher_ = std::make_shared<web::Fetcher>(http::ask_web, tools::pdf_reader(config_.sandbox));
  return tools::web_fetch_tool(fetcher_);
}

void Application::note_typed(Id session, std::string_view text) {
  if (config_.web_fetch_typed) typed_[session].note(text);
}

std::function<bool(const std::string&)> Application::typed_in(Id session) const {
  return [this, session](const std::string& url) {
    const auto found = typed_.find(session);
    return found != typed_.end() && found->second.has(url);
  };
}

// The user has asked for it, so nobody is asked; what is forbidden or private stays so.
std::optional<model::Fetched> Application::fetched_page(const std::string& name,
                                                        const session::CommandPorts& ports) {
  if (!is_web_address(name)) return std::nullopt;
  const model::Tools tools{web_tool()};
  const model::Tool& tool = tools.front();
  const model::ToolUse call{"", tool.name, dump({{tool.argument.name, name}})};
  permission::Rules rules = ports.rules;
  rules.mode = permission::Mode::normal;
  rules.typed = [](const std::string&) { return true; };
  if (const permission::Decision decision = permission::decide(rules, tools, call);
      decision.verdict != Verdict::allow)
    throw Error("@" + name + " is not fetched, so nothing was sent: " + decision.reason);
  model::ToolPorts asking = tool_ports(ports.ports);
  asking.wake_fd = ports.ports.input.fd;
  asking.stopped = [&ports] {
    const model::Ports::Input& input = ports.ports.input;
    if (input.fd >= 0 && input.on_ready && is_readable(input.fd)) input.on_ready();
    return ports.ports.stopped();
  };
  asking.url_standing = permission::url_standing(rules, tools, call);
  return as_fetched(name, tool.run(call.input, asking));
}

}  // namespace skein::app
