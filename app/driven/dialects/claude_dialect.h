// The dialect of the Claude Agent SDK and of programs that run Claude Code with JSON on standard
// input: takes their lines, and asks them what only they can answer.
#pragma once

#include "app/driven/control.h"
#include "app/driven/dialects/claude_lines.h"
#include "app/driven/driver.h"
#include "app/setup/client.h"

namespace skein::app::driven::dialects {

class ClaudeDialect : public Dialect {
 public:
  explicit ClaudeDialect(Driver& driver);

  void take(const InputLines::Line& line) override;
  void input_ended() override { control_.end(); }
  bool is_ready() const override { return initialized_ || !awaits_initialize_; }
  ChosenSession choose(store::SessionStore& store) override;
  void opened() override;
  void turn_begins(const ClientPrompt& prompt) override { lines_.init(prompt); }
  void update(const Update& update) override { lines_.update(update); }
  void turn_ended(const ClientPrompt& prompt, const agent::TurnEnd& end,
                  const Spent& spent) override;
  void idle() override { lines_.state("idle"); }
  void add_questions(model::Ports& ports) override;
  int failed(const Error& error) override;

 private:
  void remark(const std::string& text);
  void take_prompt(const Json& line);
  void take_request(const Json& line);
  void take_block(const Json& block, ClientPrompt& prompt);
  void initialize(const Json& request);  // throws Error
  hooks::HookDefinition hook(hooks::Event event, const Json& group, const std::string& id);
  model::Answer ask(const model::Question& question);
  model::Answer allowed(const model::Question& question, const Json& asked, const Json& answer);
  std::optional<std::string> inquire(const model::Inquiry& inquiry);
  model::PlanReview review(const model::Plan& plan);
  std::optional<Json> ask_client(Json request);

  Driver& driver_;
  Control control_;
  ClaudeLines lines_;
  ClientParts client_{};
  bool asks_;
  const bool awaits_initialize_;
  bool initialized_ = false;
  std::size_t remarks_ = 0;
  std::string resumed_uuid_{};  // the client's name of the session that was continued
};

}  // namespace skein::app::driven::dialects
