#include "core/agent/conversation.h"

#include <algorithm>
#include <set>

#include "core/context/history.h"
#include "core/model/payloads.h"

namespace skein::agent {

namespace {

// Whether `leaf` descends from `head` through `arrived`. If another branch grew, we stay on our
// own.
bool grew_from(std::optional<Id> head, const std::vector<model::Entry>& arrived,
               std::optional<Id> leaf) {
  std::set<std::optional<Id>> ours{head};
  for (const model::Entry& entry : arrived)
    if (ours.contains(entry.parent)) ours.insert(entry.id);
  return ours.contains(leaf);
}

}  // namespace

std::vector<model::Entry> changes_to(const model::SessionState& state,
                                     const model::ModelRef& model) {
  std::vector<model::Entry> entries;
  if (state.model != model::to_string(model))
    entries.push_back(model::make_entry(model::payload::ModelChange{model.provider, model.model}));
  const std::string level = state.thinking.empty() ? "off" : state.thinking;
  if (level != model::name(model.thinking))
    entries.push_back(model::make_entry(
        model::payload::ThinkingLevelChange{std::string(model::name(model.thinking))}));
  return entries;
}

Conversation::Conversation(store::SessionStore& store, Id session)
    : store_(store), record_(store::value_or_throw(store.open(session))) {
  head_ = record_.state.head;
  load_path();
}

void Conversation::load_path() {
  path_.clear();
  has_more_ = false;
  if (!head_) return;
  std::size_t bytes = 0;
  std::optional<Id> kept;  // by the last compaction: nothing before it is needed
  bool reached = false;
  store::Path path =
      store::value_or_throw(store_.path_until(session(), *head_, [&](const model::Entry& entry) {
        bytes += entry.payload.size();
        if (!kept) kept = context::first_kept(entry);
        reached = kept == entry.id;
        return reached || bytes > wanted_bytes_;
      }));
  has_more_ = !path.whole && !reached;
  notices_ = std::move(path.notices);
  // Only what has been read so far is checked: opening a long session does not read all of it.
  if (const auto now = store_.open(session()); now && now->damage.any())
    notices_.push_back(store::damage_notice(now->damage, record_.key));
  for (store::StoredEntry& placed : path.entries) path_.push_back(std::move(placed.entry));
}

void Conversation::read_at_least(std::size_t bytes) {
  if (!has_more_ || bytes <= wanted_bytes_) return;
  wanted_bytes_ = bytes;
  load_path();
}

// Starts from the head again: since each read is four times as long as the one before, all of them
// together cost little more than the last.
bool Conversation::read_further() {
  if (!has_more_) return false;
  wanted_bytes_ *= 4;
  load_path();
  return true;
}

std::vector<model::Entry> Conversation::path_until(
    const std::function<bool(const model::Entry&)>& enough) const {
  std::vector<model::Entry> out;
  if (!head_) return out;
  store::Path path = store::value_or_throw(store_.path_until(session(), *head_, enough));
  for (store::StoredEntry& placed : path.entries) out.push_back(std::move(placed.entry));
  return out;
}

std::int64_t Conversation::turns() const {
  // A session that never branched has all prompts on its path.
  if (state().leaves.size() < 2 && head_ == state().tail) return state().messages;
  constexpr std::size_t most_bytes = 16u << 20;
  std::size_t bytes = 0;
  std::int64_t count = 0;
  for (const model::Entry& entry : path_until([&](const model::Entry& each) {
         bytes += each.payload.size();
         return bytes > most_bytes;
       })) {
    const auto message =
        entry.type == model::type::message ? model::message_from_json(entry.payload) : std::nullopt;
    count += message && message->role == model::Role::user;
  }
  return count;
}

void Conversation::reload() {
  record_ = store::value_or_throw(store_.open(session()));
  load_path();
}

void Conversation::catch_up() {
  head_ = store::value_or_throw(store_.open(session())).state.head;
  reload();
}

store::Result<store::AppendResult> Conversation::append_after(std::optional<Id> parent,
                                                              std::vector<model::Entry> entries,
                                                              const store::AppendOptions& options) {
  std::vector<store::NewEntry> batch;
  bool reread = parent != head_;
  for (model::Entry& entry : entries) {
    entry.parent = parent;
    if (!model::is_marginal(entry.type)) parent = entry.id;
    batch.push_back({std::move(entry), false});
  }
  store::Result<store::AppendResult> outcome =
      store_.append_session_entries(session(), batch, options);
  if (outcome && outcome->entries.size() < batch.size()) {
    // It was sent before, and arrived, though nobody could tell us: it is ours all the same.
    outcome->entries.clear();
    for (store::NewEntry& each : batch) outcome->entries.push_back(std::move(each.entry));
  }
  if (outcome) {
    head_ = parent;
    for (const model::Entry& entry : outcome->entries) {
      reread = reread || entry.type == model::type::compaction_summary;
      if (!model::is_marginal(entry.type)) path_.push_back(entry);
    }
    if (reread) load_path();
    if (store::Result<store::SessionRecord> opened = store_.open(session()))
      record_ = *std::move(opened);
  }
  return outcome;
}

store::Result<store::AppendResult> Conversation::append(std::vector<model::Entry> entries,
                                                        const store::AppendOptions& options) {
  return append_after(head_, std::move(entries), options);
}

// If our head is the end of the conversation as we know it, another process may have continued it.
// A session in which nothing was said ends with its header.
std::optional<Id> Conversation::expected_tail() {
  if (head_ != record_.state.tail) return std::nullopt;
  if (head_) return head_;
  const store::Result<store::StoredEntry> header = store_.load_at(session(), 0);
  return header ? std::optional(header->entry.id) : std::nullopt;
}

store::Result<store::AppendResult> Conversation::append_prompt(
    const std::vector<model::Entry>& entries, std::vector<model::Entry>& arrived,
    const std::optional<FailedPrompt>& failed) {
  std::optional<Id> parent = failed ? failed->parent : head_;
  store::Result<store::AppendResult> outcome =
      append_after(parent, entries, {.expected_tail = expected_tail(), .patient = false});
  if (outcome || outcome.error().kind != store::Failure::Kind::conflict) return outcome;
  const std::vector<model::Entry>& since = outcome.error().arrived;
  record_ = store::value_or_throw(store_.open(session()));
  if (grew_from(head_, since, record_.state.head)) {
    for (const model::Entry& entry : since)
      if (!model::is_marginal(entry.type)) arrived.push_back(entry);
    parent = head_ = record_.state.head;
    load_path();
  }
  return append_after(parent, entries, {.patient = false});
}

void Conversation::begin_anew() {
  head_.reset();
  load_path();
}

void Conversation::move_head(Id entry) {
  store::value_or_throw(store_.set_head(session(), entry));
  head_ = entry;
  reload();
}

}  // namespace skein::agent
