// Where a path leads once every link in it is followed: what rules decide on, whatever a call or a
// prompt calls it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace skein::model {

struct Located {
  // Its path in the workspace, "." for that itself; in a folder beside it as further_place() says
  // it; empty: tools cannot.
  std::string below{};
  std::string absolute{};   // empty: it cannot be told
  std::string from_home{};  // "~/x" if it lies in the user's home folder, "~" for that itself
  bool many_names = false;  // a file with hard links: another of its names may lie anywhere
  bool exists = false;
  std::string refusal{};   // why `below` is empty
  std::string withheld{};  // what keeps it from the model: ".skeinignore:3"; empty: nothing does
  std::string secret{};    // the pattern of secrets it looks like: "*.pem"; empty: it does not
};
using Locate = std::function<Located(std::string_view path)>;

}  // namespace skein::model
