// The jobs of this process, by session: commands that the model has started in the background
// or that took too long in it, and those an earlier skein has left running. Any thread may ask.
#pragma once

#include "core/jobs/output_log.h"
#include "core/jobs/record.h"
#include "core/process/running_program.h"
#include "core/sandbox/guard.h"
#include "core/text/base.h"
#include "core/text/wait.h"

namespace skein::jobs {

// One job: a command in the background, and the thread that reads what it prints. It is a child of
// this process, or a program that an earlier skein has left running with a supervisor.
class Job {
 public:
  struct Parts {
    JobFiles files{};
    // Null: it runs with its supervisor.
    std::unique_ptr<process::RunningProgram> program{};
    // Undoes now and then, and at the end, what the job must not change. May be null.
    std::unique_ptr<sandbox::Guard> guard{};
    std::function<void()> left = [] {};      // it runs on without us
    std::chrono::milliseconds grace{5'000};  // between SIGTERM and SIGKILL
  };
  // `ended` is called on the job's thread, before record() says that the job has ended.
  using Ended = std::function<void(const Record&, const OutputLog&)>;
  // Throws Error if its output cannot be written down.
  Job(Record record, Parts parts, std::string_view printed_before, Ended ended);
  // A program that this process started is stopped.
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Record record() const;  // its current form
  const OutputLog& log() const { return log_; }
  void ask_to_stop();
  bool wait_until_ended(std::chrono::milliseconds most) const;
  // Leaves it running when we end. False: that cannot be done, and it has been stopped.
  bool keep();

 private:
  Record written() const;
  void watch_program();
  void watch_supervisor();
  void note(std::string undone);
  void finish(Record::State state, const process::ProgramEnd& end);
  void conclude(Record record);

  const Parts parts_;
  const Ended ended_;
  OutputLog log_;
  Signal woken_;  // raised when the thread is to look at what is wanted of it
  std::atomic<bool> stop_{false}, hand_over_{false};
  mutable std::mutex mutex_{};
  mutable std::condition_variable over_{};
  Record record_;
  std::thread thread_{};
};

class Jobs {
 public:
  struct Settings {
    // In which each session has a folder; asked for when a job is to be written down.
    std::function<std::string()> folder;
    // What must not be written down goes out of a command before it is.
    std::function<std::string(std::string)> clean = [](std::string text) { return text; };
  };
  explicit Jobs(Settings settings) : settings_(std::move(settings)) {}
  ~Jobs();  // stops those that are not kept
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  static constexpr std::size_t most = 8;  // in a session, at the same time
  bool full(Id session) const;

  // Called when a job has ended, on a separate thread; set before the first one is started.
  using Ended = std::function<void(Id session, const Record& record, const std::string& report)>;
  void on_end(Ended ended) { ended_ = std::move(ended); }
  // The model has learned of the end of this one in another way.
  using Seen = std::function<void(Id session, int id)>;
  void on_seen(Seen seen) { seen_ = std::move(seen); }
  void seen(Id session, int id) const { seen_(session, id); }

  struct Start {
    Id session{};
    std::string command{};
    Job::Parts parts{};  // without the files
    std::int64_t started = now_ms();
  };
  // A program that already runs. Throws Error if its output cannot be written down.
  Record add(Start start, std::string_view printed_before);

  // Those of a session, by their numbers.
  std::vector<Record> list(Id session) const;
  // Null: there is none of that number.
  std::shared_ptr<Job> find(Id session, int id) const;
  bool any_runs() const;        // in any session
  std::size_t running() const;  // in all sessions; without those that will run on anyway
  void stop_all();              // that are not kept
  // Leaves all of them running. How many could not be left, and were stopped.
  std::size_t keep_all();

  // Takes up what was left of a session: jobs that were kept, and those that have ended since the
  // model was shown them, which it returns. `reported`: whether the model has been shown the end of
  // a job; what is known of such a one is thrown away.
  struct Left {
    std::vector<Record> running{}, ended{};
    std::vector<std::string> reports{};  // of those that have ended, for the model
  };
  Left take_up(Id session, const std::function<bool(int id)>& reported);

 private:
  std::string folder_of(Id session) const;
  JobFiles new_files(Id session, int& id);
  Job::Ended reporter(Id session) const;
  std::vector<std::shared_ptr<Job>> all(std::optional<Id> session = {}) const;

  const Settings settings_;
  Ended ended_ = [](Id, const Record&, const std::string&) {};
  Seen seen_ = [](Id, int) {};
  mutable std::mutex mutex_{};
  // Shared with calls that wait for one.
  std::map<Id, std::map<int, std::shared_ptr<Job>>> jobs_{};
};

}  // namespace skein::jobs
