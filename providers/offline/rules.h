// The rules of offline/demo: from a context to a reply, without any thought. Pure; the same context
// and time always give the same reply.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/provider.h"

namespace skein::offline {

struct RuleReply {
  std::string thought{};  // which rule applies and why
  std::string text{};     // Markdown
  std::vector<model::ToolUse> calls{};
  bool operator==(const RuleReply&) const = default;
};

// `now` as transcripts write it.
RuleReply reply_by_rule(const model::Context& context, std::string_view now);

// What it says about the results its calls brought (offline_results.cpp). `request` is the prompt
// that led to them; the reply may call again.
RuleReply report_results(const model::Context& context, std::string_view request);

// The call of the tool `name`, or an honest word if the context has no such tool.
RuleReply call_tool(const model::Context& context, std::string_view name, JsonText input,
                    std::string announcement);

}  // namespace skein::offline
