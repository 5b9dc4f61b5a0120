// Looking into JSON text without parsing it: where the members of an object stand. It costs about
// what finding the quotes does, so that a file of a gigabyte can be looked through before it is
// read. What is found this way may still turn out not to be JSON when it is parsed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace skein::exchange::importers {

// A member as it stands there: the name between its quotes, the value's text.
struct RawMember {
  std::string_view key{};
  std::string_view value{};
};

// Goes through an object or an array. Values are those of the text; a key is empty in an array.
class RawMembers {
 public:
  explicit RawMembers(std::string_view text);
  std::optional<RawMember> next();
  // How long the object or array is, once next() has given nothing; 0: it does not end, or is none.
  std::size_t length() const { return length_; }

 private:
  void skip_blanks();

  std::string_view text_{};
  std::size_t at_ = 0;
  std::size_t length_ = 0;
  char close_ = 0;  // what ends it; 0: there is nothing more to give
};

// The value of a member that is a string; empty: it is something else.
std::string raw_string(std::string_view value);
// The same if it may be an id: 1 to 128 printable ASCII characters, none of them escaped.
std::string_view raw_id(std::string_view value);
// The same for an entry's: without the characters by which we make further ids of one.
std::string_view raw_entry_id(std::string_view value);
// Of a string, as it is escaped there, for comparing how it begins.
std::string_view raw_beginning(std::string_view value);
// What may stand after the end of an object on the same line: another one that was glued to it.
std::string_view after_blanks(std::string_view text);

}  // namespace skein::exchange::importers
