#include "core/legacy/chain.h"

#include <algorithm>
#include <utility>

#include "core/text/json.h"
#include "core/text/sha256.h"

namespace skein::legacy {

void Chain::expect_result(model::ToolResult result, const std::string& time) {
  std::string call = result.tool_use_id;
  results_.try_emplace(std::move(call), Result{std::move(result), time});
}

void Chain::user(std::vector<model::Block> content, const std::string& time) {
  flush();
  if (content.empty()) return;
  add(model::Message{.role = model::Role::user, .content = std::move(content)}, time);
}

void Chain::assistant(std::vector<model::Block> content, const std::string& time) {
  // Words behind a call are the next answer, wherever the call's result was written.
  if (!reply_calls_.empty() && !content.empty() && std::holds_alternative<model::Text>(content[0]))
    flush();
  if (reply_.content.empty()) reply_time_ = time;
  for (model::Block& block : content) {
    const auto* call = std::get_if<model::ToolUse>(&block);
    if (call != nullptr) {
      if (!calls_.insert(call->id).second) continue;
      reply_calls_.insert(call->id);
    }
    reply_.content.push_back(std::move(block));
  }
}

void Chain::result(const std::string& call) {
  if (reply_calls_.contains(call)) flush();
}

void Chain::flush() {
  if (reply_.content.empty()) return;
  reply_calls_.clear();
  const model::Message reply =
      std::exchange(reply_, model::Message{.role = model::Role::assistant});
  model::Message whole = reply;
  const auto calls = model::tool_uses(whole);
  if (whole.stop == model::Stop::none)
    whole.stop = calls.empty() ? model::Stop::stop : model::Stop::tool_use;
  add(whole, reply_time_);
  for (const model::ToolUse* call : model::tool_uses(reply)) answer(call->id);
}

void Chain::finish() {
  flush();
  for (const auto& [call, orphan] : results_) {
    out_.losses.push_back("a result of the call '" + call +
                          "', which is nowhere, was kept beside the conversation");
    std::string text;
    for (const model::ResultBlock& block : orphan.result.content)
      if (const auto* part = std::get_if<model::Text>(&block)) text += part->text;
    add_entry(
        model::make_entry(model::type::custom,
                          dump({{"kind", "orphan_result"}, {"tool_use_id", call}, {"text", text}})),
        orphan.time);
  }
}

void Chain::answer(const std::string& call) {
  const auto found = results_.find(call);
  if (found == results_.end()) return;
  model::Message message{.role = model::Role::tool};
  message.content.emplace_back(std::move(found->second.result));
  add(message, found->second.time);
  results_.erase(found);
}

void Chain::add(const model::Message& message, const std::string& time) {
  add_entry(model::message_entry(message), time);
}

void Chain::add_entry(model::Entry entry, const std::string& time) {
  // The same session migrated twice is the same session.
  entry.id = *parse_id(
      sha256_hex(to_string(session_) + ":" + std::to_string(out_.entries.size())).substr(0, 16));
  entry.parent = last_;
  if (!time.empty()) last_time_ = time;
  entry.timestamp = last_time_;
  if (!model::is_marginal(entry.type)) last_ = entry.id;
  out_.entries.push_back(std::move(entry));
}

}  // namespace skein::legacy
