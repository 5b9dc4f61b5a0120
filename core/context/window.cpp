#include "core/context/window.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/model/tokens.h"

namespace skein::context {

namespace {

constexpr std::int64_t long_result = 500;  // tokens; shorter ones are not worth replacing

std::string text_of(const model::ToolResult& result) {
  std::string out;
  for (const model::ResultBlock& block : result.content)
    if (const auto* text = std::get_if<model::Text>(&block)) out += text->text;
  return out;
}

// How many tokens there are from each message to the end; pinned ones are not counted.
std::vector<std::int64_t> tails(const std::vector<ContextMessage>& said) {
  std::vector<std::int64_t> out(said.size() + 1, 0);
  for (std::size_t i = said.size(); i-- > 0;)
    out[i] = out[i + 1] + (said[i].pinned ? 0 : said[i].tokens);
  return out;
}

std::optional<std::size_t> last_prompt(const std::vector<ContextMessage>& said) {
  for (std::size_t i = said.size(); i-- > 0;)
    if (said[i].by_user) return i;
  return std::nullopt;
}

// A place where the request could begin, and how long it would be.
struct Place {
  std::size_t from = 0;
  std::int64_t tokens = 0;
};

// The oldest of at most `most` tokens; `places` go from old to new.
std::optional<std::size_t> oldest(const std::vector<Place>& places, std::int64_t most) {
  const auto found =
      std::ranges::find_if(places, [&](const Place& place) { return place.tokens <= most; });
  return found == places.end() ? std::nullopt : std::optional(found->from);
}

}  // namespace

// Anthropic refuses a request if the longest answer would not fit as well, so all of it is
// reserved; but an answer as long as the window would leave no room for a request.
std::int64_t room_in(const Window& window) {
  return window.tokens - std::min(window.output, window.tokens / 2);
}

std::int64_t tokens_of(const std::vector<ContextMessage>& said) {
  std::int64_t sum = 0;
  for (const ContextMessage& each : said) sum += each.tokens;
  return sum;
}

std::vector<bool> borders(const std::vector<ContextMessage>& said) {
  // inside[i]: how many pairs of call and result begin before i and end at or after it, as changes.
  std::vector<int> inside(said.size() + 1, 0);
  std::map<std::string_view, std::vector<std::size_t>> open;
  for (std::size_t i = 0; i < said.size(); ++i)
    for (const model::Block& block : said[i].message.content) {
      if (const auto* call = std::get_if<model::ToolUse>(&block)) open[call->id].push_back(i);
      const auto* result = std::get_if<model::ToolResult>(&block);
      const auto call = result ? open.find(result->tool_use_id) : open.end();
      if (call == open.end() || call->second.empty()) continue;
      ++inside[call->second.back() + 1];
      --inside[i + 1];
      call->second.pop_back();
    }
  std::vector<bool> out(said.size());
  int depth = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    depth += inside[i];
    out[i] = depth == 0 && said[i].message.role != model::Role::tool && !said[i].pinned;
  }
  return out;
}

std::int64_t tokens_from(const std::vector<ContextMessage>& said, std::size_t from) {
  const std::optional<std::size_t> asked = last_prompt(said);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].pinned || i >= from || i == asked) sum += said[i].tokens;
  return sum;
}

std::size_t cut_place(const std::vector<ContextMessage>& said, std::int64_t room) {
  const std::vector<bool> border = borders(said);
  const std::vector<std::int64_t> tail = tails(said);
  const std::int64_t pinned = tokens_of(said) - tail[0];
  const std::optional<std::size_t> asked = last_prompt(said);
  std::vector<Place> turns, steps;
  std::size_t last = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (!border[i]) continue;
    last = i;
    if (!asked || i > *asked)
      steps.push_back({i, pinned + tail[i] + (asked ? said[*asked].tokens : 0)});
    else if (model::is_prompt(said[i].message))
      turns.push_back({i, pinned + tail[i]});
  }
  for (const std::vector<Place>* places : {&turns, &steps})
    for (const std::int64_t most : {room / 2, room})
      if (const std::optional<std::size_t> place = oldest(*places, most)) return *place;
  return last;
}

std::size_t begin_at_border(std::vector<ContextMessage>& said) {
  const std::vector<bool> border = borders(said);
  const std::optional<std::size_t> asked = last_prompt(said);
  const auto from =
      static_cast<std::size_t>(std::ranges::find(border, true) - border.begin());
  std::vector<ContextMessage> kept;
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].pinned || i >= from || i == asked) kept.push_back(std::move(said[i]));
  const std::size_t dropped = said.size() - kept.size();
  said = std::move(kept);
  return dropped;
}

std::size_t shorten_results(model::Message& message, std::size_t bytes) {
  std::size_t shortened = 0;
  for (model::Block& block : message.content) {
    auto* result = std::get_if<model::ToolResult>(&block);
    const std::int64_t tokens = result ? model::tokens_of(block) : 0;
    if (tokens <= std::max(long_result, static_cast<std::int64_t>(bytes / 4))) continue;
    const std::string whole = text_of(*result);
    const bool only_text = std::ranges::all_of(result->content, [](const auto& part) {
      return std::holds_alternative<model::Text>(part);
    });
    if (only_text && whole.size() <= bytes) continue;
    std::string text(utf8_prefix(whole, bytes));
    text += (text.empty() ? "" : "\n") + ("[of " + std::to_string(tokens)) +
            " tokens of output the rest was left out to save room; call the tool again if it is "
            "needed]";
    *result = model::ToolResult{.tool_use_id = result->tool_use_id,
                                .content = {model::Text{std::move(text)}},
                                .is_error = result->is_error};
    ++shortened;
  }
  return shortened;
}

}  // namespace skein::context
