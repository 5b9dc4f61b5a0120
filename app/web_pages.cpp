#include "app/web_pages.h"

#include <utility>
#include <variant>

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

model::Tool WebPages::tool() {
  // Shared by the copies of the tool: they have one cache.
  if (!fetcher_)
    fetcher_ = std::make_shared<web::Fetcher>(http::ask_web, tools::pdf_reader(config_.sandbox));
  return tools::web_fetch_tool(fetcher_);
}

void WebPages::note_typed(Id session, std::string_view text) {
  if (config_.web_fetch_typed) typed_[session].note(text);
}

std::function<bool(const std::string&)> WebPages::typed_in(Id session) const {
  return [this, session](const std::string& url) {
    const auto found = typed_.find(session);
    return found != typed_.end() && found->second.has(url);
  };
}

// The user has asked for it, so nobody is asked; what is forbidden or private stays so.
std::optional<model::Fetched> WebPages::fetched(const std::string& name,
                                                const session::CommandPorts& ports,
                                                model::ToolPorts asking) {
  if (!is_web_address(name)) return std::nullopt;
  const model::Tools tools{tool()};
  const model::Tool& fetch = tools.front();
  const model::ToolUse call{"", fetch.name, dump({{fetch.argument.name, name}})};
  permission::Rules rules = ports.rules;
  rules.mode = permission::Mode::normal;
  rules.typed = [](const std::string&) { return true; };
  if (const permission::Decision decision = permission::decide(rules, tools, call);
      decision.verdict != Verdict::allow)
    throw Error("@" + name + " is not fetched, so nothing was sent: " + decision.reason);
  asking.wake_fd = ports.ports.input.fd;
  asking.stopped = [&ports] {
    const model::Ports::Input& input = ports.ports.input;
    if (input.fd >= 0 && input.on_ready && is_readable(input.fd)) input.on_ready();
    return ports.ports.stopped();
  };
  asking.url_standing = permission::url_standing(rules, tools, call);
  return attached(name, fetch.run(call.input, asking));
}

model::Fetched attached(const std::string& name, const model::ToolOutcome& read) {
  model::Fetched out;
  for (const model::ResultBlock& block : read.content) {
    if (const auto* text = std::get_if<model::Text>(&block)) out.text += text->text;
    if (const auto* image = std::get_if<model::Image>(&block)) out.images.push_back(*image);
  }
  if (read.is_error) throw Error("@" + name + " cannot be read, so nothing was sent: " + out.text);
  return out;
}

}  // namespace skein::app
