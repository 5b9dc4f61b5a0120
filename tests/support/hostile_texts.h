// Texts that try to drive a terminal: every family of escape sequence, whole, cut and hidden in
// Markdown, and a judge of what a screen may send.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::test {

std::vector<std::string> hostile_texts();  // more than 500, the same ones every time

// `text` with what could drive a terminal spelled out; written apart from the code under test.
std::string defanged(std::string_view text);

// Empty if every byte is one a screen may send: printable UTF-8, line ends, tabs, the few sequences
// it makes itself. Else what is wrong.
std::string complaint_about(std::string_view sent);

}  // namespace skein::test
