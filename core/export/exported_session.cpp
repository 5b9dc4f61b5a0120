#include "core/export/exported_session.h"

#include "core/text/encoding.h"
#include "core/text/json.h"

namespace skein::exporters {

namespace {

// Children of what was left out follow what that followed.
class EntryFilter {
 public:
  explicit EntryFilter(const ExportOptions& options) : options_(options) {}

  // nullopt: nothing is left of it.
  std::optional<model::Entry> operator()(const model::Entry& entry) {
    model::Entry out = entry;
    if (out.parent) out.parent = survivor(*out.parent);
    std::optional<model::Message> message = model::message_of(entry);
    if (!message) return out;
    const std::size_t before = message->content.size();
    std::erase_if(message->content, [&](const model::Block& block) {
      if (std::holds_alternative<model::Thinking>(block)) return !options_.thinking;
      return !options_.tools && (std::holds_alternative<model::ToolUse>(block) ||
                                 std::holds_alternative<model::ToolResult>(block));
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
  EntryFilter all(options);
  session.each_entry([&](const model::Entry& entry) { all(entry); });
  if (session.leaf) session.leaf = all.survivor(*session.leaf);
  std::vector<Id> leaves;
  for (const Id leaf : session.leaves)
    if (const std::optional<Id> left = all.survivor(leaf)) leaves.push_back(*left);
  session.leaves = std::move(leaves);
  session.each_entry = [options, each = std::move(session.each_entry)](const EntryVisitor& visit) {
    EntryFilter filter(options);
    each([&](const model::Entry& entry) {
      if (const std::optional<model::Entry> left = filter(entry)) visit(*left);
    });
  };
  return session;
}

std::string shown_title(const ExportedSession& session) {
  return session.title.empty() ? "A conversation" : session.title;
}

std::optional<std::string> summary_of(const model::Entry& entry) {
  if (entry.type != model::type::compaction_summary && entry.type != model::type::branch_summary)
    return std::nullopt;
  return string_at(parse_json(entry.payload).value_or(Json()), "summary");
}

std::string whole_output(const ExportedSession& session, const model::ToolResult& result) {
  if (!result.blob.empty())
    if (std::string all = session.blob(result.blob);
        !all.empty() && all.size() <= most_output_bytes && image_type(all).empty())
      return valid_utf8(all);
  return model::plain_text(result);
}

LoadedImage load_image(const ExportedSession& session, const model::Image& image) {
  const std::string bytes = image.bytes.empty() ? session.blob(image.blob) : image.bytes;
  const std::string_view type = image_type(bytes);
  if (type.empty()) return {};
  return {std::string(type), base64(bytes)};
}

}  // namespace skein::exporters
