#include "core/store/home/work_note.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/store/files/named_files.h"

namespace skein::store::home {

namespace {

constexpr const char* notes_folder = "work";
constexpr std::size_t most_note_bytes = 200;

std::string host_in(const std::string& who) { return who.substr(0, who.find(' ')); }

std::string text_in(Home& home, const std::string& path) {
  std::string text(most_note_bytes, '\0');
  const auto file = files::open(home.files(), path, files::OpenAs::reader, path);
  const auto got = file ? file->read(text.data(), text.size(), 0) : Result<std::size_t>(0);
  text.resize(got ? *got : 0);
  return text;
}

struct Note {
  Id session{};
  pid_t process = 0;
};
std::optional<Note> note_called(const std::string& name) {
  constexpr std::size_t digits = 16;
  if (name.size() <= digits + 1 || name[digits] != '.') return std::nullopt;
  const std::optional<Id> session = parse_id(std::string_view(name).substr(0, digits));
  Note out;
  const char* const end = name.data() + name.size();
  const auto [stopped, failed] = std::from_chars(name.data() + digits + 1, end, out.process);
  if (!session || failed != std::errc{} || stopped != end || out.process <= 0) return std::nullopt;
  out.session = *session;
  return out;
}

}  // namespace

WorkNote::WorkNote(std::shared_ptr<Home> home, Id session) : home_(std::move(home)) {
  const std::string path =
      std::string(notes_folder) + "/" + to_string(session) + "." + std::to_string(getpid());
  home_->files().make_folder(notes_folder);
  home_->files().remove(path);  // of a process that had our number
  const auto file = files::open(home_->files(), path, files::OpenAs::creator, path);
  if (!file) return;
  path_ = path;
  (void)bool(file->write(who_we_are()));
}

WorkNote::~WorkNote() {
  if (!path_.empty()) home_->files().remove(path_);
}

std::map<Id, std::string> noted_workers(Home& home, std::span<const Id> sessions) {
  std::map<Id, std::string> out;
  const int lock = home.files().open("work.lock", files::OpenAs::reader);
  if (lock < 0) return out;
  std::vector<std::uint64_t> places;
  home.files().held(lock, places);
  home.files().close(lock);
  for (const Id session : sessions)
    if (std::ranges::find(places, files::lock_offset(session.value)) != places.end())
      out[session] = "";
  if (out.empty()) return out;
  std::vector<std::string> names;
  home.files().list(notes_folder, names);
  const std::string here = host_in(who_we_are());
  for (const std::string& name : names) {
    const std::optional<Note> note = note_called(name);
    if (!note || !out.contains(note->session)) continue;
    const std::string who = text_in(home, std::string(notes_folder) + "/" + name);
    const bool dead = host_in(who) == here && kill(note->process, 0) != 0 && errno == ESRCH;
    if (dead || who.empty()) continue;
    std::string& known = out[note->session];
    known += (known.empty() ? "" : ", ") + who;
  }
  for (auto& [session, who] : out)
    if (who.empty()) who = "another process";
  return out;
}

}  // namespace skein::store::home
