// How many tokens a text will cost: guessed from its bytes, since no provider tells beforehand.
// core/context/build_context corrects the guess by what the last model call really cost.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/message.h"
#include "core/model/provider.h"

namespace skein::model {

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
