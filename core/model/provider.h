// A provider: context in, deltas out, a message back. And how many tokens a text will cost, guessed
// from its bytes; core/context/build_context corrects the guess by the cost of the last model call.
#pragma once

#include "core/model/event.h"
#include "core/model/message.h"

namespace skein::model {

enum class ThinkingLevel { off, minimal, low, medium, high, xhigh, max };
inline constexpr std::size_t thinking_levels = 7;
std::string_view name(ThinkingLevel level);
std::optional<ThinkingLevel> parse_thinking_level(std::string_view name);

// The levels a model takes; none of them: it does not think, or does not take a level.
class ThinkingLevels {
 public:
  constexpr ThinkingLevels() = default;
  constexpr ThinkingLevels(std::initializer_list<ThinkingLevel> levels) {
    for (const ThinkingLevel level : levels) bits_ |= 1u << static_cast<unsigned>(level);
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(ThinkingLevel level) const {
    return (bits_ >> static_cast<unsigned>(level) & 1u) != 0;
  }
  constexpr bool operator==(const ThinkingLevels&) const = default;

 private:
  unsigned bits_ = 0;
};
inline constexpr ThinkingLevels all_thinking_levels{
    ThinkingLevel::off,  ThinkingLevel::minimal, ThinkingLevel::low, ThinkingLevel::medium,
    ThinkingLevel::high, ThinkingLevel::xhigh,   ThinkingLevel::max};

// What is asked for instead of a level that is not taken: the next lower one that thinks, else the
// lowest that is taken. Off stays off: nothing is asked of a model that always thinks.
ThinkingLevel nearest(ThinkingLevel wanted, ThinkingLevels taken);

// What is recorded of a request, so that the same one can be built from the log and compared.
struct SentRequest {
  // The provider knows these.
  std::string sha256{};    // of the body
  std::int64_t bytes = 0;  // of the body
  int wire = 0;            // the version of the wire formats
  std::string settings{};  // a hash of what the provider knows of the model
  // The caller knows these.
  std::string session{};
  ThinkingLevel thinking = ThinkingLevel::off;
  std::int64_t max_output = 0;  // 0: the catalog's value
  std::int64_t unsealed = 0;    // messages at its beginning whose seals were refused
  bool operator==(const SentRequest&) const = default;
};

// Everything one model call is made from.
struct Context {
  std::string system{};
  std::vector<Message> messages{};
  std::vector<ToolSpec> tools{};
  std::string session{};  // a name for the conversation that stays; empty: it has none
  // Called once the request was sent, by providers that have a wire format. May be empty.
  std::function<void(const SentRequest&)> on_sent{};
};

// Which model, and how it is to answer.
struct ModelRef {
  std::string provider;  // "anthropic", "openai", "offline", …
  std::string model;
  ThinkingLevel thinking = ThinkingLevel::off;
  std::int64_t max_output = 0;  // 0: the catalog's value
  bool operator==(const ModelRef&) const = default;
};
inline std::string to_string(const ModelRef& ref) { return ref.provider + "/" + ref.model; }

class Provider {
 public:
  virtual ~Provider() = default;
  // Sends `context` and reports every delta to ports.sink as it arrives. The network never throws:
  // a failure comes back as a message with Stop::error, a cut stream as Stop::interrupted, a stop
  // by the user as Stop::aborted, each with whatever had arrived.
  virtual Message stream(const Context& context, const ModelRef& model, const Ports& ports) = 0;
};

// Four bytes a token; a character of three bytes (Chinese, Japanese, Korean …) is one token, one of
// four bytes (emoji) two.
std::int64_t tokens_of(std::string_view text);

// A count that a provider may have meant; the others are taken as not given.
inline constexpr bool is_plausible_count(std::int64_t tokens) {
  return tokens >= 0 && tokens <= 1'000'000'000;
}

inline constexpr std::int64_t tokens_of_image = 1200;

std::int64_t tokens_of(const Block& block);
std::int64_t tokens_of(const Message& message);
std::int64_t tokens_of(const ToolSpec& tool);

}  // namespace skein::model
