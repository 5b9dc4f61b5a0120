#include "core/instructions/source.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "core/tools/workspace/reading.h"
#include "core/tools/workspace/real_place.h"

namespace skein::instructions {

namespace {

namespace fs = std::filesystem;
using tools::workspace::Opened, tools::workspace::Place, tools::workspace::Root;

constexpr std::size_t most_names = 500;

// As far as the last whole line, if there is one.
std::string_view whole_lines(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string_view::npos ? utf8_prefix(text, text.size()) : text.substr(0, end + 1);
}

std::string plain_lines(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string out = valid_utf8(text);
  for (std::size_t at = 0; (at = out.find("\r\n", at)) != std::string::npos;) out.erase(at, 1);
  return out;
}

// A refusal of the workspace's, without the name it begins with; here the project is meant.
std::string reason_in(const std::string& refusal) {
  const std::size_t end = refusal.rfind(": ");
  const std::string reason = end == std::string::npos ? refusal : refusal.substr(end + 2);
  return reason == "outside the workspace" ? "it leads out of the project" : reason;
}

}  // namespace

Source::Source(std::string project, std::size_t most_bytes, Withheld withheld)
    : project_(std::move(project)), most_bytes_(most_bytes), withheld_(std::move(withheld)) {}

// Most projects have few of the files that are looked for, and many have none.
const Root* Source::root() {
  if (!root_) try {
      root_ = std::make_unique<Root>(project_, std::vector<std::string>{});
    } catch (const Error&) {  // nothing can be read there
    }
  return root_.get();
}

Source::Stamp Source::stamp_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, info.st_size,
          std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

bool Source::has_changed() const {
  return std::ranges::any_of(stamps_,
                             [](const auto& each) { return stamp_of(each.first) != each.second; });
}

// An absolute link may lead back into the project.
Place Source::place_of(const Root& root, const std::string& path) {
  Place place = root.locate(path);
  if (place || place.missing) return place;
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  if (!failed && tools::workspace::is_below(real.string(), root.path()))
    return root.locate(real.string());
  return place;
}

std::optional<SourceText> Source::of_project(const std::string& path) {
  const Stamp stamp = stamps_[path] = stamp_of(path);
  struct stat info {};
  if (stamp.size < 0 && lstat(path.c_str(), &info) != 0) return std::nullopt;
  const std::string shown = fs::path(path).lexically_relative(project_).string();
  const auto refuse = [&](const std::string& why) {
    remark(shown + " is not read: " + why);
    return std::nullopt;
  };
  const Root* const root = this->root();
  if (root == nullptr) return std::nullopt;
  const Place place = place_of(*root, path);
  if (!place) return refuse(reason_in(place.refusal));
  if (withheld_ && withheld_(place.below)) return refuse("it is kept from the model");
  const Opened file = root->open_file(place);
  if (!file) return file.missing ? std::nullopt : refuse(reason_in(file.refusal));
  return read(file, shown);
}

std::optional<SourceText> Source::of_user(const std::string& path) {
  if ((stamps_[path] = stamp_of(path)).size < 0) return std::nullopt;
  Opened file{.fd = open_regular(path)};
  if (!file.fd && (errno == ENOTSUP || errno == EISDIR)) return std::nullopt;
  if (!file.fd || fstat(file.fd.get(), &file.info) != 0) {
    remark(path + " cannot be read");
    return std::nullopt;
  }
  return read(file, path);
}

std::optional<SourceText> Source::read(const Opened& file, const std::string& path) {
  std::string bytes;
  const bool good = read_pieces(file.fd.get(), most_bytes_ + 1, [&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  if (!good || tools::workspace::looks_binary(bytes)) {
    remark(path + (good ? " is not read: it is not text" : " cannot be read"));
    return std::nullopt;
  }
  SourceText out{.size = static_cast<std::size_t>(file.info.st_size),
                 .cut = bytes.size() > most_bytes_,
                 .id = {file.info.st_dev, file.info.st_ino}};
  if (out.cut) bytes.resize(most_bytes_);
  out.text = plain_lines(out.cut ? whole_lines(bytes) : bytes);
  return out;
}

std::vector<std::string> Source::names_in(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> out;
  if ((stamps_[folder] = stamp_of(folder)).size < 0) return out;
  const Root* const root = this->root();
  if (root == nullptr) return out;
  const Place place = root->locate(folder);
  if (!place) return out;
  Opened opened = root->open_folder(place);
  DIR* const stream = opened ? fdopendir(opened.fd.get()) : nullptr;
  if (stream == nullptr) return out;
  opened.fd.release();
  std::size_t seen = 0;
  while (const dirent* entry = readdir(stream)) {
    if (++seen > 10 * most_names || out.size() == most_names) {
      remark(folder + " has too many files; not all are read");
      break;
    }
    if (std::string name = entry->d_name; name.ends_with(suffix) && name != suffix)
      out.push_back(std::move(name));
  }
  closedir(stream);
  std::ranges::sort(out);
  return out;
}

}  // namespace skein::instructions
