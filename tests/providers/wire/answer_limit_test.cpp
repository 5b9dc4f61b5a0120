#include "providers/wire/answer_limit.h"

#include <doctest/doctest.h>

#include "core/model/assembler.h"
#include "core/model/entry.h"
#include "core/text/json.h"

using namespace skein;
using namespace skein::wire;

namespace {

constexpr std::size_t most = AnswerLimit::most_bytes;

std::string text_of(const model::Delta& delta) {
  return std::get<model::delta::TextPiece>(delta).text;
}

}  // namespace

TEST_CASE("words and thoughts are taken up to the limit and cut between characters") {
  AnswerLimit limit;
  model::Delta thought = model::delta::ThinkingPiece{"", std::string(most - 5, 'x')};
  CHECK(limit.take(thought));
  model::Delta words = model::delta::TextPiece{"", "aäb\u4e2dc"};
  CHECK(!limit.take(words));
  CHECK(text_of(words) == "aäb");
  model::Delta more = model::delta::TextPiece{"", "z"};
  CHECK(!limit.take(more));
  CHECK(text_of(more).empty());
}

TEST_CASE("an input that is told again as a whole counts once") {
  AnswerLimit limit;
  for (int i = 0; i < 3; ++i) {
    model::Delta piece = model::delta::ToolInput{"a", std::string(most / 2, 'x')};
    CHECK(limit.take(piece));
    model::Delta whole = model::delta::ToolInput{"a", std::string(most / 2, 'x'), true};
    CHECK(limit.take(whole));
    model::Delta nothing = model::delta::ToolInput{"a", "", true};
    CHECK(limit.take(nothing));
  }
  model::Delta large = model::delta::ToolInput{"b", std::string(most + 1, 'x')};
  CHECK(!limit.take(large));
  CHECK(std::get<model::delta::ToolInput>(large).json_piece.empty());
}

TEST_CASE("whatever is within the limit fits a line, escaped as transcripts escape it") {
  for (const std::string character : {"x", "\x01", "\n", "\"", "\\", "\x7f", "\u0085", "\u009b",
                                      "\u2028", "\u2029", "\ufeff", "\u4e2d", "\U0001F600"}) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += character;
    CAPTURE(character);
    CHECK(json_line(json_string(text)).size() - 2 <= escaped_size(text));
  }
}
