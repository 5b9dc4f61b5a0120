#include "core/store/home/index/dirty_sessions.h"

#include <fcntl.h>

#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::store::home {

namespace {

constexpr const char* dirty_file = "unsettled";
constexpr std::uint64_t held_place = 0;  // the one that is held
constexpr std::size_t line_bytes = 17;
constexpr std::size_t most_sessions = 300;

// Nothing: it is not as it was written.
std::optional<std::set<Id>> sessions_in(std::string_view text) {
  std::set<Id> out;
  for (; !text.empty(); text.remove_prefix(line_bytes)) {
    const auto id = text.size() < line_bytes || text[line_bytes - 1] != '\n'
                        ? std::nullopt
                        : parse_id(text.substr(0, line_bytes - 1));
    if (!id) return std::nullopt;
    out.insert(*id);
  }
  return out;
}

}  // namespace

bool DirtySessions::take_hold() {
  constexpr int tries = 200;
  Result<files::OpenFile> file = Failure{};
  for (const files::OpenAs as :
       {files::OpenAs::appender, files::OpenAs::creator, files::OpenAs::appender})
    if (file = files::open(files_, dirty_file, as, dirty_file); file) break;
  if (!file) return false;
  // Busy only while a process checks whether the file is held.
  for (int i = 0; i < tries; ++i) {
    const Result<void> held = file->hold(held_place, LockMode::shared);
    if (held) {
      file_ = *std::move(file);
      return true;
    }
    if (held.error().kind != Failure::Kind::busy) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void DirtySessions::note(Id session) {
  if (noted_.contains(session) || (!file_.is_open() && !take_hold())) return;
  // What is there stays for as long as it is held.
  std::string text;
  const auto read = file_.read_all([&](std::string_view piece) {
    text += piece;
    return true;
  });
  const auto known = read ? sessions_in(text) : std::nullopt;
  if ((known && known->contains(session)) || file_.write(to_string(session) + "\n"))
    noted_.insert(session);
}

std::optional<std::set<Id>> DirtySessions::sessions() const {
  const auto text = files::read_whole(files_, dirty_file, most_sessions * line_bytes);
  if (!text) return text.error().missing ? std::optional(std::set<Id>{}) : std::nullopt;
  return sessions_in(*text);
}

std::optional<std::uint64_t> DirtySessions::finished() const {
  const auto file = files::open(files_, dirty_file, files::OpenAs::appender, dirty_file);
  if (!file || !file->hold(held_place, LockMode::exclusive)) return std::nullopt;
  const auto stat = file->stat();
  return stat ? std::optional(stat->size) : std::nullopt;
}

void DirtySessions::clear(std::uint64_t seen) const {
  const auto file = files::open(files_, dirty_file, files::OpenAs::appender, dirty_file);
  if (!file || !file->hold(held_place, LockMode::exclusive)) return;
  if (const auto stat = file->stat(); stat && stat->size == seen && seen > 0)
    (void)file->truncate(0);
}

std::string boot_id() {
  static const std::string id = [] {
    constexpr std::size_t most = 64;
    const Fd file(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    const auto text = file ? read_all(file.get(), most) : std::nullopt;
    return text ? std::string(trimmed(*text)) : std::string{};
  }();
  return id;
}

}  // namespace skein::store::home
