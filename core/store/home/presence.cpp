#include "core/store/home/presence.h"

#include <signal.h>
#include <unistd.h>

#include "core/store/backend.h"
#include "core/store/files/named_files.h"
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

struct NoteName {
  Id session{};
  pid_t process = 0;
};
std::optional<NoteName> note_called(const std::string& name) {
  constexpr std::size_t digits = 16;
  if (name.size() <= digits + 1 || name[digits] != '.') return std::nullopt;
  const std::optional<Id> session = parse_id(std::string_view(name).substr(0, digits));
  const auto process = parse_number<pid_t>(std::string_view(name).substr(digits + 1));
  if (!session || !process || *process <= 0) return std::nullopt;
  return NoteName{*session, *process};
}

// Of a process on another machine nothing is known.
bool is_dead(const NoteName& note, const std::string& who) {
  return host_in(who) == host_in(who_we_are()) && kill(note.process, 0) != 0 && errno == ESRCH;
}

// A place in a lock file, and the note of who has it. The lock is released last: a process that
// sees it can read who has it.
class Held {
 public:
  Held(std::shared_ptr<files::Files> home, files::OpenFile lock)
      : home_(std::move(home)), lock_(std::move(lock)) {}
  ~Held() {
    if (!note_.empty()) home_->remove(note_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  void leave_note(const presence::Place& place, Id session) {
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
    note_ = path;
    (void)bool(file->write(who_we_are()));
  }

 private:
  std::shared_ptr<files::Files> home_;
  files::OpenFile lock_;
  std::string note_{};
};

}  // namespace

Result<SessionLease> hold_place(std::shared_ptr<files::Files> home, const presence::Place& place,
                                Id session, LockMode mode) {
  files::OpenFile lock = TRY(files::open(*home, place.lock, files::OpenAs::locker, place.lock));
  if (const auto held = lock.hold(session.value, mode); !held)
    return held.error().kind == Failure::Kind::busy
               ? Failure{Failure::Kind::busy, "another process is using " + described(session)}
               : held.error();
  const auto lease = std::make_shared<Held>(std::move(home), std::move(lock));
  if (mode == LockMode::shared) lease->leave_note(place, session);
  return SessionLease(lease);
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
    const std::optional<NoteName> note = note_called(name);
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
      if (const std::optional<NoteName> note = note_called(name);
          note && is_dead(*note, text_in(home, path)))
        out.push_back(path);
    }
  }
  return out;
}

SessionLease keep_open(const std::shared_ptr<files::Files>& home, Id session) {
  const Result<SessionLease> held = hold_place(home, presence::open, session, LockMode::shared);
  return held ? *held : nullptr;
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
