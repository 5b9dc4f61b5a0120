#include "providers/offline.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "providers/offline_rules.h"
#include "providers/speaker.h"

namespace skein {

std::chrono::milliseconds demo_pace() {
  constexpr int usual = 12, slowest = 1000;
  const char* text = std::getenv("SKEIN_DEMO_PACE");
  if (text == nullptr) return std::chrono::milliseconds(usual);
  int pace = usual;
  std::from_chars(text, text + std::strlen(text), pace);
  return std::chrono::milliseconds(pace < 0 ? usual : std::min(pace, slowest));
}

Message OfflineProvider::stream(const Context& context, const ModelRef& model, const Ports& ports) {
  const RuleReply reply = reply_by_rule(context, now_utc());
  Speaker speaker(model, ports, pace_);
  if (model.thinking != ThinkingLevel::off) speaker.think(reply.thought);
  speaker.say(reply.text);
  for (const ToolUse& call : reply.calls) speaker.call(call);
  return speaker.finish(reply.calls.empty() ? Stop::stop : Stop::tool_use,
                        estimated_usage(context, reply.thought + reply.text));
}

}  // namespace skein
