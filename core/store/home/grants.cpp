#include "core/store/home/grants.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/text/json.h"
#include "core/text/sha256.h"

namespace skein::store::home {

namespace {

namespace fs = std::filesystem;

// {"version":1,"sessions":{"<id>":{"<digest of the workspace>":["<digest of a rule>", …]}}}
Json empty_file() { return {{"version", 1}, {"sessions", Json::object()}}; }

// Nullopt: it is not what we wrote.
std::optional<Json> read(const std::string& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return empty_file();
  std::ifstream in(file, std::ios::binary);
  std::optional<Json> json = parse_json(std::string(std::istreambuf_iterator<char>(in), {}));
  if (!in || !json || !json->is_object() || !at(*json, "sessions").is_object()) return std::nullopt;
  return json;
}

std::string because(const std::string& file) {
  return "cannot write " + file + ": " + std::strerror(errno);
}

// All of it or nothing, and nobody else reads it.
std::string write(const std::string& file, const Json& json) {
  std::string name = file + ".XXXXXX";
  const int fd = mkostemp(name.data(), O_CLOEXEC);  // 0600
  if (fd < 0) return because(file);
  const std::string bytes = dump(json) + "\n";
  const bool written =
      ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
      ::fsync(fd) == 0;
  std::string trouble = written ? "" : because(file);
  ::close(fd);
  if (written && ::rename(name.c_str(), file.c_str()) == 0) return "";
  if (trouble.empty()) trouble = because(file);
  ::unlink(name.c_str());
  return trouble;
}

// Two processes may be given rules at the same time.
class Lock {
 public:
  explicit Lock(const std::string& file)
      : fd_(::open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    while (fd_ >= 0 && ::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() {
    if (fd_ >= 0) ::close(fd_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int fd_;
};

}  // namespace

Grants::Grants(std::string file, const std::string& workspace)
    : file_(std::move(file)), workspace_(sha256_hex(workspace)) {}

void Grants::load() {
  if (loaded_) return;
  loaded_ = true;
  if (file_.empty()) return;
  const std::optional<Json> json = read(file_);
  if (!json) {
    damage_ = file_ + " is damaged; rules that sessions were given earlier must be given again";
    return;
  }
  for (const auto& [session, workspaces] : at(*json, "sessions").items())
    for (const Json& digest : at(workspaces, workspace_))
      if (digest.is_string()) here_[session].insert(digest.get<std::string>());
}

bool Grants::has(Id session, const std::string& rule) {
  load();
  const auto found = here_.find(to_string(session));
  return found != here_.end() && found->second.contains(sha256_hex(rule));
}

std::string Grants::give(Id session, const std::string& rule) {
  return change(session, {sha256_hex(rule)}, {});
}

std::string Grants::take_back(Id session, const std::string& rule) {
  return change(session, {}, {sha256_hex(rule)});
}

std::string Grants::change(Id session, const Digests& add, const Digests& remove) {
  load();
  const std::string name = to_string(session);
  const auto apply = [&](Digests& digests) {
    digests.insert(add.begin(), add.end());
    for (const std::string& digest : remove) digests.erase(digest);
  };
  apply(here_[name]);
  if (file_.empty()) return "";
  std::error_code ignored;
  const fs::path folder = fs::path(file_).parent_path();
  if (fs::create_directories(folder, ignored))
    fs::permissions(folder, fs::perms::owner_all, ignored);
  const Lock lock(file_);
  Json all = read(file_).value_or(empty_file());
  Digests digests;
  for (const Json& digest : at(at(at(all, "sessions"), name), workspace_))
    if (digest.is_string()) digests.insert(digest.get<std::string>());
  apply(digests);
  all["sessions"][name][workspace_] = digests;
  return write(file_, all);
}

}  // namespace skein::store::home
