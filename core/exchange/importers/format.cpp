#include "core/exchange/importers/format.h"

#include <algorithm>

#include "core/exchange/importers/anthropic.h"
#include "core/exchange/importers/claude_code.h"
#include "core/exchange/importers/claw0.h"
#include "core/exchange/importers/codex.h"
#include "core/exchange/importers/copilot.h"
#include "core/exchange/importers/cursor.h"
#include "core/exchange/importers/droid.h"
#include "core/exchange/importers/gemini.h"
#include "core/exchange/importers/google.h"
#include "core/exchange/importers/grok.h"
#include "core/exchange/importers/hermes.h"
#include "core/exchange/importers/kimi.h"
#include "core/exchange/importers/myagents.h"
#include "core/exchange/importers/openai.h"
#include "core/exchange/importers/openclaw.h"
#include "core/exchange/importers/opencode.h"
#include "core/exchange/importers/pi.h"
#include "core/exchange/importers/qwen.h"

namespace skein::exchange::importers {

std::span<const Format> formats() {
  static const Format rows[] = {
      claude_code(),
      codex(),
      openclaw(),
      opencode(),
      pi(),
      gemini(),
      qwen(),
      copilot(),
      kimi(),
      grok(),
      hermes(),
      droid(),
      cursor(),
      claw0(),
      myagents(),
      // What nobody else claims may be a bare array.
      anthropic(),
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
