#include "providers/offline/offline.h"

#include <algorithm>
#include <charconv>

#include "core/text/text.h"
#include "providers/offline/paced_reply.h"
#include "providers/offline/rules.h"

namespace skein::offline {

std::chrono::milliseconds demo_pace() {
  constexpr int usual = 12, slowest = 1000;
  const std::string text = env("SKEIN_DEMO_PACE");
  int pace = usual;
  std::from_chars(text.data(), text.data() + text.size(), pace);
  return std::chrono::milliseconds(pace < 0 ? usual : std::min(pace, slowest));
}

model::Message OfflineProvider::stream(const model::Context& context, const model::ModelRef& model,
                                       const model::Ports& ports) {
  const RuleReply reply = reply_by_rule(context, now_utc());
  PacedReply speaker(model, ports, pace_);
  if (model.thinking != model::ThinkingLevel::off) speaker.think(reply.thought);
  speaker.say(reply.text);
  for (const model::ToolUse& call : reply.calls) speaker.call(call);
  return speaker.finish(reply.calls.empty() ? model::Stop::stop : model::Stop::tool_use,
                        estimated_usage(context, reply.thought + reply.text));
}

}  // namespace skein::offline
