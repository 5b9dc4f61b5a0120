#include "app/driven/updates.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace skein::app::driven {

namespace delta = model::delta;

namespace {

// Updates as words: "start 0 text", "piece 0 hi", "end 0", "saved".
std::vector<std::string> words_of(const std::vector<model::Event>& events) {
  std::vector<std::string> out;
  Updates updates([&](const Update& update) {
    if (const auto* start = std::get_if<BlockStarted>(&update))
      out.push_back("start " + std::to_string(start->number) + " " + start->call);
    if (const auto* piece = std::get_if<BlockPiece>(&update))
      out.push_back("piece " + std::to_string(piece->number) + " " + piece->text + " " +
                    piece->call);
    if (const auto* end = std::get_if<BlockEnded>(&update))
      out.push_back("end " + std::to_string(end->number));
    if (std::holds_alternative<Saved>(update)) out.emplace_back("saved");
  });
  for (const model::Event& event : events) updates.hear(event);
  return out;
}

model::Event streaming(model::Delta delta) { return model::Streaming{std::move(delta)}; }

}  // namespace

TEST_CASE("pieces without a name belong to the open block of their kind") {
  CHECK(words_of({streaming(delta::TextPiece{"", "a"}), streaming(delta::TextPiece{"", "b"}),
                  streaming(delta::ThinkingPiece{"", "c"})}) ==
        std::vector<std::string>{"start 0 ", "piece 0 a ", "piece 0 b ", "start 1 ", "piece 1 c "});
}

TEST_CASE("pieces of calls that come in turns carry the id of their call") {
  CHECK(words_of({streaming(delta::ToolStart{"1", "x", "read"}),
                  streaming(delta::ToolStart{"2", "y", "read"}),
                  streaming(delta::ToolInput{"1", "{"}), streaming(delta::ToolInput{"2", "["}),
                  streaming(delta::BlockEnd{"", true})}) ==
        std::vector<std::string>{"start 0 x", "start 1 y", "piece 0 { x", "piece 1 [ y", "end 0",
                                 "end 1"});
}

TEST_CASE("a saved answer ends its blocks, and the next one counts from zero") {
  const model::Entry entry =
      model::message_entry({.role = model::Role::assistant, .content = {model::Text{"a"}}});
  CHECK(words_of({streaming(delta::TextPiece{"", "a"}), model::Committed{entry},
                  streaming(delta::TextPiece{"", "b"})}) ==
        std::vector<std::string>{"start 0 ", "piece 0 a ", "end 0", "saved", "start 0 ",
                                 "piece 0 b "});
}

TEST_CASE("an answer that is tried again begins again") {
  CHECK(words_of({streaming(delta::TextPiece{"", "a"}), model::Retrying{},
                  streaming(delta::TextPiece{"", "b"})}) ==
        std::vector<std::string>{"start 0 ", "piece 0 a ", "start 0 ", "piece 0 b "});
}

}  // namespace skein::app::driven
