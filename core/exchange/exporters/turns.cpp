#include "core/exchange/exporters/turns.h"

#include <algorithm>
#include <utility>

#include "core/model/payloads.h"

namespace skein::exchange::exporters {

namespace {

struct Call {
  std::string id, name;
};

class TurnWriter {
 public:
  explicit TurnWriter(const std::function<void(const Turn&)>& visit) : visit_(visit) {}

  void add(model::Message message) {
    if (message.role == model::Role::assistant) return add_answer(std::move(message));
    for (model::Block& block : message.content) {
      if (auto* result = std::get_if<model::ToolResult>(&block))
        add_result(std::move(*result));
      else if (message.role == model::Role::user)
        add_said(std::move(block));
    }
  }

  void say(std::string text) { add_said(model::Text{std::move(text)}); }

  void end() {
    answer_open_calls();
    flush();
  }

 private:
  void add_answer(model::Message message) {
    std::erase_if(message.content, [](const model::Block& block) {
      const auto* text = std::get_if<model::Text>(&block);
      return (text != nullptr && text->text.empty()) ||
             std::holds_alternative<model::Opaque>(block);
    });
    if (message.content.empty()) return;
    if (!open_calls_.empty()) answer_open_calls();
    if (!turn_.assistant) {
      flush();
      turn_.assistant = true;
      turn_.provider = message.provider;
      turn_.model = message.model;
    }
    for (model::Block& block : message.content) {
      if (const auto* call = std::get_if<model::ToolUse>(&block))
        open_calls_.push_back({call->id, call->name});
      turn_.blocks.push_back(std::move(block));
    }
  }

  void add_result(model::ToolResult result) {
    const auto call = std::ranges::find(open_calls_, result.tool_use_id, &Call::id);
    if (call == open_calls_.end()) return;  // nobody asked, or it was answered
    begin_user();
    turn_.names.push_back(call->name);
    open_calls_.erase(call);
    turn_.blocks.insert(turn_.blocks.begin() + static_cast<std::ptrdiff_t>(turn_.names.size()) - 1,
                        std::move(result));
  }

  void add_said(model::Block block) {
    const auto* text = std::get_if<model::Text>(&block);
    const bool said =
        text != nullptr ? !text->text.empty() : std::holds_alternative<model::Image>(block);
    if (!said) return;
    answer_open_calls();
    begin_user();
    turn_.blocks.push_back(std::move(block));
  }

  void begin_user() {
    if (turn_.assistant) flush();
  }

  // A crash or a stop left them without a result; no service takes that.
  void answer_open_calls() {
    while (!open_calls_.empty())
      add_result(
          {open_calls_.front().id, {model::Text{"(interrupted: there is no result)"}}, true});
  }

  void flush() {
    if (!turn_.blocks.empty()) visit_(turn_);
    turn_ = {};
  }

  const std::function<void(const Turn&)>& visit_;
  Turn turn_{};
  std::vector<Call> open_calls_{};
};

}  // namespace

void each_turn(const ExportedSession& session, const std::function<void(const Turn&)>& visit) {
  TurnWriter writer(visit);
  session.each_entry([&](const model::Entry& entry) {
    if (auto message = model::message_of(entry)) return writer.add(std::move(*message));
    // A compaction's messages are all there; what a branch left behind is not.
    if (const auto left = model::read_as<model::payload::BranchSummary>(entry);
        left && !left->summary.empty())
      writer.say(left->summary);
  });
  writer.end();
}

std::string system_of(const ExportedSession& session) {
  std::string system;
  session.each_entry([&](const model::Entry& entry) {
    if (entry.type != model::type::runtime_init) return;
    if (auto init = model::read_as<model::payload::RuntimeInit>(entry))
      system = std::move(init->system);
  });
  return system;
}

}  // namespace skein::exchange::exporters
