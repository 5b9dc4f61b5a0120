// An open session as the loop sees it: its head, the end of its path in memory, and how new entries
// are added. Notices when another process writes to the same session.
#pragma once

#include "core/model/entry.h"
#include "core/model/event.h"
#include "core/model/provider.h"
#include "core/store/session_store.h"

namespace skein::agent {

// A prompt that failed before anything of its answer came, for example because the server could not
// be reached: the next prompt takes its place, and it stays as a branch.
struct FailedPrompt {
  std::optional<Id> parent{};         // which the next prompt follows; none: it is a root
  std::vector<model::Entry> notes{};  // written since, under new ids, for the next prompt to follow
};

// The one at the end of the path; nothing if the last prompt has an answer or is being answered.
std::optional<FailedPrompt> failed_prompt(std::span<const model::Entry> path);

// The entries to write when a session continues with this model; empty if nothing changes.
std::vector<model::Entry> changes_to(const model::SessionState& state,
                                     const model::ModelRef& model);

class Conversation {
 public:
  // Throws Error if the session cannot be opened.
  Conversation(store::SessionStore& store, Id session);

  Id session() const { return record_.header.session; }
  const store::SessionRecord& record() const { return record_; }
  const model::SessionState& state() const { return record_.state; }
  std::optional<Id> head() const { return head_; }
  // The end of the path up to the head, as far back as it has been read, and never before the first
  // entry that a compaction kept.
  const std::vector<model::Entry>& path() const { return path_; }
  // Reads further back until the path holds this many bytes of payload.
  void read_at_least(std::size_t bytes);
  // Reads several times as much as before. False: there is no more.
  bool read_further();
  // The end of the whole path, back to the newest entry for which `enough` is true. It is called
  // with the newest entry first.
  std::vector<model::Entry> path_until(
      const std::function<bool(const model::Entry&)>& enough) const;
  // What the service counted for the last answer. None behind a summary, which changed the context.
  std::optional<model::Usage> last_usage() const;
  // The number of prompts on the path. On a long path that branched, only those near its end.
  std::int64_t turns() const;
  // For the user, found when the session was opened: what is damaged in it.
  const std::vector<std::string>& notices() const { return notices_; }

  // Neither of these waits for a store that cannot be reached: the caller, which can hear the user,
  // does.
  //
  // A prompt. If other processes have continued from our head, it follows what they wrote, which is
  // added to `arrived`; else it takes the place of `failed`.
  store::Result<store::AppendResult> append_prompt(
      const std::vector<model::Entry>& entries, std::vector<model::Entry>& arrived,
      const std::optional<FailedPrompt>& failed = std::nullopt);
  // Output of a running turn: it follows our own head, as a branch if need be.
  store::Result<store::AppendResult> append(std::vector<model::Entry> entries,
                                            const store::AppendOptions& options = {
                                                .patient = false});

  // Continues from another entry. This is recorded, so a restart continues there too.
  void move_head(Id entry);
  // Continues as a branch of which nothing has been said: the next entry is a root.
  void begin_branch();
  void reload();
  void catch_up();  // continues from the stored head, which others or the store moved

 private:
  store::Result<store::AppendResult> append_after(std::optional<Id> parent,
                                                  std::vector<model::Entry> entries,
                                                  const store::AppendOptions& options);
  std::optional<Id> expected_tail();
  void load_path();

  static constexpr std::size_t first_bytes = 256u << 10;

  store::SessionStore& store_;
  store::SessionRecord record_;
  std::optional<Id> head_{};
  std::vector<model::Entry> path_{};
  std::size_t wanted_bytes_ = first_bytes;  // of payload, to be read of the path
  bool has_more_ = false;
  std::vector<std::string> notices_{};
};

// A message by skein itself, which is no prompt; `origin` names who has it to say: "job:3".
model::Entry news(const std::string& text, const std::string& origin);

// What the user says to the model while it works: a prompt in the middle of a turn.
model::Entry steered(const model::Message& message);

// Messages for the model while it works or between its turns: the user's word in the middle of a
// turn, a job that ended, what a sub-agent found. They are saved and sent with the next request,
// behind the results of tools and before a prompt. Any thread may put something in.
class Inbox {
 public:
  // `session`: the one it is for; none: whichever is worked in next.
  void put(model::Entry message, std::optional<Id> session = std::nullopt);
  // Everything that has come for this session, oldest first. It is handed out once.
  std::vector<model::Entry> take(std::optional<Id> session = std::nullopt);
  // Takes back what has not been handed out yet: if this returns true, it is never sent.
  bool take_back(Id message);
  bool empty() const;

 private:
  mutable std::mutex mutex_{};
  struct Waiting {
    model::Entry message;
    std::optional<Id> session;
  };
  std::vector<Waiting> messages_{};
};

inline constexpr std::string_view other_at_work =
    "another process is using this session; skein leaves its unfinished calls alone";

}  // namespace skein::agent
