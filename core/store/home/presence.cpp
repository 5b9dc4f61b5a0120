#include "core/store/home/presence.h"

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
#include "core/store/files/open_file.h"
#include "core/text/text.h"

namespace skein::store::home {

namespace {

constexpr std::size_t most_note_bytes = 200;

std::string host_in(const std::string& who) { return who.substr(0, who.find(' ')); }

std::string text_in(files::Files& home, const std::string& path) {
  std::string text(most_note_bytes, '\0');
  const auto file = files::open(home, path, files::OpenAs::reader, path);
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

// Of a process on another machine nothing is known.
bool is_dead(const Note& note, const std::string& who) {
  return host_in(who) == host_in(who_we_are()) && kill(note.process, 0) != 0 && errno == ESRCH;
}

}  // namespace

PresenceNote::PresenceNote(std::shared_ptr<files::Files> home, const presence::Place& place,
                           Id session)
    : home_(std::move(home)) {
  const std::string path =
      std::string(place.notes) + "/" + to_string(session) + "." + std::to_string(getpid());
  const auto create = [&] { return files::open(*home_, path, files::OpenAs::creator, path); };
  Result<files::OpenFile> file = create();
  if (!file) {  // there is no folder yet, or one of a process that had our number
    home_->make_folder(place.notes);
    home_->remove(path);
    file = create();
  }
  if (!file) return;
  path_ = path;
  (void)bool(file->write(who_we_are()));
}

PresenceNote::~PresenceNote() {
  if (!path_.empty()) home_->remove(path_);
}

std::map<Id, std::vector<Present>> present(files::Files& home, const presence::Place& place,
                                           std::span<const Id> sessions) {
  std::map<Id, std::vector<Present>> out;
  const int lock = home.open(place.lock, files::OpenAs::reader);
  if (lock < 0) return out;
  std::vector<std::uint64_t> held;
  home.held(lock, held);
  home.close(lock);
  for (const Id session : sessions)
    if (std::ranges::find(held, files::lock_offset(session.value)) != held.end()) out[session];
  if (out.empty()) return out;
  std::vector<std::string> names;
  home.list(place.notes, names);
  for (const std::string& name : names) {
    const std::optional<Note> note = note_called(name);
    if (!note || !out.contains(note->session)) continue;
    std::string who = text_in(home, std::string(place.notes) + "/" + name);
    if (!who.empty() && !is_dead(*note, who))
      out[note->session].push_back({std::move(who), note->process});
  }
  return out;
}

std::vector<std::string> notes_of_the_dead(files::Files& home) {
  std::vector<std::string> out;
  for (const presence::Place& place : {presence::at_work, presence::open}) {
    std::vector<std::string> names;
    home.list(place.notes, names);
    for (const std::string& name : names) {
      const std::string path = std::string(place.notes) + "/" + name;
      if (const std::optional<Note> note = note_called(name);
          note && is_dead(*note, text_in(home, path)))
        out.push_back(path);
    }
  }
  return out;
}

SessionLease keep_open(const std::shared_ptr<files::Files>& home, Id session) {
  const char* const name = presence::open.lock;
  Result<files::OpenFile> file = files::open(*home, name, files::OpenAs::locker, name);
  if (!file || !file->hold(session.value, LockMode::shared)) return nullptr;
  struct Held {
    files::OpenFile lock;
    std::optional<PresenceNote> note{};
  };
  const auto lease = std::make_shared<Held>(*std::move(file));
  lease->note.emplace(home, presence::open, session);
  return lease;
}

// The machine is named if it is not this one.
std::string open_by(files::Files& home, Id session) {
  const auto found = present(home, presence::open, std::span(&session, 1));
  const auto all = found.find(session);
  if (all == found.end()) return {};
  const std::string host = host_in(who_we_are()) + " ";
  std::vector<std::string> names;
  for (const Present& each : all->second) {
    const std::string process = "process " + std::to_string(each.process);
    const std::string who = each.who.starts_with(host) ? each.who.substr(host.size()) : each.who;
    names.push_back(who.ends_with(process) ? who : who + ", " + process);
  }
  return names.empty() ? "another process" : listed(names);
}

}  // namespace skein::store::home
