#include "providers/event_mask.h"

#include <doctest/doctest.h>

#include "tests/support/environment.h"

using namespace skein;
using namespace skein::providers;
using namespace skein::test;

namespace {

constexpr const char* key = "sk-test-0123456789";

// What a sink behind the mask hears, in short: one line per event, pieces of a kind joined.
struct Heard {
  const Environment variable{"SKEIN_MASK_KEY", key};
  Keyring keys{};
  std::string text{}, last{};
  EventMask mask{keys, [this](const model::Event& event) { hear(event); }};

  Heard() { keys.take_environment({"SKEIN_MASK_KEY"}); }

  void add(const std::string& kind, const std::string& piece) {
    text += (last == kind ? "" : "\n" + kind + " ") + piece;
    last = kind;
  }
  void hear(const model::Event& event) {
    if (const auto* streaming = std::get_if<model::Streaming>(&event)) {
      if (const auto* piece = std::get_if<model::delta::TextPiece>(&streaming->delta))
        return add("text " + piece->block, piece->text);
      if (const auto* thought = std::get_if<model::delta::ThinkingPiece>(&streaming->delta))
        return add("thinking " + thought->block, thought->text);
      if (const auto* input = std::get_if<model::delta::ToolInput>(&streaming->delta))
        return add("input " + input->block, input->json_piece);
      if (const auto* failed = std::get_if<model::delta::Failed>(&streaming->delta))
        return add("failed", failed->text);
    }
    if (const auto* started = std::get_if<model::ToolStarted>(&event))
      return add("start", started->call.input + started->title);
    if (const auto* output = std::get_if<model::ToolOutput>(&event))
      return add("output " + output->call_id, output->text);
    if (const auto* notice = std::get_if<model::Notice>(&event)) return add("notice", notice->text);
    if (const auto* retry = std::get_if<model::Retrying>(&event))
      return add("retry", retry->reason);
  }
};

model::Delta piece_of(int kind, const std::string& block, const std::string& text) {
  if (kind == 0) return model::delta::TextPiece{block, text};
  if (kind == 1) return model::delta::ThinkingPiece{block, text};
  return model::delta::ToolInput{block, text};
}

}  // namespace

TEST_CASE("a key is hidden in words, thoughts and inputs wherever the pieces cut it") {
  const std::string said = std::string("a ") + key + " b sk-test-01";
  const char* names[] = {"text", "thinking", "input"};
  for (int kind = 0; kind < 3; ++kind)
    for (std::size_t cut = 0; cut <= said.size(); ++cut) {
      Heard heard;
      heard.mask(model::Streaming{piece_of(kind, "1", said.substr(0, cut))});
      heard.mask(model::Streaming{model::delta::UsageUpdate{.input = 1}});
      heard.mask(model::Streaming{piece_of(kind, "1", said.substr(cut))});
      heard.mask(model::Streaming{model::delta::Finished{}});
      CHECK(heard.text == "\n" + std::string(names[kind]) + " 1 a [key hidden] b sk-test-01");
    }
}

TEST_CASE("what may begin a key comes before whatever is shown next") {
  Heard heard;
  heard.mask(model::Streaming{model::delta::ThinkingPiece{"0", "thought sk-"}});
  heard.mask(model::Streaming{model::delta::TextPiece{"1", "word sk-te"}});
  heard.mask(model::Streaming{model::delta::BlockEnd{"1"}});
  heard.mask(model::ToolOutput{"c", "out sk-test"});
  heard.mask(model::ToolEnded{"c"});
  CHECK(heard.text == "\nthinking 0 thought sk-\ntext 1 word sk-te\noutput c out sk-test");
}

TEST_CASE("inputs that arrive side by side do not lend each other their pieces") {
  Heard heard;
  heard.mask(model::Streaming{model::delta::ToolInput{"a", "sk-test-"}});
  heard.mask(model::Streaming{model::delta::ToolInput{"b", "0123456789"}});
  heard.mask(model::Streaming{model::delta::BlockEnd{"b"}});
  heard.mask(model::Streaming{model::delta::ToolInput{"a", "0123456789"}});
  CHECK(heard.text == "\ninput b 0123456789\ninput a [key hidden]");
}

TEST_CASE("calls, their output, notices and errors are shown without keys") {
  Heard heard;
  heard.mask(model::ToolStarted{{"c", "bash", std::string("{") + key}, std::string("echo ") + key});
  heard.mask(model::ToolOutput{"c", "sk-test-01"});
  heard.mask(model::ToolOutput{"c", "23456789\n"});
  heard.mask(model::Notice{model::Notice::Level::info, key});
  heard.mask(model::Retrying{1, {}, key});
  heard.mask(model::Streaming{model::delta::Failed{key}});
  heard.mask(model::Streaming{model::delta::ToolInput{"w", key, true}});
  CHECK(heard.text ==
        "\nstart {[key hidden]echo [key hidden]\noutput c [key hidden]\n\nnotice [key hidden]"
        "\nretry [key hidden]\nfailed [key hidden]\ninput w [key hidden]");
}
