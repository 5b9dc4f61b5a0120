#include "repl/screen/text_stream.h"

#include <utility>

namespace skein::screen {

std::string TextStream::add(std::string_view untrusted, std::size_t width) {
  if (untrusted.empty()) return {};
  std::string out = !std::exchange(begun_, true) && look_.labels ? "assistant: " : "";
  std::string safe;
  sanitizer_.feed(untrusted, safe);
  markdown_.set_width(width);
  return out += markdown_.feed(safe);
}

std::string TextStream::pause() { return begun_ ? markdown_.pause() : ""; }

std::string TextStream::interrupt() { return begun_ ? markdown_.interrupt() : ""; }

std::string TextStream::end() {
  if (!std::exchange(begun_, false)) return {};
  std::string rest;
  sanitizer_.end(rest);
  rest = markdown_.feed(rest);
  return rest += markdown_.end();
}

}  // namespace skein::screen
