// What the verbs write to standard output. It may hold what models, files and strangers said.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/cli.h"
#include "core/text/base.h"

namespace skein::verbs {

void print_json(const JsonText& json);        // escaped so that no terminal obeys it; a line
void print_line(std::string_view untrusted);  // sanitized
void print_styled(std::string_view safe);     // sanitized already, with styles of ours; a line
void tell_user(std::string_view untrusted);   // a line on standard error, sanitized
// The one if --json was given, else the other.
void print_answer(const app::Invocation& invocation, const JsonText& json, std::string_view line);
std::string pad(std::string text, std::size_t width);  // with blanks, to `width` bytes

}  // namespace skein::verbs
