#include "providers/grammar/claude_names.h"

#include "providers/catalog/version.h"

namespace skein::grammar {

bool is_claude(std::string_view model) { return model.find("claude") != model.npos; }

bool is_claude_from(std::string_view model, int major, int minor) {
  const std::size_t name = model.find("claude");
  return name != model.npos &&
         catalog::since(catalog::split_version(model.substr(name)).version, {major, minor});
}

bool always_thinks(std::string_view model) {
  const auto is_of = [&](std::string_view family) { return model.find(family) != model.npos; };
  if (is_of("fable") || is_of("mythos")) return is_claude(model);
  return (is_of("opus") || is_of("sonnet")) && is_claude_from(model, 5, 5);
}

}  // namespace skein::grammar
