#include "core/model/state.h"

#include "core/model/payloads.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::model {

namespace {

bool take_number(std::string_view& text, std::int64_t& number) {
  const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  return failed == std::errc{};
}

bool read_usage(std::string_view& text, Usage& usage) {
  return take_number(text, usage.input) && take(text, R"(,"output":)") &&
         take_number(text, usage.output) && take(text, R"(,"cacheRead":)") &&
         take_number(text, usage.cache_read) && take(text, R"(,"cacheWrite":)") &&
         take_number(text, usage.cache_write) &&
         (!take(text, R"(,"reasoning":)") || take_number(text, usage.reasoning)) && take(text, "}");
}

bool read_footer(std::string_view text, AnswerFooter& out) {
  if (!take(text, R"(,"provider":)") || !take_word(text, out.provider)) return false;
  if (take(text, R"(,"model":)") && !take_word(text, out.model)) return false;
  if (take(text, R"(,"stopReason":)") && !take_word(text, out.stop)) return false;
  if (take(text, R"(,"usage":{"input":)") && !read_usage(text, out.usage.emplace())) return false;
  if (take(text, R"(,"durationMs":)") && !take_number(text, out.duration_ms)) return false;
  if (take(text, R"(,"firstTokenMs":)") && !take_number(text, out.first_token_ms)) return false;
  return text == "}" || text.starts_with(R"(},"meta":)");
}

}  // namespace

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

