#include "core/agent/dropped_thoughts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "core/text/amounts.h"

namespace skein::agent {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> reasons{{
    {"prefix_binding_mismatch", "what was said before has changed since"},
    {"model_binding_mismatch", "made by a model that this one cannot read"},
    {"organization_binding_mismatch", "made with another account"},
}};

std::string in_words(const std::string& reason) {
  const auto* const known =
      std::ranges::find(reasons, reason, &std::pair<std::string_view, std::string_view>::first);
  if (known != reasons.end()) return std::string(known->second);
  return reason.empty() ? "the service does not say why" : "the service says " + reason;
}

std::int64_t count_in(const std::vector<model::Transformation>& all,
                      const model::Transformation& of) {
  const auto found = std::ranges::find_if(all, [&](const model::Transformation& each) {
    return each.type == of.type && each.reason == of.reason;
  });
  return found == all.end() ? 0 : found->count;
}

}  // namespace

std::string news_of_dropped(const std::vector<model::Transformation>& before,
                            const std::vector<model::Transformation>& now) {
  std::string out;
  for (const model::Transformation& each : now) {
    if (each.type != "thinking_dropped" || each.count <= count_in(before, each)) continue;
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(each.count, 0));
    out += (out.empty() ? "the service left out " : ", and ") +
           counted(count, "earlier thought", "earlier thoughts") + ": " + in_words(each.reason);
  }
  return out;
}

std::vector<model::Transformation> last_transformed(std::span<const model::Entry> path,
                                                    const model::ModelRef& model) {
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry) {
    if (entry->type != model::type::message) continue;
    const std::optional<model::Message> message = model::message_from_json(entry->payload);
    if (message && message->role == model::Role::assistant && message->provider == model.provider &&
        message->model == model.model)
      return message->transformed;
  }
  return {};
}

}  // namespace skein::agent
