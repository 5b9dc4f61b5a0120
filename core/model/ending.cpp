#include "core/model/ending.h"

#include <algorithm>

#include "core/text/request_text.h"

namespace skein::model {

Ending ending_of(Stop stop, std::string_view error, bool empty) {
  const std::string detail = error.empty() ? "" : ": " + std::string(error);
  switch (stop) {
    case Stop::stop: return empty ? Ending{"the model sent an empty answer", true} : Ending{};
    case Stop::length:
      return {empty ? "the model reached its output limit before it said anything"
                    : "the answer is not complete: the model reached its output limit",
              true};
    case Stop::refusal: return {"the answer was refused or filtered" + detail, true};
    case Stop::interrupted: return {"the answer was cut short" + detail, true};
    case Stop::error: return {error.empty() ? "the turn failed" : std::string(error)};
    case Stop::none:
    case Stop::tool_use:
    case Stop::aborted: break;
  }
  return {};
}

bool is_empty_answer(const Message& reply) {
  return std::ranges::none_of(reply.content, [](const Block& block) {
    const auto* text = std::get_if<Text>(&block);
    return text != nullptr ? !is_blank(text->text) : !std::holds_alternative<Thinking>(block);
  });
}

}  // namespace skein::model
