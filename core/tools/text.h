// What the tools share when they take a call apart and when they put an answer together.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tool.h"

namespace skein {

// A call's input, checked: required members are there, strings are strings, numbers are whole and
// not negative. The first complaint is kept, as a sentence for the model.
class Arguments {
 public:
  explicit Arguments(const JsonText& input);
  ~Arguments();

  std::string text(std::string_view name);  // required
  std::string text(std::string_view name, std::string_view fallback);
  std::size_t number(std::string_view name, std::size_t fallback);
  bool flag(std::string_view name);
  const std::string& complaint() const { return complaint_; }

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
  std::string complaint_;
};

// "name argument" on one line, whatever the argument holds.
std::string one_line(std::string_view verb, std::string_view argument);

// A NUL among the first bytes: not text.
bool looks_binary(std::string_view bytes);
// The first bytes as a hex dump, for what is not text.
std::string hex_head(std::string_view bytes);

// Lines without their line ends. A file that ends in a newline has no empty last line.
std::vector<std::string_view> split_lines(std::string_view text);

// At most `limit` bytes from `fd`, in pieces, until `piece` returns false. False if reading failed.
bool read_pieces(int fd, std::size_t limit, const std::function<bool(std::string_view)>& piece);
std::optional<std::string> read_all(int fd, std::size_t limit);  // nullopt: failed or longer

}  // namespace skein
