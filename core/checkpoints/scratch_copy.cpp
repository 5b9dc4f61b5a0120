#include "core/checkpoints/scratch_copy.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/text/base.h"
#include "core/text/text.h"
#include "core/tools/workspace/real_place.h"

namespace skein::checkpoints {

namespace fs = std::filesystem;

namespace {

void copy_tree(const fs::path& from, const fs::path& to,
               const std::vector<std::string>& leave_out) {
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path place = to / entry.path().filename();
    if (std::ranges::count(leave_out, entry.path().string()) > 0) continue;
    if (entry.is_symlink()) {
      fs::copy_symlink(entry.path(), place);
    } else if (entry.is_directory()) {
      fs::create_directory(place, entry.path());
      copy_tree(entry.path(), place, leave_out);
    } else if (entry.is_regular_file()) {
      fs::copy_file(entry.path(), place);
      // As old as it is: what builds by age must not take everything for new.
      fs::last_write_time(place, entry.last_write_time());
    }
  }
}

}  // namespace

ScratchCopy::ScratchCopy(const std::string& folder, const std::vector<std::string>& leave_out) {
  const std::string base = env("TMPDIR").empty() ? "/tmp" : env("TMPDIR");
  std::string name = tools::workspace::real_place(base) + "/skein-scratch-XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    throw Error("cannot make a scratch folder in " + base + ": " + std::strerror(errno));
  path_ = name;
  std::vector<std::string> out;
  for (const std::string& place : leave_out) out.push_back(tools::workspace::real_place(place));
  try {
    copy_tree(folder, path_, out);
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    throw Error(std::string("cannot copy the workspace: ") + error.what());
  }
}

ScratchCopy::~ScratchCopy() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace skein::checkpoints
