// One job: a command that runs beside the conversation, and the thread that reads what it prints.
// It is a program of ours, or one that an earlier skein has left running with a keeper.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/jobs/output_log.h"
#include "core/jobs/record.h"
#include "core/text/fd.h"
#include "core/tools/sandbox/guard.h"
#include "core/tools/sandbox/running_program.h"

namespace skein::jobs {

class Job {
 public:
  // Where it is written down: `base`.log and `base`.json.
  struct Place {
    std::string base{};
    std::string log() const { return base + ".log"; }
    std::string record() const { return base + ".json"; }
  };
  struct Parts {
    Place place{};
    // Null: it runs with its keeper.
    std::unique_ptr<tools::sandbox::RunningProgram> program{};
    // Undoes now and then, and at the end, what the job must not change. May be null.
    std::unique_ptr<tools::sandbox::Guard> guard{};
    std::function<void()> left = [] {};      // it runs on without us
    std::chrono::milliseconds grace{5'000};  // between SIGTERM and SIGKILL
  };
  // `ended` is called on the job's thread.
  using Ended = std::function<void(const Job&)>;
  // Throws Error if its output cannot be written down.
  Job(Record record, Parts parts, std::string_view printed_before, Ended ended);
  // A program of ours is stopped.
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Record record() const;  // as it is now
  const OutputLog& log() const { return log_; }
  void ask_to_stop();
  bool wait_until_ended(std::chrono::milliseconds most) const;
  // Leaves it running when we end. False: that cannot be done, and it has been stopped.
  bool keep();

 private:
  void watch_program();
  void watch_keeper();
  void note(std::string undone);
  void wake() const;
  void finish(Record::State state, const tools::sandbox::ProgramEnd& end);
  void conclude(Record record);
  bool stops() const { return stop_.load(); }

  const Parts parts_;
  const Ended ended_;
  OutputLog log_;
  Fd woken_;  // set when the thread is to look at what is wanted of it
  std::atomic<bool> stop_{false}, hand_over_{false};
  mutable std::mutex mutex_{};
  mutable std::condition_variable over_{};
  Record record_;
  std::thread thread_{};
};

}  // namespace skein::jobs
