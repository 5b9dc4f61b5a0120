#include "repl/commands/context_picture.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/text/amounts.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::commands {

namespace style = layout::style;
using layout::Colour, layout::Style;

namespace {

constexpr std::size_t widest_bar = 72, narrowest_bar = 10;

// One part of the window.
struct Part {
  std::string_view name;
  char sign;  // in a bar without colours
  std::string_view block;
  Style style;
  std::int64_t tokens = 0;
};

std::vector<Part> parts_of(const ContextFacts& facts) {
  const context::TokenBreakdown& filling = facts.filling;
  constexpr std::string_view full = "█", light = "░";
  std::vector<Part> out{{"system", '#', full, {.colour = Colour::blue}, filling.system},
                        {"tools", '%', full, {.colour = Colour::magenta}, filling.tools},
                        {"summary", '=', full, {.colour = Colour::yellow}, filling.summary},
                        {"messages", '*', full, {.colour = Colour::green}, filling.messages},
                        {"tool results", '+', full, {.colour = Colour::cyan}, filling.results}};
  if (facts.window > 0) {
    out.push_back(
        {"free", '.', light, style::dim, std::max<std::int64_t>(0, facts.room - filling.total())});
    out.push_back({"reserved for answer", '-', "▒", style::dim, facts.window - facts.room});
  }
  std::erase_if(out, [](const Part& part) { return part.tokens <= 0; });
  return out;
}

// How many of `cells` each part gets: in proportion, at least one, and all of them together.
std::vector<std::size_t> bar_cells(const std::vector<Part>& parts, std::size_t cells) {
  std::int64_t whole = 0;
  for (const Part& part : parts) whole += part.tokens;
  std::vector<std::size_t> out;
  std::size_t used = 0;
  for (const Part& part : parts) {
    const auto share = static_cast<std::size_t>(
        static_cast<double>(part.tokens) / static_cast<double>(whole) * static_cast<double>(cells));
    used += out.emplace_back(std::max<std::size_t>(1, share));
  }
  // What rounding leaves or takes is for the largest to bear, which shows it least.
  for (; used != cells && !out.empty(); used += used < cells ? 1 : std::size_t(-1)) {
    const auto largest = std::ranges::max_element(out);
    if (used > cells && *largest == 1) break;
    *largest += used < cells ? 1 : std::size_t(-1);
  }
  return out;
}

std::string bar(const std::vector<Part>& parts, std::size_t cells,
                const layout::TerminalStyle& look) {
  const std::vector<std::size_t> shares = bar_cells(parts, cells);
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string piece;
    for (std::size_t cell = 0; cell < shares[i]; ++cell)
      piece += look.colour ? parts[i].block : std::string_view(&parts[i].sign, 1);
    out += painted(piece, parts[i].style, look);
  }
  return look.colour ? "  " + out : "  [" + out + "]";
}

std::string percent_of(std::int64_t tokens, std::int64_t whole) {
  const std::string text = percent(tokens, whole);
  return text == "0%" && tokens > 0 ? "<1%" : text;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string part_row(const Part& part, std::int64_t whole, const layout::TerminalStyle& look) {
  const std::string count = short_count(part.tokens), share = percent_of(part.tokens, whole);
  if (look.labels) return std::string(part.name) + ": " + count + " tokens, " + share + "\n";
  return "  " +
         painted(look.colour ? part.block : std::string_view(&part.sign, 1), part.style, look) +
         " " + layout::padded(std::string(part.name), 19) + right(count, 8) + right(share, 6) +
         "\n";
}

}  // namespace

std::string context_picture(const ContextFacts& facts, std::size_t width,
                            const layout::TerminalStyle& look) {
  const std::int64_t total = facts.filling.total();
  const std::int64_t whole = facts.window > 0 ? facts.window : total;
  std::string out = layout::sanitized_row(facts.model) + ": about " + short_count(total) +
                    (facts.window > 0 ? " of " + short_count(facts.window) : "") + " tokens" +
                    (facts.window > 0 ? ", " + percent_of(total, whole) : "") + "\n";
  const std::vector<Part> parts = parts_of(facts);
  if (!look.labels) {
    // Two columns to the left, as below it, and as many to the right.
    const std::size_t beside = look.colour ? 4 : 6;
    const std::size_t room = width == 0 ? widest_bar : width - std::min(width, beside);
    out += bar(parts, std::clamp(room, narrowest_bar, widest_bar), look) + "\n";
  }
  for (const Part& part : parts) out += part_row(part, whole, look);
  return out;
}

}  // namespace skein::commands
