#include "core/exchange/importers/format.h"

#include <algorithm>

#include "core/exchange/importers/claw0.h"
#include "core/exchange/importers/copilot.h"
#include "core/exchange/importers/gemini.h"
#include "core/exchange/importers/google.h"
#include "core/exchange/importers/grok.h"
#include "core/exchange/importers/hermes.h"
#include "core/exchange/importers/kimi.h"
#include "core/exchange/importers/openai.h"
#include "core/exchange/importers/qwen.h"

namespace skein::exchange::importers {

std::span<const Format> formats() {
  static const Format rows[] = {
      gemini(),
      qwen(),
      copilot(),
      kimi(),
      grok(),
      hermes(),
      claw0(),
      // What nobody else claims may be a bare array.
      google(),
      openai(),
  };
  return rows;
}

const Format* format_named(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  return found == formats().end() ? nullptr : &*found;
}

const Format* format_of(const SourceFile& file) {
  const auto found = std::ranges::find_if(
      formats(), [&](const Format& format) { return format.recognizes(file); });
  return found == formats().end() ? nullptr : &*found;
}

}  // namespace skein::exchange::importers
