// An answer's text in a transcript, taken apart by position where it stands in exactly the form our
// own writer gives it. What is counted of an answer follows its content, which may be long.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/message.h"

namespace skein::model {

struct AnswerFooter {
  std::string_view provider{}, model{}, stop{};
  std::optional<Usage> usage{};
  std::int64_t duration_ms = 0;
  std::int64_t first_token_ms = 0;
};

struct RawAnswer {
  std::string_view content{};  // the array
  AnswerFooter footer{};
};

// `body` as a scan finds it. nullopt: another message, not in that form, or something follows.
std::optional<RawAnswer> read_answer(std::string_view body);

// Takes `expected` from the front of `text`, if it is there; a word in quotes without an escape.
bool take(std::string_view& text, std::string_view expected);
std::optional<std::string_view> take_word(std::string_view& text);

}  // namespace skein::model
