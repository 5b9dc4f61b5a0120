// Long pastes appear in the line as chips, "[Pasted text #1 +84 lines]", and are sent in full.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skein::edit {

// The text in the line that has not been sent yet.
struct Draft {
  std::string text{};                 // with its chips
  std::vector<std::string> pasted{};  // what the chips stand for, in the order of their numbers

  bool empty() const { return text.empty(); }
  bool operator==(const Draft&) const = default;
};

// A paste as text: lines end with LF, tabs stay, other control characters go.
std::string pasted_text(std::string_view raw);
// When an image is dropped on a terminal, it pastes the image's path, quoted in some way. Returns
// how a prompt mentions that file, or nullopt if the text is something else.
std::optional<std::string> dropped_image(std::string_view text);
// Whether the text is too long to be shown in the line.
bool deserves_chip(std::string_view text);
// Pasted text attaches no files, so a paste that contains an @path must not look typed.
bool mentions_something(std::string_view text);
// Remembers `text` and returns the chip that stands for it.
std::string make_chip(Draft& draft, std::string text);
// The length of the chip that ends (begins) at byte `at` of the draft's text; 0 if none does.
std::size_t chip_before(const Draft& draft, std::size_t at);
std::size_t chip_after(const Draft& draft, std::size_t at);
// The draft as it will be sent.
std::string whole(const Draft& draft);

}  // namespace skein::edit
