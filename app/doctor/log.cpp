// Where the maintainer's log is.
#include "core/text/log.h"

#include <filesystem>

#include "app/doctor/checks.h"
#include "app/home.h"
#include "core/text/amounts.h"
#include "core/text/json.h"

namespace skein::doctor {

Finding look_at_log(const Surroundings&) {
  namespace fs = std::filesystem;
  Finding found;
  const std::string folder = app::state_folder();
  if (folder.empty()) {
    found.note = "none: there is no place for it (HOME and XDG_STATE_HOME are not set)";
    return found;
  }
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end;
       each.increment(failed)) {
    std::error_code gone;
    const std::uint64_t size = each->path().extension() == ".log" ? each->file_size(gone) : 0;
    if (size == 0 || gone) continue;
    ++files;
    bytes += size;
  }
  found.note = folder + ", a file a process; `--debug` writes more";
  found.details.push_back(counted(files, "file") + ", " + short_bytes(bytes));
  found.facts = dump({{"folder", folder}, {"files", files}, {"bytes", bytes}});
  return found;
}

}  // namespace skein::doctor
