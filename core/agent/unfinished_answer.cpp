#include "core/agent/unfinished_answer.h"

#include <ranges>
#include <utility>
#include <vector>

#include "core/model/payloads.h"

namespace skein::agent {

namespace {

using model::payload::MessageDeltaBatch;

void add(model::Message& message, const MessageDeltaBatch::Piece& piece) {
  auto* const last = message.content.empty() ? nullptr : &message.content.back();
  if (auto* text = last ? std::get_if<model::Text>(last) : nullptr; text && !piece.thinking)
    text->text += piece.text;
  else if (auto* thinking = last ? std::get_if<model::Thinking>(last) : nullptr;
           thinking && piece.thinking)
    thinking->thinking += piece.text;
  else if (piece.thinking)
    message.content.emplace_back(model::Thinking{piece.text});
  else
    message.content.emplace_back(model::Text{piece.text});
}

}  // namespace

std::optional<model::Entry> unfinished_answer(store::SessionStore& store,
                                              const Conversation& conversation) {
  const std::optional<Id> wanted = conversation.state().unfinished;
  if (!wanted) return std::nullopt;
  std::vector<MessageDeltaBatch> batches;  // the last one first
  std::string run_id;
  const auto read = store.load_back(conversation.session(), [&](const store::StoredEntry& placed) {
    const model::Entry& entry = placed.entry;
    if (!model::is_marginal(entry.type)) return false;
    auto batch = model::read_as<MessageDeltaBatch>(entry);
    if (!batch || batch->message != *wanted || entry.parent != conversation.head()) return true;
    run_id = entry.run_id;
    batches.push_back(*std::move(batch));
    return true;
  });
  if (!read || batches.empty()) return std::nullopt;
  model::Message message{.role = model::Role::assistant,
                         .provider = batches.front().provider,
                         .model = batches.front().model,
                         .stop = model::Stop::interrupted};
  for (const MessageDeltaBatch& batch : batches | std::views::reverse)
    for (const MessageDeltaBatch::Piece& piece : batch.pieces) add(message, piece);
  if (message.content.empty()) return std::nullopt;
  model::Entry entry = model::message_entry(message);
  entry.id = *wanted;
  entry.run_id = run_id;
  return entry;
}

}  // namespace skein::agent
