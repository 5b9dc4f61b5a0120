#include "core/exchange/exporters/exported_session.h"

#include <memory>
#include <unordered_map>
#include <utility>

#include "core/model/message.h"

namespace skein::exchange::exporters {

namespace {

bool is_tool(const model::Block& block) {
  return std::holds_alternative<model::ToolUse>(block) ||
         std::holds_alternative<model::ToolResult>(block);
}

// Children of what was left out follow what that followed.
class Filter {
 public:
  explicit Filter(const ExportOptions& options) : options_(options) {}

  // nullopt: nothing is left of it.
  std::optional<model::Entry> operator()(const model::Entry& entry) {
    model::Entry out = entry;
    if (out.parent) out.parent = survivor(*out.parent);
    std::optional<model::Message> message = model::message_of(entry);
    if (!message) return out;
    const std::size_t before = message->content.size();
    std::erase_if(message->content, [&](const model::Block& block) {
      return (!options_.tools && is_tool(block)) ||
             (!options_.thinking && std::holds_alternative<model::Thinking>(block));
    });
    if (message->content.size() == before) return out;
    if (message->content.empty() && message->error.empty()) {
      instead_[entry.id] = out.parent;
      return std::nullopt;
    }
    out.payload = model::to_json(*message);
    return out;
  }

  std::optional<Id> survivor(Id id) const {
    const auto found = instead_.find(id);
    return found == instead_.end() ? id : found->second;
  }

 private:
  ExportOptions options_;
  std::unordered_map<Id, std::optional<Id>> instead_{};
};

}  // namespace

ExportedSession with_options(ExportedSession session, const ExportOptions& options) {
  if (options.tools && options.thinking) return session;
  Filter all(options);
  session.each_entry([&](const model::Entry& entry) { all(entry); });
  if (session.leaf) session.leaf = all.survivor(*session.leaf);
  std::vector<Id> leaves;
  for (const Id leaf : session.leaves)
    if (const std::optional<Id> left = all.survivor(leaf)) leaves.push_back(*left);
  session.leaves = std::move(leaves);
  session.each_entry = [options, each = std::move(session.each_entry)](const VisitEntry& visit) {
    Filter filter(options);
    each([&](const model::Entry& entry) {
      if (const std::optional<model::Entry> left = filter(entry)) visit(*left);
    });
  };
  return session;
}

}  // namespace skein::exchange::exporters
