#include "core/exchange/importers/pi_lines.h"

#include <functional>
#include <type_traits>
#include <utility>

#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/pi_message.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

struct PiLines::Line {
  const Json& json;
  std::string_view text{};
  std::string type{};
  std::string id{};  // unique in the session
  std::string time{};
};

namespace {

std::string pi_time(const Json& json) {
  if (std::string time = time_from(at(json, "timestamp")); !time.empty()) return time;
  return time_from(at(at(json, "message"), "timestamp"));
}

// Of an entry, wherever it hangs: a window begins with copies that have lost their parents.
std::uint64_t pi_content_hash(const Json& json) {
  Json content = json;
  content.erase("parentId");
  return std::hash<std::string>()(dump(content));
}

std::vector<std::string> pi_names(const Json& list) {
  std::vector<std::string> names;
  if (list.is_array())
    for (const Json& name : list)
      if (name.is_string()) names.push_back(name.get<std::string>());
  return names;
}

}  // namespace

std::string pi_id_in_name(std::string_view path) {
  path.remove_prefix(path.find_last_of("/\\") + 1);  // npos + 1 is 0
  for (const std::string_view end : {".zst", ".jsonl"})
    if (path.ends_with(end)) path.remove_suffix(end.size());
  const std::size_t behind_time = path.find('_');
  return std::string(behind_time == std::string_view::npos ? path : path.substr(behind_time + 1));
}

std::optional<PiHeader> pi_header(std::string_view line) {
  std::optional<PiHeader> found;
  each_pi_record(line, [&](const Json& json, std::string_view) {
    const bool ours = at(json, "version").is_number() || at(json, "cwd").is_string();
    const std::string id = string_at(json, "id");
    if (found || string_at(json, "type") != "session" || id.empty() || !ours) return;
    const std::string from = string_at(json, "parentSession", string_at(json, "branchedFrom"));
    found = PiHeader{.id = id,
                     .cwd = string_at(json, "cwd"),
                     .time = pi_time(json),
                     .parent = pi_id_in_name(from),
                     .provider = string_at(json, "provider"),
                     .model = string_at(json, "modelId"),
                     .thinking = string_at(json, "thinkingLevel")};
  });
  return found;
}

PiLines::PiLines(std::string_view format, std::string_view session, Receiver& receiver)
    : format_(format), session_(session), receiver_(receiver) {}

void PiLines::begin_window(const std::string& window, const std::string& before) {
  const auto end = before.empty() ? ends_.end() : ends_.find(before);
  previous_ = before_window_ = end == ends_.end() ? -1 : end->second;
  window_ = window;
  ++windows_;
  lines_ = 0;
}

void PiLines::begin(const PiHeader& header) {
  provider_ = header.provider;
  model_ = header.model;
  if (!header.model.empty())
    receiver_.add({.id = "header/model",
                   .time = header.time,
                   .content = model::Payload(model::payload::ModelChange{
                       .provider = header.provider, .model = header.model})});
  if (!header.thinking.empty())
    receiver_.add(
        {.id = "header/thinking",
         .time = header.time,
         .content = model::Payload(model::payload::ThinkingLevelChange{.level = header.thinking})});
}

bool PiLines::add(std::string_view text) {
  return each_pi_record(text, [&](const Json& json, std::string_view record) {
    Line line{.json = json, .text = record, .type = string_at(json, "type")};
    line.id = string_at(json, "id");
    if (line.id.empty()) line.id = "line-" + std::to_string(lines_);
    line.time = pi_time(json);
    ++lines_;
    if (line.type != "session") add_entry(line);
  });
}

std::string PiLines::leaf_at(std::int32_t node) const {
  const std::int32_t anchor = node < 0 ? -1 : nodes_[static_cast<std::size_t>(node)].anchor;
  return anchor < 0 ? std::string() : nodes_[static_cast<std::size_t>(anchor)].id;
}

std::string PiLines::leaf_of(const std::string& window) const {
  const auto end = ends_.find(window);
  return leaf_at(end == ends_.end() ? last_ : end->second);
}

std::int32_t PiLines::find(const std::string& id) const {
  if (windows_ > 1)
    if (const auto own = places_.find(window_ + "/" + id); own != places_.end()) return own->second;
  const auto found = places_.find(id);
  return found == places_.end() ? -1 : found->second;
}

