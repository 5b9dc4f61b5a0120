#include "core/exchange/importers/format.h"

#include <algorithm>

#include "core/exchange/importers/openclaw.h"
#include "core/exchange/importers/opencode.h"
#include "core/exchange/importers/pi.h"

namespace skein::exchange::importers {

std::span<const Format> formats() {
  static const Format rows[] = {
      openclaw(),
      opencode(),
      pi(),
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
