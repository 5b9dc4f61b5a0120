// What could stand at the cursor: the names of commands, files, sessions, models.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skein::prompt {

struct Choice {
  std::string text;       // as it would stand in the line
  std::string about{};    // a few words on it; untrusted
  std::string letters{};  // what is searched; empty: the text
  bool whole = false;     // the line could be sent with it: nothing must follow
};

// A place in the line where one of several texts can stand.
struct Completion {
  std::string key{};     // which place it is; empty: there is nothing to complete
  std::size_t from = 0;  // from here to the cursor the text is replaced
  // From here it is searched for, by letters in order but with gaps.
  std::size_t letters = 0;
  bool eager = false;  // Enter takes the first choice if it begins with what was typed
  std::function<std::vector<Choice>()> choices{};  // all of them; asked for once for each place
};

using Complete = std::function<Completion(std::string_view before_cursor)>;

}  // namespace skein::prompt