bool take_word(std::string_view& text, std::string_view& word) {
  if (!take(text, "\"")) return false;
  std::size_t end = 0;
  while (end < text.size() && text[end] != '"' && text[end] != '\\') ++end;
  if (end == text.size() || text[end] == '\\') return false;
  word = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

std::optional<RawAnswer> read_answer(std::string_view body) {
  if (!take(body, R"({"role":"assistant","content":)")) return std::nullopt;
  const void* const last = ::memrchr(body.data(), ']', body.size());
  if (last == nullptr) return std::nullopt;
  const auto end = static_cast<std::size_t>(static_cast<const char*>(last) - body.data()) + 1;
  RawAnswer answer{.content = body.substr(0, end)};
  if (read_footer(body.substr(end), answer.footer)) return answer;
  // One that has nothing there.
  if (body.substr(end) != "}" || bracketed_length(body) != end) return std::nullopt;
  answer.footer = {};
  return answer;
}

void Leaves::push_back(Id id) {
  order_.push_back(id);
  if (order_.size() > many && known_.empty()) known_.insert(order_.begin(), order_.end());
  if (!known_.empty()) known_.insert(id);
}

void Leaves::remove(Id id) {
  if (!known_.empty() && !known_.contains(id)) return;
  // The one that grew last is nearly always the one that grows.
  const auto found = std::ranges::find(order_.rbegin(), order_.rend(), id);
  if (found == order_.rend()) return;
  order_.erase(std::prev(found.base()));
  if (!known_.empty() && std::ranges::find(order_, id) == order_.end()) known_.erase(id);
}

void Leaves::clear() {
  order_.clear();
  known_.clear();
}

namespace {

// The payload alone: in a scan `,"meta":…` may follow it.
std::string_view payload_in(std::string_view body) {
  return body.substr(0, bracketed_length(body));
}

void count_reply(SessionState& state, const AnswerFooter& reply) {
  const std::string model = std::string(reply.provider) + "/" + std::string(reply.model);
  if (model.size() > 1) state.model = model;
  state.duration_ms += reply.duration_ms;
  if (reply.usage) state.usage[model] += *reply.usage;
}

// `,"meta":…` behind the payload.
std::string_view meta_in(std::string_view body) {
  constexpr std::string_view opening = R"(,"meta":)";
  const std::string_view rest = body.substr(payload_in(body).size());
  return rest.starts_with(opening) ? payload_in(rest.substr(opening.size())) : std::string_view{};
}

void count_message(SessionState& state, const EntryFacts& entry) {
  const std::string_view body = entry.body;
  // Our own writer puts the role first, so user and tool messages need no parse once the title is
  // known; they are two thirds of a long session.
  if (body.starts_with(R"({"role":"tool")")) {
    ++state.tool_calls;
    return;
  }
  if (body.starts_with(R"({"role":"user","continuation":true)")) return;
  const bool user = body.starts_with(R"({"role":"user")");
  if (user && !state.title.empty()) {
    ++state.messages;
    return;
  }
  // A third of a long session's lines; a JSON parser takes thirty times as long.
  if (const std::optional<RawAnswer> answer = read_answer(body))
    return count_reply(state, answer->footer);
  const std::optional<Message> message = message_from_json(payload_in(body));
  if (!message || message->continuation) return;
  if (message->role == Role::user) {
    ++state.messages;
    if (state.title.empty())
      state.title = title_from(*message, entry.meta.empty() ? meta_in(body) : entry.meta);
  } else if (message->role == Role::tool) {
    ++state.tool_calls;
  } else if (message->role == Role::assistant) {
    count_reply(state, {.provider = message->provider,
                        .model = message->model,
                        .usage = message->usage,
                        .duration_ms = message->duration_ms});
  }
}

void grow_tree(SessionState& state, const EntryFacts& entry) {
  if (entry.parent) state.leaves.remove(*entry.parent);
  state.leaves.push_back(entry.id);
  state.tail = state.head = entry.id;
  state.unfinished.reset();  // it is there, or something else was said since
  state.head_at = entry.at;
}

// It was paid for like an answer.
void count_aside(SessionState& state, std::string_view payload) {
  const std::optional<Aside> aside = read_aside(payload);
  if (!aside) return;
  if (aside->usage) state.usage[aside->provider + "/" + aside->model] += *aside->usage;
  state.duration_ms += aside->duration_ms;
}

// How long a session is kept is no use of it.
bool is_about_keeping(const EntryFacts& entry) {
  return entry.type == type::custom &&
         (entry.body.starts_with(R"({"kind":"pin")") || entry.body.starts_with(R"({"kind":"ttl")"));
}

std::string plural(std::int64_t number, const std::string& one) {
  return (number > 0 ? short_count(number) : "-") + " " + one + (number == 1 ? "" : "s");
}

using namespace payload;

struct Fold {
  SessionState& state;

  void operator()(const Head& head) const {
    state.head = head.entry;
    state.head_at = 0;  // an older entry: found when it is needed
  }
  void operator()(Title& title) const {
    state.title = std::move(title.text);
    state.title_given = true;
  }
  void operator()(Key& key) const { state.key = std::move(key.key); }
  void operator()(const Snapshot& snapshot) const {
    if (snapshot.entry)
      state.snapshots[snapshot.name] = *snapshot.entry;
    else
      state.snapshots.erase(snapshot.name);
  }
  void operator()(const Label& label) const {
    if (label.text.empty())
      state.labels.erase(label.entry);
    else
      state.labels[label.entry] = label.text;
  }
  void operator()(Permissions& permissions) const {
    state.permissions = std::move(permissions.rules);
  }
  void operator()(Ttl& ttl) const { state.ttl = std::move(ttl.age); }
  void operator()(const Pin& pin) const { state.pinned = pin.pinned; }
  void operator()(const MessageDeltaBatch& batch) const { state.unfinished = batch.message; }
  void operator()(const ThinkingOffBefore& off) const { state.thinking_off.insert(off.entry); }
  void operator()(Import& import) const {
    state.origin = std::move(import.from);
    state.imported_at = std::move(import.at);
  }
  void operator()(const ModelChange& change) const {
    state.model = change.provider.empty() ? change.model : change.provider + "/" + change.model;
  }
  void operator()(ThinkingLevelChange& change) const { state.thinking = std::move(change.level); }
  void operator()(SystemPromptOverride& system) const { state.system = std::move(system.text); }
  void operator()(const Redaction& redaction) const { state.redacted.insert(redaction.target); }
  // A summary that a model wrote was paid for like an answer.
  void operator()(const CompactionSummary& summary) const {
    if (summary.usage) state.usage[summary.provider + "/" + summary.model] += *summary.usage;
  }
  // The others change nothing here.
  template <class Kind>
  void operator()(const Kind&) const {}
};

}  // namespace

Usage total_usage(const SessionState& state) {
  Usage total;
  for (const auto& [model, usage] : state.usage) total += usage;
  return total;
}

EntryFacts facts_of(const Entry& entry, Position at) {
  return {entry.id, entry.parent, entry.type, entry.timestamp, entry.payload, at, entry.meta};
}

void fold(SessionState& state, const EntryFacts& entry) {
  if (entry.type == type::session_header) return;
  ++state.entries;
  if (!entry.timestamp.empty() && !is_about_keeping(entry)) state.updated_at = entry.timestamp;
  if (!is_marginal(entry.type)) {
    grow_tree(state, entry);
    if (entry.type == type::message) count_message(state, entry);
    if (entry.type == type::runtime_init) state.runtime_init = entry.at;
    if (entry.type != type::compaction_summary) return;
  }
  if (may_be_aside(entry.type, entry.body)) return count_aside(state, payload_in(entry.body));
  if (auto payload = read_payload(entry.type, payload_in(entry.body)))
    std::visit(Fold{state}, *payload);
}

std::string title_from(const Message& prompt, std::string_view meta) {
  const std::string typed = typed_command(meta);
  return title_from(typed.empty() ? words_alone(prompt) : typed);
}

std::string title_from(std::string_view prompt) {
  // Without C0, DEL and C1: a title goes to places that only expect words.
  std::string words;
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    const auto byte = static_cast<unsigned char>(prompt[i]);
    const auto next = i + 1 < prompt.size() ? static_cast<unsigned char>(prompt[i + 1]) : 0u;
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0)
      ++i;
    else if (byte >= ' ' ? byte != 0x7F : byte == '\n' || byte == '\t')
      words += prompt[i];
  }
  return preview(message_entry(user_message(words)), 60);
}

std::string stats_line(const SessionState& state, const std::optional<Cost>& cost) {
  const Usage usage = total_usage(state);
  const std::int64_t sent = whole_input(usage);
  std::string out =
      plural(state.messages, "message") + " · " + plural(sent + usage.output, "token");
  if (sent > 0 && usage.cache_read > 0) out += " (" + percent(usage.cache_read, sent) + " cached)";
  if (state.tool_calls > 0) out += " · " + plural(state.tool_calls, "tool call");
  if (state.duration_ms > 0) out += " · " + short_duration(state.duration_ms);
  if (cost && cost->dollars > 0)
    out += (cost->at_least ? " · at least " : " · ") + dollars(cost->dollars);
  return out;
}

}  // namespace skein::model
