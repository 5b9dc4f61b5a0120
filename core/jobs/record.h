// A job as it is shown, and as it is saved for the next skein or the supervisor it is left to.
#pragma once

#include <sys/types.h>

#include "core/text/base.h"

namespace skein::jobs {

struct Record {
  int id = 0;  // counts from 1 in each session
  std::string command{};
  enum class State {
    running,
    ended,    // by itself
    stopped,  // because someone wanted it
    lost,     // with skein, which was killed
  } state = State::running;
  std::optional<int> exit_status{};
  int signal = 0;             // that ended it; 0: none
  std::int64_t started = 0;   // in ms since 1970
  std::int64_t ended = 0;     // 0: it runs
  bool kept = false;          // it was left running on purpose
  pid_t watcher = 0;          // the skein that watches it; once it is kept, its supervisor
  std::uint64_t born = 0;     // when that one began, as the kernel counts; see process_birth
  std::string taken_back{};   // what the guard says of it; may be empty
  std::uint64_t printed = 0;  // bytes; not written down
  std::string last_line{};    // of its output; neither

  bool runs() const { return state == State::running; }
  bool operator==(const Record&) const = default;
};

// How often a running job is looked at, and what it must not change is undone.
inline constexpr std::chrono::milliseconds guard_interval{10'000};
void add_undone(Record& record, std::string undone);  // what the guard says of it; may be empty

// When a process began, different for any two that had the same number; 0: there is none.
std::uint64_t process_birth(pid_t process);
void set_watcher(Record& record, pid_t process);
bool watcher_lives(const Record& record);

// The files of a job: `base`.log and `base`.json.
struct JobFiles {
  std::string base{};
  std::string log() const { return base + ".log"; }
  std::string record() const { return base + ".json"; }
};

// Empty: there is none that can be read.
std::optional<Record> load_record(const std::string& file);
bool save_record(const std::string& file, const Record& record);
// Removes the records and output of a session's jobs. False: one of them still runs, so nothing.
bool remove_records(const std::string& folder);

// "runs, for 12 s", "ended, exit status 0, after 12 s", "stopped after 12 s".
std::string state_text(const Record& record, std::int64_t now);
// As a member of the meta of an entry that tells of it: {"job":{"id":3,"state":"ended",…}}. And
// whether one tells of the end of this job.
JsonText meta_of(const Record& record);
bool tells_end(const JsonText& meta, int id);
// What the model reads about one that has ended: a sentence, and the end of its output.
std::string report(const Record& record, std::string_view last_lines);

}  // namespace skein::jobs