// pi names the entry before; version 1 names none. OpenClaw may name the session, or a call.
std::int32_t PiLines::parent_of(const Line& line) const {
  const Json& named = at(line.json, "parentId");
  if (named.is_null() && line.json.contains("parentId")) return before_window_;
  if (!named.is_string()) return previous_;
  const std::string& id = named.get_ref<const std::string&>();
  if (id == session_ || (!window_.empty() && id == window_)) return before_window_;
  const std::int32_t parent = find(id);
  return parent >= 0 ? parent : previous_;
}

void PiLines::add_entry(const Line& line) {
  const std::uint64_t content = windows_ > 0 ? pi_content_hash(line.json) : 0;
  Line own = line;
  if (const std::int32_t same = find(line.id); same >= 0) {
    const Node& node = nodes_[static_cast<std::size_t>(same)];
    if (node.window == windows_) return receiver_.lose("entries whose id was there already");
    if (node.content == content) return stand_at(same);
    own.id = window_ + "/" + line.id;
    if (places_.contains(own.id)) return receiver_.lose("entries whose id was there already");
  }
  const std::int32_t parent = parent_of(line);
  const std::int32_t anchor = parent < 0 ? -1 : nodes_[static_cast<std::size_t>(parent)].anchor;
  last_ = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back(
      {.id = own.id, .parent = parent, .anchor = anchor, .window = windows_, .content = content});
  places_.emplace(own.id, last_);
  add_content(own);
  stand_at(last_);
}

void PiLines::stand_at(std::int32_t node) {
  previous_ = last_ = node;
  if (windows_ > 0) ends_[window_] = node;
}

template <class Content>
void PiLines::give(const Line& line, const std::string& id, Content content, bool raw) {
  constexpr bool has_children = std::is_same_v<Content, model::Message> ||
                                std::is_same_v<Content, model::payload::BranchSummary> ||
                                std::is_same_v<Content, model::payload::CompactionSummary>;
  Node& node = nodes_[static_cast<std::size_t>(last_)];
  ForeignEntry entry{.id = id, .time = line.time};
  if (node.anchor >= 0) entry.parent = nodes_[static_cast<std::size_t>(node.anchor)].id;
  if constexpr (std::is_same_v<Content, model::Message> || std::is_same_v<Content, ForeignContext>)
    entry.content = std::move(content);
  else
    entry.content = model::Payload(std::move(content));
  if (raw) entry.raw = line.text;
  receiver_.add(std::move(entry));
  if constexpr (has_children) {
    node.anchor = last_;
    node.given = true;
  }
}

void PiLines::add_content(const Line& line) {
  using namespace model::payload;
  const Json& json = line.json;
  const std::string& type = line.type;
  if (type == "message") return add_message(line, pi_message(at(json, "message"), receiver_));
  // What an extension says to the model, which takes it for the user's words.
  if (type == "custom_message") return add_message(line, pi_prompt(json, receiver_));
  if (type == "compaction") return add_compaction(line);
  if (type == "branch_summary") return add_branch_summary(line);
  if (type == "context_edit") return add_edit(line);
  if (type == "label") return add_label(line);
  if (type == "usage") return add_usage(line, line.id);
  if (type == "session_info") return;  // the title, which was looked for before
  if (type == "model_change") {
    provider_ = string_at(json, "provider");
    model_ = string_at(json, "modelId");
    return give(line, line.id, ModelChange{.provider = provider_, .model = model_}, false);
  }
  if (type == "thinking_level_change")
    return give(line, line.id, ThinkingLevelChange{.level = string_at(json, "thinkingLevel")},
                false);
  receiver_.lose(type == "custom" ? "data of extensions" : "lines of unknown kinds");
}

void PiLines::add_message(const Line& line, PiMessage made) {
  if (auto* message = std::get_if<model::Message>(&made.content)) {
    if (message->role == model::Role::assistant) {
      provider_ = message->provider;
      model_ = message->model;
    }
    give(line, line.id, std::move(*message), made.more);
  } else if (auto* context = std::get_if<ForeignContext>(&made.content)) {
    give(line, line.id, std::move(*context), made.more);
  }
}

