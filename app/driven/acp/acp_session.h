// One session of a client of the Agent Client Protocol: takes the lines that are for it, and asks
// the client what only its user can answer.
#pragma once

#include "app/driven/acp/acp_updates.h"
#include "app/driven/acp/rpc.h"
#include "app/driven/control.h"
#include "app/driven/driver.h"
#include "app/setup/client.h"

namespace skein::app::driven::acp {

class AcpSession : public Dialect {
 public:
  // The first line that it takes opens the session. `id_start`: how the ids of its requests begin.
  AcpSession(Driver& driver, const AcpConnection& connection, const std::string& id_start);

  // Whether it is a request about an open session.
  static bool handles(std::string_view method);

  void take(const LineQueue::Line& line) override;
  void input_ended() override;
  ChosenSession choose(store::SessionStore& store) override;
  void turn_begins(const ClientPrompt& prompt) override;
  void update(const Update& update) override { updates_.update(update); }
  void turn_ended(const ClientPrompt& prompt, const agent::TurnEnd& end,
                  const Spent& spent) override;
  void add_questions(model::Ports& ports) override;
  int failed(const Error& error) override;

 private:
  Json open(const std::string& method, const Json& params);
  void take_prompt(const Json& id, const Json& params);
  void cancel();
  void answer_prompt(const Json& result);
  Json set_mode(const std::string& name);
  Json set_option(const Json& params);
  model::ModelRef model_named(const std::string& name) const;  // throws RequestError
  hooks::HookDefinition unsaved_buffers_hook();
  std::string unsaved_change(const std::string& path, const std::function<bool()>& stopped);

  std::optional<Json> ask_client(const char* method, Json params);  // the result
  // The id of the option that the user chose; empty: none.
  std::string choose_option(Json call, Json options);
  model::Answer ask(const model::Question& question);
  std::optional<std::string> inquire(const model::Inquiry& inquiry);
  model::PlanReview review(const model::Plan& plan);
  std::optional<std::string> ask_line(const model::LineQuestion& question);

  Driver& driver_;
  const AcpConnection connection_;
  Control control_;
  AcpUpdates updates_;
  ClientParts client_{};
  std::string opening_{};          // the name of the session to be opened; empty: a new one
  std::optional<Json> prompt_{};   // the request that the turn answers
  bool prompt_cancelled_ = false;  // as a request, not as a turn
};

}  // namespace skein::app::driven::acp
