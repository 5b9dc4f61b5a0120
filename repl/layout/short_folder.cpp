#include "repl/layout/short_folder.h"

#include "core/text/text.h"

namespace skein::layout {

std::string short_folder(const std::string& folder) {
  const std::string home = user_home();
  if (home.empty() || !(folder + "/").starts_with(home + "/")) return folder;
  return "~" + folder.substr(home.size());
}

}  // namespace skein::layout