void PiLines::add_compaction(const Line& line) {
  const Json& json = line.json;
  std::string kept = string_at(json, "firstKeptEntryId");
  if (const Json& index = at(json, "firstKeptEntryIndex"); kept.empty() && index.is_number())
    kept = "line-" + std::to_string(int_at(json, "firstKeptEntryIndex"));
  const Json& details = at(json, "details");
  model::payload::CompactionSummary summary{.summary = string_at(json, "summary"),
                                            .first_kept = first_kept(kept),
                                            .tokens_before = count_at(json, "tokensBefore"),
                                            .files_read = pi_names(at(details, "readFiles")),
                                            .files_changed = pi_names(at(details, "modifiedFiles")),
                                            .usage = pi_usage(at(json, "usage"))};
  if (summary.usage) {
    summary.provider = provider_;
    summary.model = model_;
  }
  give(line, line.id, std::move(summary), !at(json, "systemMessage").is_null());
}

void PiLines::add_branch_summary(const Line& line) {
  const std::int32_t from = find(string_at(line.json, "fromId"));
  const std::int32_t left = from < 0 ? -1 : nodes_[static_cast<std::size_t>(from)].anchor;
  give(line, line.id,
       model::payload::BranchSummary{
           .source_session = session_id(format_, session_),
           .source_entry = left < 0 ? Id{} : our_id(nodes_[static_cast<std::size_t>(left)]),
           .summary = string_at(line.json, "summary")},
       !at(line.json, "details").is_null());
  if (!pi_usage(at(line.json, "usage"))) return;
  // There is no place for what it cost in the summary, so something follows it that says nothing.
  const std::string id = line.id + "/usage";
  const std::int32_t summary = last_;
  last_ = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back({.id = id, .parent = summary, .anchor = summary, .window = windows_});
  add_usage(line, id);
  nodes_[static_cast<std::size_t>(summary)].anchor = std::exchange(last_, summary);
}

// Tokens that were paid for without an answer: an answer without words, which is never sent.
void PiLines::add_usage(const Line& line, const std::string& id) {
  const std::optional<model::Usage> usage = pi_usage(at(line.json, "usage"));
  if (!usage) return;
  give(line, id,
       model::Message{.role = model::Role::assistant,
                      .provider = string_at(line.json, "provider", provider_),
                      .model = string_at(line.json, "model", model_),
                      .stop = model::Stop::stop,
                      .usage = usage},
       line.type == "usage");
}

void PiLines::add_edit(const Line& line) {
  const Json& replacement = at(line.json, "replacement");
  if (!replacement.is_null()) {
    receiver_.lose("texts that the model was shown instead of others");
    return give(line, line.id, ForeignContext{"context edit", pi_text(at(replacement, "content"))},
                true);
  }
  const Node* target = given_node(string_at(line.json, "targetId"));
  if (target == nullptr) return receiver_.lose("edits of what is not taken over");
  give(line, line.id,
       model::payload::Redaction{.target = our_id(*target), .reason = "left out of the context"},
       false);
}

void PiLines::add_label(const Line& line) {
  const Node* target = given_node(string_at(line.json, "targetId"));
  if (target == nullptr) return receiver_.lose("labels of what is not taken over");
  give(line, line.id,
       model::payload::Label{.entry = our_id(*target), .text = string_at(line.json, "label")},
       false);
}

const PiLines::Node* PiLines::given_node(const std::string& id) const {
  const std::int32_t place = find(id);
  if (place < 0 || !nodes_[static_cast<std::size_t>(place)].given) return nullptr;
  return &nodes_[static_cast<std::size_t>(place)];
}

// What is named may be a change of model, say; then the first message behind it on the path.
std::optional<Id> PiLines::first_kept(const std::string& named) const {
  const std::int32_t kept = find(named);
  const Node* first = nullptr;
  if (kept < 0 || kept == last_) return std::nullopt;
  for (std::int32_t place = last_; place >= kept && steps_left_ > 0; --steps_left_) {
    const Node& node = nodes_[static_cast<std::size_t>(place)];
    if (node.given) first = &node;
    if (place == kept) return first == nullptr ? std::nullopt : std::optional(our_id(*first));
    place = node.parent;
  }
  return std::nullopt;  // it is not on the path: nothing is kept
}

}  // namespace skein::exchange::importers
