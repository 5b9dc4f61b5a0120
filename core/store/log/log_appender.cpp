#include "core/store/log/log_appender.h"

#include "core/text/json.h"

namespace skein::store::log {

std::optional<Line> SealChain::take(std::string_view text) {
  const std::optional<Line> line = read_line(text);
  if (!line || line->seal.place != place_ || (place_ > 0 && line->seal.count != count_) ||
      line->seal.previous != last_crc_ || line_crc(state_, text) != line->seal.crc)
    return std::nullopt;
  count_ = line->seal.count;
  state_ = state_after(line->seal.crc, text);
  if (++place_ == count_) {
    place_ = 0;
    last_crc_ = line->seal.crc;
    state_ = seed_;
  }
  return line;
}

namespace {

bool only(std::string_view text, std::string_view extra, std::size_t longest) {
  return text.size() <= longest && std::ranges::all_of(text, [&](unsigned char c) {
           return std::isalnum(c) != 0 ||
                  extra.find(static_cast<char>(c)) != std::string_view::npos;
         });
}

// As it is in a line.
Entry in_a_line(Entry entry) {
  entry.payload = json_line(entry.payload);
  if (!entry.meta.empty()) entry.meta = json_line(entry.meta);
  return entry;
}

// What is wrong with an entry that wants in, or nothing.
std::optional<std::string> trouble_with(const Entry& entry) {
  if (entry.type.empty() || !only(entry.type, "_.-", 64)) return "it has no proper type";
  if (entry.type == type::session_header)
    return "a session has one header, written when it is made";
  if (!only(entry.timestamp, "-:.+", 40)) return "its timestamp is not ISO 8601";
  if (!only(entry.run_id, "_.:-", 64)) return "its runId is not plain text";
  if (!is_json_object(entry.payload)) return "its payload is not a JSON object";
  if (!entry.meta.empty() && !is_json_object(entry.meta)) return "its meta is not a JSON object";
  return std::nullopt;
}

}  // namespace

Result<std::vector<Entry>> LogAppender::resolve(std::span<const NewEntry> entries) {
  using Kind = Failure::Kind;
  std::vector<Entry> batch;
  std::optional<Id> previous = state_.head;
  std::unordered_map<Id, bool> given;  // ids of this batch, and whether they are marginal
  for (const NewEntry& each : entries) {
    const auto refuse = [&](Kind kind, const std::string& why) {
      return Failure{kind, "entry " + to_string(each.entry.id) + " is refused: " + why};
    };
    Entry entry = in_a_line(each.entry);
    if (const auto trouble = trouble_with(entry)) return refuse(Kind::refused, *trouble);
    const bool marginal = model::is_marginal(each.entry.type);
    if (!given.emplace(each.entry.id, marginal).second)
      return refuse(Kind::id_conflict, "its id occurs twice in the batch");

    const auto there = places_.find(each.entry.id);
    if (there != places_.end()) {
      const bool same = TRY(same_content(std::move(entry), each.follows, there->second.at));
      if (!same) return refuse(Kind::id_conflict, "its id is taken by another entry");
    } else {
      if (each.follows) {
        entry.parent = previous;
      } else if (entry.parent) {
        const auto in_batch = given.find(*entry.parent);
        bool known = in_batch != given.end() && entry.parent != entry.id;
        bool parent_marginal = known && in_batch->second;
        const Result<Position> placed = known ? Position{} : locate(*entry.parent);
        if (!placed && placed.error().kind != Kind::gone) return placed.error();
        if (!known && (known = bool(placed)))
          parent_marginal = places_.contains(*entry.parent) && places_.at(*entry.parent).marginal;
        if (!known)
          return refuse(Kind::refused,
                        "its parent " + to_string(*entry.parent) + " is not in the session");
        if (parent_marginal)
          return refuse(Kind::refused,
                        "its parent " + to_string(*entry.parent) + " is a marginal entry");
      }
      if (entry.timestamp.empty()) entry.timestamp = now_utc();
      batch.push_back(std::move(entry));
    }
    if (!marginal) previous = each.entry.id;
  }
  return batch;
}

Result<void> LogAppender::check_lines(Position end, std::span<const std::string> lines) const {
  const auto refuse = [&](const char* why) {
    return Failure{Failure::Kind::conflict, described(session_) + why};
  };
  if (end_ != end || newline_missing_) return refuse(" was continued by another process");
  SealChain chain(session_, last_crc_);
  for (const std::string& line : lines)
    if (!chain.take(line)) return refuse(": the received entries do not continue it");
  if (!chain.at_border()) return refuse(": only a part of a batch was received");
  return {};
}

// What the caller left to the store (time, parent) cannot differ.
Result<bool> LogAppender::same_content(Entry wanted, bool follows, Position where) {
  const StoredEntry there = TRY(at(where));
  if (follows) wanted.parent = there.entry.parent;
  if (wanted.timestamp.empty()) wanted.timestamp = there.entry.timestamp;
  return wanted == there.entry;
}

// What follows nothing else follows the header.
std::optional<Id> LogAppender::tail() {
  if (state_.tail) return state_.tail;
  const Result<StoredEntry> header = at(0);
  return header ? std::optional(header->entry.id) : std::nullopt;
}

Failure LogAppender::conflict(Id expected) {
  Failure failure{Failure::Kind::conflict,
                  described(session_) + " was continued by another process: its last entry is " +
                      (state_.tail ? to_string(*state_.tail) : "none") + ", not " +
                      to_string(expected)};
  failure.tail = state_.tail;
  std::size_t left = 100;
  // What cannot be read of it is left out.
  (void)each_back(std::nullopt, [&](const StoredEntry& placed) {
    if (placed.entry.id == expected) return false;
    failure.arrived.insert(failure.arrived.begin(), placed.entry);
    return --left > 0;
  });
  return failure;
}

}  // namespace skein::store::log
