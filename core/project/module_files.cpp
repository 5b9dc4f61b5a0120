#include "core/project/module_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/text/text.h"

namespace skein::project {

namespace {

constexpr std::string_view own_modules =
    "assert async_hooks buffer child_process cluster console constants crypto dgram "
    "diagnostics_channel dns domain events fs http http2 https inspector module net os path "
    "perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls "
    "trace_events tty url util v8 vm wasi worker_threads zlib";

std::string_view up_to(std::string_view text, std::string_view ends) {
  return text.substr(0, std::min(text.find_first_of(ends), text.size()));
}

// What is in the quotes that `text` begins with; empty: it does not, or they are not closed.
std::string_view in_quotes(std::string_view text) {
  if (text.empty() || std::string_view("'\"`").find(text[0]) == std::string_view::npos) return {};
  const std::size_t end = text.find_first_of(std::string(1, text[0]) + "\n", 1);
  if (end == std::string_view::npos || text[end] == '\n') return {};
  return text.substr(1, end - 1);
}

// "a.b" for `import a.b`, "a" and "a.c" for `from a import c`, ".x" for `from . import x`.
std::vector<std::string> imported_names(std::string_view text) {
  std::vector<std::string> out;
  std::string lines(text);
  std::ranges::replace(lines, ';', '\n');  // python -c "import a; a.b()"
  for (std::string_view line : split(std::string_view(lines), '\n')) {
    line = up_to(trimmed(line), "#");
    if (line.starts_with("import ")) {
      for (const std::string_view each : split(line.substr(7), ','))
        out.emplace_back(first_word(trimmed(each)).first);
    } else if (line.starts_with("from ")) {
      const auto [module, rest] = first_word(trimmed(line.substr(5)));
      out.emplace_back(module);
      for (const std::string_view each : split(trimmed(first_word(rest).second, " \t()\\"), ','))
        out.push_back(std::string(module) + (module.ends_with('.') ? "" : ".") +
                      std::string(first_word(trimmed(each)).first));
    }
  }
  return out;
}

std::vector<std::string> quoted_paths(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = text.find_first_of("'\"`", at)) != std::string_view::npos; ++at) {
    const std::string_view inner = in_quotes(text.substr(at));
    if (inner.find_first_of("./") != std::string_view::npos &&
        inner.find_first_of(" \t<>|*") == std::string_view::npos)
      out.emplace_back(inner);
  }
  return out;
}

}  // namespace

std::vector<std::string> python_module(std::string_view name, const std::string& top) {
  std::vector<std::string> out;
  std::string path = top;
  for (const std::string_view part : split(name, '.')) {
    path += "/" + std::string(part);
    out.push_back(path + ".py");
    out.push_back(path + "/__init__.py");
  }
  return out;
}

NamedFiles python_names(std::string_view text, const std::string& folder, const std::string& top) {
  NamedFiles out{.quoted = quoted_paths(text)};
  for (const std::string& name : imported_names(text)) {
    const std::size_t dots = std::min(name.find_first_not_of('.'), name.size());
    std::filesystem::path from = dots > 0 ? folder : top;
    for (std::size_t up = 1; up < dots; ++up) from = from.parent_path();
    std::ranges::move(python_module(std::string_view(name).substr(dots), from.string()),
                      std::back_inserter(out.modules));
  }
  return out;
}

NamedFiles node_names(std::string_view text, const std::string& folder) {
  NamedFiles out{.quoted = quoted_paths(text)};
  for (const std::string_view mark : {"require", "import", "from"})
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string_view::npos;) {
      at += mark.size();
      const std::string_view name = in_quotes(trimmed(text.substr(at, 300), " \t("));
      if (name.empty() || name.starts_with("node:") || has_word(own_modules, up_to(name, "/")))
        continue;
      if (name[0] != '.' && name[0] != '/') {
        out.packages.emplace_back(name);
        continue;
      }
      const std::string path =
          name[0] == '/' ? std::string(name) : folder + "/" + std::string(name);
      for (const char* end : {"", ".js", ".mjs", ".cjs", ".ts", ".json", "/index.js"})
        out.modules.push_back(path + end);
    }
  return out;
}

}  // namespace skein::project
