#include "core/context/build_context.h"

namespace skein::context {

namespace {

// A guess that is too low costs a refusal, one that is too high only room: so it is not corrected
// far down, and less of a long path has to be read.
constexpr double least_correction = 0.75, most_correction = 3;
// Read at most, where the window is not known; and at least, so that what a cut has kept is always
// read to its beginning, even if it could not be made to fit.
constexpr std::int64_t most_tokens = 1'000'000, least_tokens = 50'000;
constexpr std::size_t most_leaves = 4;

// What a call of this model really cost, compared with what we would have guessed. It is the last
// one that must have seen everything before it: later ones may have answered a request of which
// something had been left out. So from half the room on the number stays the same, and with it the
// places of the cuts. Rounded up to eighths for the same reason. Where already the first call took
// more than that, it at least shows how far our guess is too low.
double correction(const model::ModelRef& model, const ContextHistory& telling, std::int64_t fixed,
                  std::int64_t room) {
  std::int64_t guessed = fixed;
  double ratio = telling.tokens_per_guess > 0 ? telling.tokens_per_guess : 1;
  bool first = true;
  for (std::size_t i = 0; telling.unread == 0 && i < telling.said.size(); ++i) {
    const model::Message& message = telling.said[i].message;
    if (i >= telling.since_summary && message.usage && message.role == model::Role::assistant &&
        message.provider == model.provider && message.model == model.model) {
      model::Usage used;
      used += *message.usage;  // which passes over numbers that can be none
      const std::int64_t real = model::whole_input(used);
      const double now = real > 0 && guessed > 0
                             ? static_cast<double>(real) / static_cast<double>(guessed)
                             : ratio;
      const bool large = room > 0 && real > room / 2;
      if (large && first) ratio = std::max(ratio, now);
      if (large) break;
      ratio = now;
      first = false;
    }
    guessed += telling.said[i].tokens;
  }
  return std::clamp(std::ceil(ratio * 8) / 8, least_correction, most_correction);
}

TokenBreakdown filling_of(const std::vector<ContextMessage>& said) {
  TokenBreakdown out;
  for (const ContextMessage& each : said) {
    if (each.pinned) {
      out.summary += each.tokens;
      continue;
    }
    std::int64_t results = 0;
    for (const model::Block& block : each.message.content)
      if (std::holds_alternative<model::ToolResult>(block)) results += model::tokens_of(block);
    out.results += results;
    out.messages += each.tokens - results;
  }
  return out;
}

// Everything a request depends on; of the path its ends, for what is between them never changes.
std::string key_of(const ContextSource& source) {
  std::string key;
  const auto add = [&](std::string_view text) {
    key.append(std::to_string(text.size())).append(":").append(text);
  };
  if (!source.path.empty())
    key += to_string(source.path.back().id) + to_string(source.path.front().id) + '|';
  for (const std::set<Id>* ids : {&source.redacted, &source.thinking_off}) {
    for (const Id id : *ids) key += to_string(id);
    key += '|';
  }
  add(source.system);
  for (const model::ToolSpec& tool : source.tools) {
    add(tool.name);
    add(tool.description);
    add(tool.schema);
  }
  add(model::to_string(source.model));
  add(std::to_string(source.window.tokens));
  add(std::to_string(source.window.output));
  add(std::to_string(source.tokens_per_guess));
  return key;
}

// What was cut off by now was before whatever is left.
void leave_out_thinking(std::vector<ContextMessage>& said, const std::set<Id>& off) {
  if (off.empty()) return;
  bool refused = false;
  for (ContextMessage& each : said | std::views::reverse)
    if (refused = refused || off.contains(each.entry); refused)
      each.message.seals = model::Seals::refused;
}

}  // namespace

// No correction makes more than this fit, if it is not the least.
std::int64_t enough_tokens(const Window& window) {
  const std::int64_t room = room_in(window);
  if (room == 0) return most_tokens;
  return std::max(least_tokens,
                  static_cast<std::int64_t>(static_cast<double>(room) / least_correction));
}

BuiltContext build_context(const ContextSource& source) {
  BuiltContext out{.context = {source.system, {}, source.tools},
                   .window = source.window,
                   .room = room_in(source.window)};
  const std::int64_t system = model::tokens_of(source.system);
  std::int64_t tools = 0;
  for (const model::ToolSpec& tool : source.tools) tools += model::tokens_of(tool);

  ContextHistory telling = history_of(source.path, source.redacted, enough_tokens(source.window));
  std::vector<ContextMessage>& said = telling.said;
  const double factor = std::max(source.tokens_per_guess,
                                 correction(source.model, telling, system + tools, out.room));
  const auto corrected = [&](std::int64_t tokens) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(tokens) * factor));
  };
  if (out.room > 0)
    out.for_messages = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(out.room) / factor) - system - tools);
  out.whole = corrected(system + tools + tokens_of(said) + telling.unread_tokens);
  out.unread = telling.unread;
  leave_out_thinking(said, source.thinking_off);

  const TokenBreakdown filling = filling_of(said);
  out.guessed = system + tools + tokens_of(said);
  out.filling = {corrected(system), corrected(tools), corrected(filling.summary),
                 corrected(filling.messages), corrected(filling.results)};
  out.tokens_per_guess = factor;
  for (ContextMessage& each : said) out.context.messages.push_back(std::move(each.message));
  return out;
}

const BuiltContext& ContextCache::get(const ContextSource& source) {
  std::string key = key_of(source);
  const auto found = std::ranges::find(known_, key, &Known::key);
  if (found != known_.end()) {
    std::rotate(known_.begin(), found, found + 1);
    return known_.front().context;
  }
  ++built_;
  known_.push_front({std::move(key), build_context(source)});
  if (known_.size() > most_leaves) known_.pop_back();
  return known_.front().context;
}

}  // namespace skein::context
