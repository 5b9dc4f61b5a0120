// The words of what a call came to, without its images.
#pragma once

#include <string>
#include <variant>

#include "core/model/tool.h"

namespace skein::hooks {

inline std::string text_of(const model::ToolOutcome& outcome) {
  std::string out;
  for (const model::ResultBlock& block : outcome.content)
    if (const auto* text = std::get_if<model::Text>(&block))
      out += (out.empty() ? "" : "\n") + text->text;
  return out;
}

}  // namespace skein::hooks
