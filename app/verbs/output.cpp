#include "app/verbs/output.h"

#include <cstdio>

#include "core/text/json.h"
#include "repl/layout/sanitize.h"

namespace skein::verbs {

namespace {

void write_line(std::string line) {
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
}

}  // namespace

void print_json(const JsonText& json) { write_line(printable_json(json)); }

void print_line(std::string_view untrusted) { write_line(layout::sanitized(untrusted)); }

void print_styled(std::string_view safe) { write_line(std::string(safe)); }

void tell_user(std::string_view untrusted) {
  std::fputs((layout::sanitized("skein: " + std::string(untrusted)) + "\n").c_str(), stderr);
}

void print_answer(const app::Invocation& invocation, const JsonText& json, std::string_view line) {
  invocation.has("--json") ? print_json(json) : print_line(line);
}

std::string pad(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

}  // namespace skein::verbs
