// The jobs of this process, by session: commands that the model has started beside the conversation
// or that took too long in it, and those an earlier skein has left running. Any thread may ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/jobs/job.h"
#include "core/jobs/record.h"
#include "core/text/base.h"

namespace skein::jobs {

class Jobs {
 public:
  struct Settings {
    // In which each session has one of its own; asked for when a job is to be written down.
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

  // Told when a job has ended, on a thread of its own; set before the first one is started.
  using Ended = std::function<void(Id session, const Record& record, const std::string& report)>;
  void on_end(Ended ended) { ended_ = std::move(ended); }
  // The model has been told of the end of this one in another way.
  using Seen = std::function<void(Id session, int id)>;
  void on_seen(Seen seen) { seen_ = std::move(seen); }
  void seen(Id session, int id) const { seen_(session, id); }

  struct Start {
    Id session{};
    std::string command{};
    Job::Parts parts{};  // without the place
    std::int64_t started = now_ms();
  };
  // A program that already runs. Throws Error if its output cannot be written down.
  Record add(Start start, std::string_view printed_before);

  // Those of a session, as they are now, by their numbers.
  std::vector<Record> list(Id session) const;
  // Null: there is none of that number.
  std::shared_ptr<Job> find(Id session, int id) const;
  std::size_t running() const;  // in all sessions; without those that will run on anyway
  void stop_all();              // that are not kept
  // Leaves all of them running. How many could not be left, and were stopped.
  std::size_t keep_all();

  // Takes up what was left of a session: jobs that were kept, and those that have ended since the
  // model was told of them, which it returns. `told`: whether the model has been told of the end of
  // a job; what is known of such a one is thrown away.
  struct Left {
    std::vector<Record> running{}, ended{};
    std::vector<std::string> reports{};  // of those that have ended, for the model
  };
  Left take_up(Id session, const std::function<bool(int id)>& told);

 private:
  std::string folder_of(Id session) const;
  Job::Place new_place(Id session, int& id);
  void tell(Id session, const Job& job) const;
  std::vector<std::shared_ptr<Job>> all() const;

  const Settings settings_;
  Ended ended_ = [](Id, const Record&, const std::string&) {};
  Seen seen_ = [](Id, int) {};
  mutable std::mutex mutex_{};
  // Shared with calls that wait for one.
  std::map<Id, std::map<int, std::shared_ptr<Job>>> jobs_{};
};

}  // namespace skein::jobs
