// Markdown as models write it, and as nobody should: made from parts, by chance.
#pragma once

#include <random>
#include <string>

namespace skein::test {

// A few lines of every kind, whole and broken, with marks where they do and do not belong.
std::string random_markdown(std::mt19937& random);

// Prose of about that many bytes, without any mark.
std::string plain_prose(std::size_t bytes);

// An answer with headings, lists, a table and code, repeated to about that many bytes.
std::string long_answer(std::size_t bytes);

}  // namespace skein::test
