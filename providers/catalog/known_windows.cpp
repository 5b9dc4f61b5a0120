#include "providers/catalog/known_windows.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/text/json.h"
#include "core/text/log.h"

namespace skein::catalog {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t holds_ms = 24 * 60 * 60 * 1000;
constexpr std::int64_t most_bytes = 1 << 20;
constexpr double most_per_guess = 1000;

Json all_in(const std::string& file) {
  std::error_code failed;
  if (const auto size = fs::file_size(file, failed); failed || size > most_bytes)
    return Json::object();
  std::ifstream in(file, std::ios::binary);
  const std::optional<Json> json = parse_json(std::string(std::istreambuf_iterator<char>(in), {}));
  return json && json->is_object() ? *json : Json::object();
}

bool holds(const Json& row, std::int64_t now) {
  const std::int64_t at = int_at(row, "at");
  return row.is_object() && int_at(row, "window") > 0 && at <= now && now - at < holds_ms;
}

// All of it or nothing; what was lost in a crash is learned again.
bool replace_file(const std::string& file, const std::string& bytes) {
  std::string name = file + ".XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);  // 0600
  if (fd < 0) return false;
  const bool written =
      ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  ::close(fd);
  if (written && ::rename(name.c_str(), file.c_str()) == 0) return true;
  ::unlink(name.c_str());
  return false;
}

}  // namespace

std::optional<KnownWindow> KnownWindows::find(const std::string& model, std::int64_t now) const {
  if (file_.empty()) return std::nullopt;
  const Json all = all_in(file_);
  const Json& row = at(all, model);
  if (!holds(row, now)) return std::nullopt;
  KnownWindow out{.tokens = int_at(row, "window")};
  if (const Json& per_guess = at(row, "tokensPerGuess"); per_guess.is_number())
    if (const auto value = per_guess.get<double>(); value > 0 && value < most_per_guess)
      out.tokens_per_guess = value;
  return out;
}

void KnownWindows::keep(const std::string& model, const KnownWindow& window,
                        std::int64_t now) const {
  if (file_.empty()) return;
  Json all = all_in(file_);
  for (auto row = all.begin(); row != all.end();)
    row = holds(*row, now) ? std::next(row) : all.erase(row);
  all[model] = {
      {"window", window.tokens}, {"tokensPerGuess", window.tokens_per_guess}, {"at", now}};
  const fs::path path(file_);
  std::error_code ignored;
  if (fs::create_directories(path.parent_path(), ignored))
    fs::permissions(path.parent_path(), fs::perms::owner_all, ignored);
  if (!replace_file(file_, dump(all) + "\n")) log_warning("window not kept", {});
}

}  // namespace skein::catalog
