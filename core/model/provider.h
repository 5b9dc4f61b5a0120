// A provider: context in, deltas out, a message back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/event.h"
#include "core/model/message.h"

namespace skein::model {

enum class ThinkingLevel { off, minimal, low, medium, high, xhigh, max };
inline constexpr std::size_t thinking_levels = 7;
std::string_view name(ThinkingLevel level);
std::optional<ThinkingLevel> parse_thinking_level(std::string_view name);

// The levels a model takes; none of them: it does not think, or cannot be told how much.
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
// lowest that is taken. Off stays off: a model that cannot be silenced is told nothing.
ThinkingLevel nearest(ThinkingLevel wanted, ThinkingLevels taken);

// A tool as a model sees it.
struct ToolSpec {
  std::string name;
  std::string description;
  JsonText schema;  // JSON Schema of the input object
};

// Everything one model call is made from.
struct Context {
  std::string system{};
  std::vector<Message> messages{};
  std::vector<ToolSpec> tools{};
  std::string session{};  // a name for the conversation that stays; empty: it has none
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

}  // namespace skein::model
