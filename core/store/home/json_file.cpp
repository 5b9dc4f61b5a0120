#include "core/store/home/json_file.h"

#include <filesystem>

#include "core/store/files/named_files.h"

namespace skein::store::home {

namespace fs = std::filesystem;

std::optional<Json> read_json_file(const std::string& file) {
  constexpr std::uint64_t most_bytes = 64u << 20;
  const fs::path path(file);
  const auto folder = files::files_beneath(path.parent_path().string());
  if (!folder || !files::exists(**folder, path.filename().string())) return Json::object();
  const auto bytes = files::read_whole(**folder, path.filename().string(), most_bytes);
  std::optional<Json> json = bytes ? parse_json(*bytes) : std::nullopt;
  if (!json || !json->is_object()) return std::nullopt;
  return json;
}

std::string change_json_file(const std::string& file, const std::function<void(Json&)>& change) {
  std::error_code ignored;
  const fs::path path(file);
  if (fs::create_directories(path.parent_path(), ignored))
    fs::permissions(path.parent_path(), fs::perms::owner_all, ignored);
  const std::string name = path.filename().string(), doing = "cannot write " + file;
  const auto folder = files::files_beneath(path.parent_path().string());
  if (!folder) return "cannot write " + folder.error().text;
  const auto lock = files::open(**folder, name + ".lock", files::OpenAs::locker, doing);
  if (const auto locked = lock ? lock->lock() : lock.error(); !locked) return locked.error().text;
  Json all = read_json_file(file).value_or(Json::object());
  change(all);
  const auto done = files::replace_file(**folder, name, dump(all) + "\n", doing);
  return done ? "" : done.error().text;
}

}  // namespace skein::store::home
