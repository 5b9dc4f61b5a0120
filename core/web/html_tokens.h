// HTML as a row of tags and texts. Whatever the bytes are, something comes out, in linear time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skein::web {

inline bool is_blank(char c) {
  return std::string_view(" \t\r\n\f").find(c) != std::string_view::npos;
}

struct HtmlToken {
  enum class Kind { text, start, end } kind = Kind::text;
  std::string name{};  // of a tag, in lower case
  std::string text{};  // with its entities resolved
  std::vector<std::pair<std::string, std::string>> attributes{};

  // Empty: there is none, or it is empty.
  std::string_view attribute(std::string_view wanted) const;
  bool has(std::string_view wanted) const;
};

class HtmlTokens {
 public:
  explicit HtmlTokens(std::string_view html) : rest_(html) {}  // which must outlive this

  bool next(HtmlToken& token);  // false: there are no more

 private:
  bool take_text(HtmlToken& token, std::size_t length);
  bool skip_markup();
  void take_tag(HtmlToken& token);
  void take_attribute(HtmlToken& token);
  void skip(std::string_view what);

  std::string_view rest_;
  std::string raw_{};  // the element we are in whose content holds no tags: script, title
};

}  // namespace skein::web
