// What an editor is shown of a session: the updates of the Agent Client Protocol, while a turn runs
// and when a session is loaded.
#pragma once

#include "app/driven/acp/rpc.h"
#include "app/driven/headless_session.h"
#include "app/driven/updates.h"
#include "core/workspace/root.h"

namespace skein::app::driven::acp {

Json text_json(std::string_view text);  // a block of content; a long text is cut
Json content_json(Json block);          // content of a call

class AcpUpdates {
 public:
  explicit AcpUpdates(const AcpConnection& connection) : connection_(connection) {}

  void enter(HeadlessSession& session, const Invocation& invocation);  // before all others
  std::string session_id() const { return to_string(session_->id()); }
  const std::string& last_call() const { return last_call_; }

  void update(const Update& update);
  void replay();         // the path to the head
  void send_commands();  // if they have changed
  void notice(model::Notice::Level level, const std::string& text);
  // Of the session, if they have changed: mode, options, title.
  void send_changes();
  void forget_streamed();  // a turn begins

  Json modes();
  Json options();
  // A call for a question about it: what it is, and what it would change.
  Json call_json(const model::ToolUse& call);
  // A file of the workspace or of an additional directory, read through the confined access of the
  // tools.
  struct File {
    bool missing = false;
    std::optional<std::string> text{};  // none: missing, no text, too large, or not to be read
  };
  File file_at(const std::string& path) const;
  std::string absolute(const std::string& path) const;  // as the editor knows it

 private:
  struct Call {
    model::ToolUse use{};
    std::string path{};  // of the file that it writes; empty: it writes none
    File before{};
    bool announced = false;
    std::string output{};  // the end of it
    std::chrono::steady_clock::time_point shown{};
  };

  void send(const char* kind, Json members);
  void chunk(const char* kind, const Json& content);
  void saved(const model::Entry& entry, const model::Message& message);
  void answer(const model::Message& message);
  void results(const model::Message& message);
  void prompt(const model::Message& message);
  void started(const model::ToolStarted& event);
  void output(const model::ToolOutput& event);
  void usage(const model::Usage& usage);
  void compaction(const model::Entry& entry);
  Json describe(const model::ToolUse& call) const;
  Json block_json(const model::ResultBlock& block) const;
  // The whole file before and after the call; none: one of them cannot be shown.
  std::optional<Json> diff_json(const Call& call, const std::optional<std::string>& after) const;
  Json commands() const;
  std::string mode_now() const, model_now() const;

  const AcpConnection connection_;
  HeadlessSession* session_ = nullptr;
  std::optional<workspace::Root> root_{};
  std::string message_{};  // the id of the message that the chunks belong to
  bool streamed_ = false;  // something of the answer that is to be saved
  bool replays_ = false;
  std::map<std::string, Call> calls_{};
  std::string last_call_{};
  Json commands_{};  // as they were sent last
  std::string mode_{}, model_{}, title_{};
};

}  // namespace skein::app::driven::acp
