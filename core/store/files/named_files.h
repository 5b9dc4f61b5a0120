// What is done to files by their names. What goes wrong is a failure; its sentence begins with
// `doing`, or with the path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/store/files/open_file.h"

namespace skein::store::files {

// `damaged` if what stands there is no file.
Result<OpenFile> open(Files& files, const std::string& path, OpenAs as, const std::string& doing);
Result<FileStat> stat(Files& files, const std::string& path, const std::string& doing = {});
bool exists(Files& files, const std::string& path);
Result<std::vector<std::string>> list(Files& files, const std::string& folder);  // sorted
// All of a file; `refused` if that is more than `limit` bytes.
Result<std::string> read_whole(Files& files, const std::string& path, std::uint64_t limit,
                               const std::string& doing = {});
Result<void> make_folder(Files& files, const std::string& folder);  // nothing if it is there
Result<void> link(Files& files, const std::string& from, const std::string& to,
                  const std::string& doing = {});
Result<void> remove(Files& files, const std::string& path, const std::string& doing = {});
Result<void> sync_folder(Files& files, const std::string& folder, const std::string& doing = {});
// Through a temporary file, synced, renamed into place, the folder synced.
Result<void> replace_file(Files& files, const std::string& path, std::string_view bytes,
                          const std::string& doing = {});
// Across file systems as well; both folders synced.
Result<void> move_file(Files& files, const std::string& from, const std::string& to,
                       const std::string& doing = {});

}  // namespace skein::store::files
