#include "repl/prompt/history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::prompt {

namespace {

constexpr std::uint64_t most_read = 1 << 20;
constexpr std::size_t longest_line = 64 * 1024;  // longer ones are in the transcript

std::string unescaped(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 1 < line.size();
    if (escape) ++i;
    out += escape && line[i] == 'n' ? '\n' : line[i];
  }
  return out;
}

Fd opened(const std::string& name, int flags) {
  return Fd(open(name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0600));
}

std::uint64_t size_of(const Fd& file) {
  struct stat status {};
  return fstat(file.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

void Drafts::keep(Id session, const edit::Draft& draft) const {
  if (folder_.empty()) return;
  const std::string file = folder_ + "/" + to_string(session);
  if (draft.text.empty())
    unlink(file.c_str());
  else
    replace_small_file(file, dump({{"text", draft.text}, {"pasted", draft.pasted}}) + "\n",
                       Lasting::no);
}

edit::Draft Drafts::load(Id session) const {
  if (folder_.empty()) return {};
  const std::optional<Json> json =
      parse_json(file_text(folder_ + "/" + to_string(session)).value_or(""));
  if (!json) return {};
  edit::Draft draft{.text = string_at(*json, "text")};
  for (const Json& each : at(*json, "pasted"))
    draft.pasted.push_back(each.is_string() ? each.get<std::string>() : std::string{});
  return draft;
}

void History::add(std::string_view line) {
  if (line.find_first_not_of(" \t\n") == std::string_view::npos || line.front() == ' ') return;
  if (line.size() > longest_line) return;
  read_on();
  const std::string text = valid_utf8(line);
  if (!lines_.empty() && lines_.back() == text) return;
  if (!write_down(text)) lines_.push_back(text);
  read_on();
}

// One write, so that lines of several processes do not mix. A line cut short by a crash is
// terminated first, or ours would be appended to it.
bool History::write_down(const std::string& line) const {
  if (file_.empty()) return false;
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
  if (std::filesystem::create_directories(folder, failed) && !failed)
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  const Fd file = opened(file_, O_RDWR | O_CREAT | O_APPEND);
  if (!file) return false;
  std::string bytes;
  char last = '\n';
  if (const std::uint64_t size = size_of(file); size > 0)
    if (pread(file.get(), &last, 1, static_cast<off_t>(size - 1)) != 1) last = '\n';
  if (last != '\n') bytes += '\n';
  bytes += escaped_line(line) + '\n';
  return ::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

const std::vector<std::string>& History::lines() {
  read_on();
  return lines_;
}

void History::read_on() {
  if (file_.empty()) return;
  const Fd file = opened(file_, O_RDONLY);
  if (!file) return;
  const std::uint64_t size = size_of(file);
  if (size < read_to_) {  // another process rewrote it
    lines_.clear();
    read_to_ = 0;
  }
  if (size == read_to_) return;
  const bool cut = size - read_to_ > most_read;
  const std::uint64_t from = cut ? size - most_read : read_to_;
  std::string bytes(size - from, '\0');
  const ssize_t count = pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(from));
  if (count <= 0) return;
  std::string_view rest(bytes.data(), static_cast<std::size_t>(count));
  std::uint64_t done = from;
  for (bool first = true;; first = false) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // still being written
    if (end > 0 && !(cut && first)) lines_.push_back(valid_utf8(unescaped(rest.substr(0, end))));
    rest.remove_prefix(end + 1);
    done += end + 1;
  }
  read_to_ = done;
}

std::optional<std::size_t> History::before(std::size_t from, std::string_view start) {
  const std::size_t end = std::min(from, lines_.size());
  for (std::size_t i = end; i-- > 0;)
    if (lines_[i].starts_with(start) && (from >= lines_.size() || lines_[i] != lines_[from]))
      return i;
  return std::nullopt;
}

std::optional<std::size_t> History::after(std::size_t from, std::string_view start) {
  for (std::size_t i = from + 1; i < lines_.size(); ++i)
    if (lines_[i].starts_with(start) && lines_[i] != lines_[from]) return i;
  return std::nullopt;
}

std::string History::rest_of(std::string_view start) {
  for (std::size_t i = lines_.size(); i-- > 0;)
    if (lines_[i].size() > start.size() && lines_[i].starts_with(start))
      return lines_[i].substr(start.size());
  return {};
}

}  // namespace skein::prompt
