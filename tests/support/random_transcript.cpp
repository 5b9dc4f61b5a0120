#include "random_transcript.h"

#include <utility>

#include "tests/support/known_target.h"

namespace skein::test {

namespace {

using namespace std::string_literals;

template <class Items>
const auto& one_of(Dice& dice, const Items& items) {
  return items[dice.below(std::size(items))];
}

const std::string texts[] = {"hello",
                             "",
                             " ",
                             "\n\t",
                             "\u00a0\u3000",
                             "two\nlines",
                             "nul\0inside"s,
                             "\0"s,
                             "bad\xff\xfe",
                             "\xed\xa0\x80",
                             "cut\xe2\x82",
                             "gr\u00fc\u00df \u20ac",
                             "<thinking>",
                             "a \"b\"",
                             "\ufeff",
                             "\u2028"};

const std::string names[] = {
    "bash", "read", "", "mcp.server/tool", "9lives", std::string(200, 'n'), "na\xffme"};

const std::string inputs[] = {R"({})",
                              R"({"a":1})",
                              R"({"path":"x"})",
                              "",
                              "null",
                              "[1,2]",
                              "{\"cut\":",
                              R"({"lone":"\ud800"})",
                              R"({"nul":"\u0000","not":"\\u0000"})",
                              "{\"bad\":\"\xff\"}",
                              R"({"a":1e999})",
                              std::string(70, '[') + std::string(70, ']'),
                              std::string(64, '[') + std::string(64, ']')};

const std::string signatures[] = {"", "c2ln", "YWJj", "c2l", "bad\xff"};

struct Author {
  const char* provider;
  const char* model;
};
constexpr Author authors[] = {{"anthropic", "claude"},
                              {"openai", "gpt"},
                              {"google", "gemini-2.5"},
                              {"google", "gemini-3"},
                              {"mistral", "large"},
                              {"anthropic", "other"},
                              {"", ""}};

// Few, so that they collide; long ones that differ only where a target cuts them, or only in
// characters that a target refuses.
std::string random_id(Dice& dice) {
  const std::string tail = std::to_string(dice.below(4));
  switch (dice.below(9)) {
    case 0: return "";
    case 1: return "call_" + tail;
    case 2: return "toolu_01" + tail;
    case 3: return std::string(150, 'x') + tail;
    case 4: return "a.b" + tail;
    case 5: return "a:b" + tail;
    case 6: return "call_" + tail + "|fc_" + tail;
    case 7: return "abcdefgh" + tail;
    default: return "\xff\0\xfe"s + tail;
  }
}

// As providers give it: item ids of the block's kind, signatures; or broken.
JsonText random_data(Dice& dice, const std::string& kind) {
  switch (dice.below(8)) {
    case 0: return "{\"id\":\"" + kind + "_" + std::to_string(dice.below(3)) + "\"}";
    case 1: return R"({"thoughtSignature":"c2ln"})";
    case 2: return R"({"thoughtSignature":"c2l"})";
    case 3: return "{broken";
    case 4: return R"({"nul":"\u0000"})";
    default: return "";
  }
}

model::Image random_image(Dice& dice) {
  const std::string types[] = {"image/png", "image/gif", "image/tiff"};
  return {one_of(dice, types), dice.chance(80) ? "blob" : "", dice.chance(30) ? "bytes" : "",
          random_data(dice, "img")};
}

model::Opaque random_opaque(Dice& dice) {
  return {one_of(dice, authors).provider,
          dice.chance(80) ? R"({"type":"x","executableCode":{}})" : "[broken"};
}

model::ToolResult random_result(Dice& dice, std::string id) {
  model::ToolResult result{.tool_use_id = std::move(id), .is_error = dice.chance(20)};
  for (std::size_t n = dice.below(3); n-- > 0;) {
    if (dice.chance(70))
      result.content.emplace_back(model::Text{one_of(dice, texts), random_data(dice, "msg")});
    else if (dice.chance(70))
      result.content.emplace_back(random_image(dice));
    else
      result.content.emplace_back(random_opaque(dice));
  }
  result.provider_data = random_data(dice, "fco");
  return result;
}

model::Block random_block(Dice& dice) {
  switch (dice.below(10)) {
    case 0: return random_image(dice);
    case 1: return random_opaque(dice);
    case 2: return random_result(dice, random_id(dice));
    case 3:
    case 4:
      return model::Thinking{one_of(dice, texts), one_of(dice, signatures), dice.chance(20),
                             random_data(dice, "rs")};
    case 5:
    case 6:
    case 7:
      return model::ToolUse{random_id(dice), one_of(dice, names), one_of(dice, inputs),
                            random_data(dice, "fc")};
    default: return model::Text{one_of(dice, texts), random_data(dice, "msg")};
  }
}

model::Message random_message(Dice& dice, model::Role role) {
  model::Message message{.role = role};
  for (std::size_t n = dice.below(5); n-- > 0;) message.content.push_back(random_block(dice));
  if (role == model::Role::assistant || dice.chance(5)) {
    const Author& author = one_of(dice, authors);
    message.provider = author.provider;
    message.model = author.model;
    constexpr model::Stop stops[] = {
        model::Stop::none,    model::Stop::stop,        model::Stop::length, model::Stop::tool_use,
        model::Stop::aborted, model::Stop::interrupted, model::Stop::error};
    message.stop = one_of(dice, stops);
    message.usage = model::Usage{.input = 1};
  }
  return message;
}

void damage(Dice& dice, std::vector<model::Message>& messages) {
  for (std::size_t n = dice.below(4); n-- > 0 && !messages.empty();) {
    const auto at = [&] { return static_cast<std::ptrdiff_t>(dice.below(messages.size())); };
    const std::ptrdiff_t here = at();
    switch (dice.below(3)) {
      case 0: messages.erase(messages.begin() + here); break;
      case 1: {
        const model::Message copy = messages[static_cast<std::size_t>(here)];
        messages.insert(messages.begin() + at(), copy);
        break;
      }
      default:
        std::swap(messages[static_cast<std::size_t>(here)],
                  messages[static_cast<std::size_t>(at())]);
    }
  }
}

}  // namespace

std::uint64_t Dice::roll() {  // splitmix64
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

handover::Target random_target(Dice& dice, handover::WireFormat wire) {
  const auto plain = [&]() -> handover::Target {
    switch (wire) {
      case handover::WireFormat::anthropic:
        return handover::target_for(wire, "anthropic", "claude");
      case handover::WireFormat::openai_chat:
        return dice.chance(40) ? known_target("mistral", "large")
                               : handover::target_for(wire, "openai", "gpt");
      case handover::WireFormat::openai_responses:
        return handover::target_for(wire, "openai", "gpt");
      default: return known_target("google", dice.chance(50) ? "gemini-2.5" : "gemini-3");
    }
  };
  handover::Target target = plain();
  target.takes_images = dice.chance(60);
  if (dice.chance(10)) target.ids.max = target.ids.exact ? 9 : 12;
  return target;
}

std::vector<std::vector<model::Message>> complete_turn(Dice& dice) {
  std::vector<std::vector<model::Message>> steps;
  steps.push_back({model::user_message("a question")});
  for (std::size_t n = dice.below(4); n-- > 0;) {
    std::vector<model::Message> step{random_message(dice, model::Role::assistant)};
    std::erase_if(step[0].content, [](const model::Block& block) {
      return std::holds_alternative<model::ToolResult>(block) ||
             std::holds_alternative<model::ToolUse>(block);
    });
    for (std::size_t calls = 1 + dice.below(3); calls-- > 0;)
      step[0].content.emplace_back(
          model::ToolUse{random_id(dice), one_of(dice, names), one_of(dice, inputs)});
    const model::Message reply = step[0];
    for (const model::ToolUse* call : model::tool_uses(reply))
      step.push_back({.role = model::Role::tool, .content = {random_result(dice, call->id)}});
    steps.push_back(std::move(step));
  }
  model::Message last{.role = model::Role::assistant,
                      .content = {model::Text{"an answer"}},
                      .stop = model::Stop::stop};
  last.provider = "anthropic";
  last.model = "claude";
  steps.push_back({last});
  return steps;
}

std::vector<model::Message> random_transcript(Dice& dice) {
  std::vector<model::Message> messages;
  for (std::size_t n = dice.below(4); n-- > 0;) {
    if (dice.chance(60)) {
      for (std::vector<model::Message>& step : complete_turn(dice))
        for (model::Message& message : step) messages.push_back(std::move(message));
    } else {
      for (std::size_t k = dice.below(6); k-- > 0;)
        messages.push_back(random_message(dice, static_cast<model::Role>(dice.below(3))));
    }
  }
  damage(dice, messages);
  return messages;
}

}  // namespace skein::test
