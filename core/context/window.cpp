#include "core/context/window.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/model/tokens.h"

namespace skein::context {

namespace {

constexpr std::int64_t long_result = 500;  // tokens; shorter ones are not worth replacing
constexpr std::size_t beginning = 1200;    // bytes kept of a shortened result

std::string text_of(const model::ToolResult& result) {
  std::string out;
  for (const model::ResultBlock& block : result.content)
    if (const auto* text = std::get_if<model::Text>(&block)) out += text->text;
  return out;
}

// Keeps the first `bytes` of each long result and says how much is missing.
void prune(ContextMessage& said, std::size_t bytes) {
  for (model::Block& block : said.message.content) {
    auto* result = std::get_if<model::ToolResult>(&block);
    const std::int64_t tokens = result ? model::tokens_of(block) : 0;
    if (tokens <= long_result) continue;
    std::string text(utf8_prefix(text_of(*result), bytes));
    text += (text.empty() ? "" : "\n") + ("[" + std::to_string(tokens)) +
            " tokens of output were left out to save room; call the tool again if they are needed]";
    *result = model::ToolResult{.tool_use_id = result->tool_use_id,
                                .content = {model::Text{std::move(text)}},
                                .is_error = result->is_error};
    ++said.pruned;
  }
  if (said.pruned > 0) said.tokens = model::tokens_of(said.message);
}

// How many tokens there are from each message to the end; pinned ones are not counted.
std::vector<std::int64_t> tails(const std::vector<ContextMessage>& said) {
  std::vector<std::int64_t> out(said.size() + 1, 0);
  for (std::size_t i = said.size(); i-- > 0;)
    out[i] = out[i + 1] + (said[i].pinned ? 0 : said[i].tokens);
  return out;
}

// The model has not seen what follows it.
std::size_t last_reply(const std::vector<ContextMessage>& said) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].message.role == model::Role::assistant) last = i;
  return last;
}

// A place where the request could begin, and how long it would be.
struct Place {
  std::size_t from = 0;
  std::int64_t tokens = 0;
};

// An order among entries that has nothing to do with the order they were written in (the last steps
// of splitmix64): the first one in a band stays the first as long as it is in the band, half the
// band's length on average.
std::uint64_t rank(Id id) {
  std::uint64_t z = id.value + 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// The steadiest place of more than `low` and at most `high` tokens; if there is none, the longest
// one of at most `high`. `places` go from old to new.
std::optional<std::size_t> steadiest(const std::vector<ContextMessage>& said,
                                     const std::vector<Place>& places, std::int64_t low,
                                     std::int64_t high) {
  std::optional<std::size_t> best;
  for (const Place& place : places) {
    if (place.tokens > high) continue;
    if (best && (place.tokens <= low || rank(said[place.from].entry) <= rank(said[*best].entry)))
      continue;
    best = place.from;
  }
  return best;
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

std::size_t cut_to(std::vector<ContextMessage>& said, std::int64_t room) {
  const std::vector<bool> border = borders(said);
  const std::vector<std::int64_t> tail = tails(said);
  const std::int64_t pinned = tokens_of(said) - tail[0];
  std::optional<std::size_t> asked;  // the last prompt
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].by_user) asked = i;

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
  std::optional<std::size_t> from = steadiest(said, turns, room / 2, room);
  if (!from) from = steadiest(said, steps, room / 2, room);

  std::vector<ContextMessage> kept;
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].pinned || i >= from.value_or(last) || i == asked)
      kept.push_back(std::move(said[i]));
  const std::size_t left_out = said.size() - kept.size();
  said = std::move(kept);
  return left_out;
}

void prune_results(std::vector<ContextMessage>& said, std::int64_t room) {
  const std::vector<std::int64_t> tail = tails(said);
  if (tail[0] <= room / 2) return;
  std::vector<Place> places;
  for (std::size_t i = 0; i < said.size(); ++i) places.push_back({i, tail[i]});
  const std::size_t answered = last_reply(said);
  const std::size_t whole =
      std::min(answered, steadiest(said, places, room / 2, room / 4 * 3).value_or(answered));
  for (std::size_t i = 0; i < whole; ++i) prune(said[i], 0);
}

void shorten_results(std::vector<ContextMessage>& said) {
  const std::size_t answered = last_reply(said);
  for (std::size_t i = 0; i < said.size(); ++i) prune(said[i], i < answered ? 0 : beginning);
}

}  // namespace skein::context
