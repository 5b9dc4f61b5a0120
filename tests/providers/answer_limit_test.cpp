#include "providers/answer_limit.h"

#include <doctest/doctest.h>

#include "core/assembler.h"
#include "core/entry.h"
#include "core/json.h"

using namespace skein;

namespace {

constexpr std::size_t most = AnswerLimit::most_bytes;

std::string text_of(const Delta& delta) { return std::get<delta::TextPiece>(delta).text; }

}  // namespace

TEST_CASE("words and thoughts are taken up to the limit and cut between characters") {
  AnswerLimit limit;
  Delta thought = delta::ThinkingPiece{"", std::string(most - 5, 'x')};
  CHECK(limit.take(thought));
  Delta words = delta::TextPiece{"", "aäb\u4e2dc"};
  CHECK(!limit.take(words));
  CHECK(text_of(words) == "aäb");
  Delta more = delta::TextPiece{"", "z"};
  CHECK(!limit.take(more));
  CHECK(text_of(more).empty());
}

TEST_CASE("an input that is told again as a whole counts once") {
  AnswerLimit limit;
  for (int i = 0; i < 3; ++i) {
    Delta piece = delta::ToolInput{"a", std::string(most / 2, 'x')};
    CHECK(limit.take(piece));
    Delta whole = delta::ToolInput{"a", std::string(most / 2, 'x'), true};
    CHECK(limit.take(whole));
    Delta nothing = delta::ToolInput{"a", "", true};
    CHECK(limit.take(nothing));
  }
  Delta large = delta::ToolInput{"b", std::string(most + 1, 'x')};
  CHECK(!limit.take(large));
  CHECK(std::get<delta::ToolInput>(large).json_piece.empty());
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
