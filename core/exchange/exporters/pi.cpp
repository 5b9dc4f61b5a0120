#include "core/exchange/exporters/pi.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "core/exchange/exporters/pi_ids.h"
#include "core/exchange/exporters/pi_messages.h"
#include "core/text/json.h"
#include "core/text/sha256.h"

namespace skein::exchange::exporters {

namespace {

namespace payload = model::payload;

// Its sessions are named by UUIDs: one that is always the same for the same session.
std::string uuid_of(Id session) {
  std::string hex = sha256_hex("pi:" + to_string(session)).substr(0, 32);
  hex[12] = '8';  // a version for ids that are made of something else
  hex[16] = 'a';
  for (const std::size_t at : {8u, 13u, 18u, 23u}) hex.insert(at, 1, '-');
  return hex;
}

Json files_of(const payload::CompactionSummary& summary) {
  return {{"readFiles", summary.files_read}, {"modifiedFiles", summary.files_changed}};
}

// Everything in pi's tree is on a path, also what is marginal here: a change of model is followed
// by what was said after it.
class PiWriter {
 public:
  PiWriter(const ExportedSession& session, const Sink& sink)
      : session_(session), sink_(sink), ids_(session) {}

  void add(const model::Entry& entry) {
    if (const auto message = model::message_of(entry)) return add_message(entry, *message);
    const auto known = model::read_payload(entry.type, entry.payload);
    if (known)
      std::visit([&](const auto& each) { add_payload(entry, each); }, *known);
    else if (entry.type != model::type::session_header)
      write(entry, {{"type", "custom"},
                    {"customType", "skein." + entry.type},
                    {"data", parse_json(entry.payload).value_or(Json::object())}});
  }

  // It opens a file at its last entry.
  void end() {
    if (!session_.leaf || last_path_entry_ == session_.leaf || !ids_.knows(*session_.leaf)) return;
    line({{"type", "custom"}, {"customType", "skein.head"}, {"data", Json::object()}},
         ids_.another(*session_.leaf, 0), end_of(session_.leaf), session_.updated_at);
  }

 private:
  void add_message(const model::Entry& entry, const model::Message& message) {
    const std::int64_t time = ms_from_utc(entry.timestamp).value_or(0);
    if (message.continuation)
      return write(entry, {{"type", "custom_message"},
                           {"customType", "skein.continuation"},
                           {"content", model::plain_text(message)},
                           {"display", false}});
    for (Json& each : pi_messages(session_, message, time, names_))
      write(entry, {{"type", "message"}, {"message", std::move(each)}});
  }

  void add_payload(const model::Entry& entry, const payload::ModelChange& change) {
    write(entry,
          {{"type", "model_change"}, {"provider", change.provider}, {"modelId", change.model}});
  }
  void add_payload(const model::Entry& entry, const payload::ThinkingLevelChange& change) {
    write(entry, {{"type", "thinking_level_change"}, {"thinkingLevel", change.level}});
  }
  void add_payload(const model::Entry& entry, const payload::Title& title) {
    write(entry, {{"type", "session_info"}, {"name", title.text}});
  }
  void add_payload(const model::Entry& entry, const payload::Label& label) {
    if (!ids_.knows(label.entry)) return;
    Json out{{"type", "label"}, {"targetId", ids_.of(label.entry)}};
    if (!label.text.empty()) out["label"] = label.text;
    write(entry, std::move(out));
  }
  void add_payload(const model::Entry& entry, const payload::RuntimeInit& init) {
    const std::int64_t time = ms_from_utc(entry.timestamp).value_or(0);
    write(entry, {{"type", "message"},
                  {"message", pi_system_message(init, init_ ? &*init_ : nullptr, time)}});
    init_ = init;
  }
  void add_payload(const model::Entry& entry, const payload::CompactionSummary& summary) {
    const bool kept = summary.first_kept && ids_.knows(*summary.first_kept);
    Json out{
        {"type", "compaction"},
        {"summary", summary.summary.empty() ? "(older messages were left out)" : summary.summary},
        {"firstKeptEntryId", ids_.of(kept ? *summary.first_kept : entry.id)},
        {"tokensBefore", summary.tokens_before},
        {"details", files_of(summary)}};
    if (summary.usage) out["usage"] = pi_usage(*summary.usage);
    write(entry, std::move(out));
  }
  void add_payload(const model::Entry& entry, const payload::BranchSummary& branch) {
    write(entry, {{"type", "branch_summary"},
                  {"fromId", ids_.knows(branch.source_entry)
                                 ? ids_.of(branch.source_entry)
                                 : to_string(branch.source_entry).substr(0, 8)},
                  {"summary", branch.summary}});
  }
  // What only skein acts on: the head, its key, its rules, and what it masked.
  template <class Other>
  void add_payload(const model::Entry&, const Other&) {}

  // The entry of pi's that what follows `entry` comes after; what follows nothing comes after
  // what was noted before the first message.
  std::optional<std::string> end_of(const std::optional<Id>& entry) const {
    if (!entry) return before_all_;
    const auto last = last_of_.find(*entry);
    return last == last_of_.end() ? std::nullopt : std::optional(last->second);
  }

  void write(const model::Entry& entry, Json what) {
    const bool marginal = model::is_marginal(entry.type);
    const bool further = std::exchange(last_written_, entry.id) == entry.id;
    const std::string id = further ? ids_.another(entry.id, ++lines_) : ids_.of(entry.id);
    const std::optional<Id> after = further && !marginal ? entry.id : entry.parent;
    line(std::move(what), id, end_of(after), entry.timestamp);
    // Later children of the place where a marginal entry was written come after it.
    if (!marginal)
      last_of_[entry.id] = id;
    else if (entry.parent)
      last_of_[*entry.parent] = id;
    else
      before_all_ = id;
    if (!marginal) last_path_entry_ = entry.id;
  }

  void line(Json what, const std::string& id, const std::optional<std::string>& parent,
            const std::string& timestamp) {
    Json out{{"type", what["type"]},
             {"id", id},
             {"parentId", parent ? Json(*parent) : Json()},
             {"timestamp", timestamp}};
    what.erase("type");
    for (auto& [name, value] : what.items()) out[name] = std::move(value);
    sink_(dump(out) + "\n");
  }

  const ExportedSession& session_;
  const Sink& sink_;
  PiIds ids_;
  ToolNames names_{};
  std::optional<payload::RuntimeInit> init_{};
  std::unordered_map<Id, std::string> last_of_{};
  std::optional<std::string> before_all_{};
  std::optional<Id> last_written_{}, last_path_entry_{};
  std::size_t lines_ = 0;
};

}  // namespace

void write_pi(const ExportedSession& session, const Sink& sink) {
  sink(dump({{"type", "session"},
             {"version", 3},
             {"id", session.imported_from == "pi" ? session.imported_as : uuid_of(session.id)},
             {"timestamp", session.created_at},
             {"cwd", session.cwd}}) +
       "\n");
  PiWriter writer(session, sink);
  session.each_entry([&](const model::Entry& entry) { writer.add(entry); });
  writer.end();
}

}  // namespace skein::exchange::exporters
