#include "core/project/trust_record.h"

#include "core/text/base.h"
#include "core/text/checksum.h"
#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view project_mark = "project ", given = "trusted ", refused = "refused ";
constexpr std::size_t hash_length = 64, most_bytes = 16u << 20;

}  // namespace

TrustRecord::TrustRecord(std::string folder, std::string root) : root_(std::move(root)) {
  if (folder.empty()) return;
  file_ = folder + "/" + sha256_hex(root_).substr(0, 16);
  const std::string text = read_small_file(file_, most_bytes);
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.empty() || lines.front() != std::string(project_mark) + root_) return;
  for (const std::string_view line : lines) {
    const bool is_given = line.starts_with(given);
    const std::string_view rest = line.substr(std::min(given.size(), line.size()));
    if ((!is_given && !line.starts_with(refused)) || rest.size() < hash_length + 2) continue;
    files_[std::string(rest.substr(hash_length + 1))] = {std::string(rest.substr(0, hash_length)),
                                                         is_given ? Trust::given : Trust::refused};
  }
}

Trust TrustRecord::of(const std::string& path, std::string_view sha256) const {
  const auto found = files_.find(path);
  return found == files_.end() || found->second.sha256 != sha256 ? Trust::unknown
                                                                 : found->second.trust;
}

std::vector<std::string> TrustRecord::paths() const {
  std::vector<std::string> out;
  for (const auto& [path, file] : files_)
    if (file.trust == Trust::given) out.push_back(path);
  return out;
}

void TrustRecord::set(const std::string& path, std::string sha256, Trust trust) {
  if (path.find('\n') != std::string::npos) return;  // no name that a line can hold
  if (trust == Trust::unknown)
    files_.erase(path);
  else
    files_[path] = {std::move(sha256), trust};
}

void TrustRecord::save() const {
  if (file_.empty())
    throw Error("there is no place to store what you trust: set HOME or XDG_CONFIG_HOME",
                ExitStatus::storage);
  if (files_.empty()) {
    std::error_code ignored;
    fs::remove(file_, ignored);
    return;
  }
  std::string text = std::string(project_mark) + root_ + "\n";
  for (const auto& [path, file] : files_)
    text +=
        std::string(file.trust == Trust::given ? given : refused) + file.sha256 + " " + path + "\n";
  if (!replace_small_file(file_, text, Lasting::yes))
    throw Error("cannot write " + file_ + ": " + std::strerror(errno), ExitStatus::storage);
}

std::vector<std::string> TrustRecord::roots(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code failed;
  if (folder.empty()) return out;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string text = file_beginning(at->path());
    if (const std::string line = text.substr(0, text.find('\n')); line.starts_with(project_mark))
      out.push_back(line.substr(project_mark.size()));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace skein::project
