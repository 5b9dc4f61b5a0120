#include "tests/support/standing.h"

#include <algorithm>
#include <filesystem>

#include "core/store/home/index/transcript.h"

namespace skein::test {

std::vector<std::string> standing(const std::string& folder, const std::string& text) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  const auto files = store::files::files_beneath(folder);
  if (!files) return out;
  for (const auto& each : fs::recursive_directory_iterator(folder)) {
    if (!each.is_regular_file()) continue;
    const std::string path = fs::relative(each.path(), folder).string();
    std::string bytes;
    const auto take = [&](std::string_view piece) { return !(bytes += piece).empty(); };
    const auto read = store::home::read_pieces(**files, path, take, path);
    if ((!read && read.error().kind != store::Failure::Kind::damaged) ||
        bytes.find(text) != std::string::npos)
      out.push_back(path);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace skein::test
