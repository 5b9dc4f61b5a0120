#include "core/agent/conversation.h"

#include "core/context/history.h"
#include "core/text/json.h"

namespace skein::agent {

namespace {

std::vector<model::Entry> entries_of(store::Path path) {
  std::vector<model::Entry> out;
  for (store::StoredEntry& placed : path.entries) out.push_back(std::move(placed.entry));
  return out;
}

bool is_failure(const model::Message& message) {
  return message.role == model::Role::assistant && message.content.empty() &&
         (message.stop == model::Stop::error || message.stop == model::Stop::aborted);
}

model::Entry copy_of(const model::Entry& note) {
  model::Entry copy = model::make_entry(note.type, note.payload);
  copy.meta = note.meta;
  return copy;
}

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

std::optional<FailedPrompt> failed_prompt(std::span<const model::Entry> path) {
  FailedPrompt out;
  bool failed = false;
  std::size_t at = path.size();
  for (; at > 0 && !model::is_prompt(path[at - 1]); --at) {
    const model::Entry& entry = path[at - 1];
    const std::optional<model::Message> message = model::message_of(entry);
    if (message && is_failure(*message))
      failed = true;
    else if (message && message->role == model::Role::user && entry.run_id.empty())
      out.notes.push_back(copy_of(entry));
    else
      return std::nullopt;
  }
  if (at == 0 || !failed) return std::nullopt;
  std::ranges::reverse(out.notes);
  --at;
  // Texts that hooks added to a prompt belong to it.
  while (at > 0 && model::is_from_hook(path[at - 1]) && path[at - 1].run_id == path[at].run_id)
    --at;
  out.parent = path[at].parent;
  return out;
}

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
    : store_(store), record_(store.open(session)) {
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
  if (const auto now = store_.sessions().open(session()); now && now->damage.any())
    notices_.push_back(store::damage_notice(now->damage, record_.key));
  path_ = entries_of(std::move(path));
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
  if (!head_) return {};
  return entries_of(store::value_or_throw(store_.path_until(session(), *head_, enough)));
}

std::optional<model::Usage> Conversation::last_usage() const {
  for (auto entry = path_.rbegin(); entry != path_.rend(); ++entry) {
    if (entry->type == model::type::compaction_summary) return std::nullopt;
    if (entry->type != model::type::message || entry->payload.find("\"usage\"") == JsonText::npos)
      continue;  // not worth reading
    if (const auto message = model::message_of(*entry);
        message && message->role == model::Role::assistant && message->usage)
      return message->usage;
  }
  return std::nullopt;
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
    const auto message = model::message_of(entry);
    count += message && message->role == model::Role::user;
  }
  return count;
}

void Conversation::reload() {
  record_ = store_.open(session());
  load_path();
}

void Conversation::catch_up() {
  record_ = store_.open(session());
  head_ = record_.state.head;
  load_path();
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
    // It was sent before and saved, although no reply reached us: it is ours.
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
    if (store::Result<store::SessionRecord> opened = store_.sessions().open(session()))
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
  const store::Result<store::StoredEntry> header = store_.transcripts().load_at(session(), 0);
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
  record_ = store_.open(session());
  if (grew_from(head_, since, record_.state.head)) {
    for (const model::Entry& entry : since)
      if (!model::is_marginal(entry.type)) arrived.push_back(entry);
    parent = head_ = record_.state.head;
    load_path();
  }
  return append_after(parent, entries, {.patient = false});
}

void Conversation::begin_branch() {
  head_.reset();
  load_path();
}

void Conversation::move_head(Id entry) {
  store::value_or_throw(store_.mark(session(), model::payload::Head{entry}));
  head_ = entry;
  reload();
}

model::Entry news(const std::string& text, const std::string& origin) {
  return model::informing_entry(text, dump({{"origin", origin}}));
}

model::Entry steered(const model::Message& message) {
  return model::message_entry(message, R"({"steered":true})");
}

void Inbox::put(model::Entry message, std::optional<Id> session) {
  const std::lock_guard lock(mutex_);
  messages_.push_back({std::move(message), session});
}

std::vector<model::Entry> Inbox::take(std::optional<Id> session) {
  const std::lock_guard lock(mutex_);
  const auto ours = std::ranges::stable_partition(messages_, [&](const Waiting& each) {
    return each.session && session && each.session != session;
  });
  std::vector<model::Entry> out;
  for (Waiting& each : ours) out.push_back(std::move(each.message));
  messages_.erase(ours.begin(), ours.end());
  return out;
}

bool Inbox::take_back(Id message) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(messages_, [&](const Waiting& each) { return each.message.id == message; }) >
         0;
}

bool Inbox::empty() const {
  const std::lock_guard lock(mutex_);
  return messages_.empty();
}

}  // namespace skein::agent
