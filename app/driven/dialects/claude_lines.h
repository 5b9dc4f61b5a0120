// What skein writes in the dialect of the Claude Agent SDK: a session's lines, by turns.
#pragma once

#include "app/driven/driver.h"
#include "core/text/json.h"

namespace skein::app::driven::dialects {

// The version of Claude Code whose behaviour this is.
inline constexpr const char* claude_version = "2.1.326";

Json servers_json(const session::Services& services);  // MCP servers and their status

class ClaudeLines {
 public:
  ClaudeLines(OutputLines& out, const Invocation& invocation);

  // The session from now on; `uuid` is the client's name for it.
  void enter(HeadlessSession& session, std::string uuid);
  const std::string& uuid() const { return uuid_; }
  // The call that began last.
  const std::string& last_call() const { return last_call_; }

  void init(const ClientPrompt& prompt);
  void update(const Update& update);
  void denied(const model::ToolUse& call, const std::string& why);
  void state(const char* state);
  // `in_call`: a tool was at work when the turn was stopped.
  void result(const agent::TurnEnd& end, const Spent& spent, std::size_t queued, bool in_call);
  void failed(const std::string& why);  // a result before there is a session
  void informational(const std::string& text, const char* level);

  // A call as Claude's tools name it and its input.
  Json call_json(const model::ToolUse& call) const;

 private:
  void send(Json line);  // adds uuid and session_id if they are missing
  void send_system(const char* subtype, Json members);
  void stream(Json event);
  void begin_message();
  void end_message(const model::Message* message);
  void saved(const Saved& saved);
  void answer(const model::Entry& entry, const model::Message& message);
  void results(const model::Entry& entry, const model::Message& message);
  Json denial_of(const model::ToolUse& call) const;
  Json usage_of_models() const;
  Json result_base(const char* subtype, bool is_error);

  OutputLines& out_;
  const Invocation& invocation_;
  const bool states_;  // the client wants session_state_changed
  HeadlessSession* session_ = nullptr;
  std::string uuid_;
  std::string prompt_id_{};  // the client's for the prompt of this turn
  std::string message_id_{}, last_call_{};
  bool message_open_ = false;
  int results_ = 0;
  std::map<std::string, model::ToolUse> calls_{};  // of this turn, by id
  std::map<std::string, model::Usage> used_{};     // by model, of this process
  Json denials_ = Json::array();
};

}  // namespace skein::app::driven::dialects
