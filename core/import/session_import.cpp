#include "core/import/session_import.h"

#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::importers {

using store::Failure;

namespace {

// Small enough for the store's limits, and for a process that is killed to lose little work.
constexpr std::size_t batch_bytes = std::size_t{8} << 20, batch_entries = 2'000;
// A line may have 16 MiB. What is longer is cut, and whole in a blob.
constexpr std::size_t longest_text = std::size_t{4} << 20, excerpt_bytes = std::size_t{64} << 10;
constexpr std::size_t longest_payload = std::size_t{15} << 20;
constexpr std::size_t longest_title = 200;
constexpr std::size_t longest_blob = std::size_t{64} << 20;

// Trouble that every other session would have as well.
bool concerns_all(const Failure& failure) {
  return failure.kind == Failure::Kind::no_space || failure.kind == Failure::Kind::io ||
         failure.kind == Failure::Kind::read_only;
}

model::Entry entry_of(const ForeignContent& content) {
  if (const auto* message = std::get_if<model::Message>(&content))
    return model::message_entry(*message);
  if (const auto* context = std::get_if<ForeignContext>(&content))
    return model::make_entry(model::payload::ImportContext{context->label, context->text});
  return model::make_entry(std::get<model::Payload>(content));
}

JsonText origin_json(std::string_view format, std::string_view id, const JsonText& raw) {
  std::string out = R"({"import":{"from":)" + json_string(format) + R"(,"id":)" + json_string(id);
  if (!raw.empty()) out += R"(,"raw":)" + (parse_json(raw) ? raw : json_string(raw));
  return out + "}}";
}

bool ends_turn(const model::Message& message) {
  return message.role == model::Role::assistant && model::tool_uses(message).empty();
}

bool is_imported(const model::EntryFacts& entry) {
  return entry.body.find(R"(,"meta":{"import":{)") != std::string_view::npos;
}

}  // namespace

std::string import_key(const ImportFormat& format, const std::string& session) {
  std::string id = session;
  for (char& c : id)
    if (!is_alphanumeric(c) && std::string_view("._@+-").find(c) == std::string_view::npos) c = '-';
  constexpr std::size_t longest = 64, digits = 16;
  if (id.size() > longest || id.empty())
    id = id.substr(0, longest - digits - 1) + "-" + to_string(session_id(format.name, session));
  return "main:" + std::string(format.channel) + ":" + id;
}

Id SessionImport::id_of(std::string_view entry) const {
  return entry_id(format_.name, session_.id, entry);
}

bool SessionImport::begin(const ForeignSession& session) {
  open_ = !options_.wanted || options_.wanted(session);
  if (!open_) return false;
  session_ = session;
  session_.title.resize(utf8_prefix(session_.title, longest_title).size());
  if (!session_.cwd.starts_with('/')) session_.cwd.clear();
  report_ = {.key = import_key(format_, session.id),
             .session = session_id(format_.name, session.id),
             .title = session_.title,
             .cwd = session_.cwd,
             .losses = std::move(report_.losses)};  // a reader may find some before
  if (!options_.key.empty()) claim_key();
  known_ = {};
  stands_for_.clear();
  last_.reset();
  const auto created = ms_from_utc(session.created_at);
  last_time_ = created ? utc_from_ms(*created) : written_;
  batch_.clear();
  batch_bytes_ = 0;
  look_up();
  begun_ = false;
  return true;
}

// Another key is another session, which the next import of the same source under it finds again.
void SessionImport::claim_key() {
  const store::Result<store::SessionRecord> taken = store_.find(options_.key);
  if (taken && taken->header.session == report_.session) return;
  report_.key = options_.key;
  report_.session = session_id(format_.name, options_.key + "\n" + session_.id);
  if (taken && taken->header.session != report_.session)
    throw Error(
        "the session " + options_.key + " was not imported from " + file_ + "; give another key",
        ExitStatus::usage);
}

// What is there of it, from this or an earlier import.
void SessionImport::look_up() {
  const store::Result<store::SessionRecord> found = store_.sessions().open(report_.session);
  if (!found) return;
  known_.there = true;
  report_.key = found->key;
  known_.head = found->state.head;
  known_.head_was_moved = found->state.head != found->state.tail;
  const auto done =
      store_.transcripts().survey(report_.session, [&](const model::EntryFacts& entry) {
        known_.ids.insert(entry.id);
        const bool imported = is_imported(entry);
        if (entry.id == known_.head) known_.head_is_ours = !imported;
        if (entry.type == model::type::custom && entry.body.starts_with(R"({"kind":"title")"))
          known_.title_is_ours = !imported;
      });
  if (!done) report_.trouble = done.error().text;
}

void SessionImport::add_facts() {
  model::payload::Import origin{.from = std::string(format_.name),
                                .session = session_.id,
                                .file = file_,
                                .at = now_utc(),
                                .spawned = session_.spawned};
  if (!session_.parent.empty()) origin.parent = session_id(format_.name, session_.parent);
  add_fact("import", std::move(origin));
  // Its id tells of its text, so that a new title there is one here.
  if (!session_.title.empty() && !known_.title_is_ours)
    add_fact("title:" + session_.title, model::payload::Title{session_.title});
}

void SessionImport::add_fact(const std::string& id, model::Payload fact) {
  model::Entry entry = model::make_entry(std::move(fact));
  entry.id = id_of(id);
  entry.meta = origin_json(format_.name, id, {});
  push(std::move(entry));
}

std::optional<Id> SessionImport::parent_of(const ForeignEntry& entry) const {
  if (entry.parent.empty()) return std::nullopt;
  const auto found = stands_for_.find(id_of(entry.parent));
  return found != stands_for_.end() ? found->second : last_;
}

// Texts that are too long for a line; results are the usual case.
void SessionImport::spill(model::Message& message) {
  const auto cut = [&](std::string& text, std::string& blob) {
    if (text.size() <= longest_text) return;
    if (blob.empty()) blob = keep(text);
    if (blob.empty()) lose("texts of more than 64 MiB, cut after the beginning");
    text.resize(utf8_prefix(text, excerpt_bytes).size());
  };
  for (model::Block& block : message.content) {
    std::string unnamed;
    if (auto* text = std::get_if<model::Text>(&block)) cut(text->text, unnamed);
    if (auto* thinking = std::get_if<model::Thinking>(&block)) cut(thinking->thinking, unnamed);
    if (auto* result = std::get_if<model::ToolResult>(&block))
      for (model::ResultBlock& part : result->content)
        if (auto* text = std::get_if<model::Text>(&part)) cut(text->text, result->blob);
    if (!unnamed.empty()) lose("texts of more than 4 MiB, cut; the whole text is in a blob");
  }
}

void SessionImport::add(ForeignEntry entry) {
  if (!open_) return;
  const auto* const message = std::get_if<model::Message>(&entry.content);
  const bool holds = message != nullptr ? !ends_turn(*message) : !held_.empty();
  if (options_.at_work && holds && !known_.ids.contains(id_of(entry.id))) {
    held_.push_back(std::move(entry));
    return;
  }
  for (ForeignEntry& each : std::exchange(held_, {})) take(std::move(each));
  take(std::move(entry));
}

void SessionImport::take(ForeignEntry entry) {
  const Id id = id_of(entry.id);
  if (stands_for_.contains(id)) return;
  if (auto* message = std::get_if<model::Message>(&entry.content)) spill(*message);
  model::Entry made = entry_of(entry.content);
  made.id = id;
  made.parent = parent_of(entry);
  if (made.payload.size() + entry.raw.size() > longest_payload) entry.raw.clear();
  made.meta = origin_json(format_.name, entry.id, entry.raw);
  if (const auto time = ms_from_utc(entry.time)) last_time_ = utc_from_ms(*time);
  if (!std::exchange(begun_, true)) add_facts();  // now that it is known when that was
  ++report_.entries;
  if (made.payload.size() > longest_payload) {
    lose("entries of more than 15 MiB");
    stands_for_[id] = made.parent;
    return;
  }
  const bool marginal = model::is_marginal(made.type);
  stands_for_[id] = marginal ? made.parent : id;
  if (!marginal) last_ = id;
  if (const auto* message = std::get_if<model::Message>(&entry.content);
      message != nullptr && report_.title.empty() && model::is_prompt(*message))
    report_.title = model::title_from(model::plain_text(*message));
  if (push(std::move(made))) ++report_.added;
}

bool SessionImport::push(model::Entry entry) {
  if (!known_.ids.insert(entry.id).second || !may_write()) return false;
  if (options_.dry_run) return true;
  entry.timestamp = last_time_;
  if (options_.mask != nullptr) {
    entry.payload = options_.mask->json(entry.payload);
    entry.meta = options_.mask->json(entry.meta);
  }
  batch_bytes_ += entry.payload.size() + entry.meta.size();
  batch_.push_back({.entry = std::move(entry), .follows = false});
  if (batch_.size() >= batch_entries || batch_bytes_ >= batch_bytes) flush();
  return true;
}

// Takes the session's lease: its head must not move under a user who works in it.
bool SessionImport::may_write() {
  if (!report_.trouble.empty()) return false;
  if (options_.dry_run || !known_.there || known_.lease) return true;
  store::Result<store::SessionLease> lease =
      store_.presence().hold(report_.session, store::LockMode::exclusive);
  if (!lease) {
    report_.trouble = lease.error().text;
    return false;
  }
  known_.lease = *std::move(lease);
  return true;
}

void SessionImport::create(const std::vector<store::NewEntry>& batch) {
  store::SessionHeader header{.session = report_.session,
                              .key = report_.key,
                              .cwd = session_.cwd,
                              .created_by = "skein " SKEIN_VERSION,
                              .created_at = batch.front().entry.timestamp};
  store::Result<store::Created> created = store_.sessions().create(header, batch);
  if (created && !created->made && created->record.header.session != header.session) {
    header.key = report_.key + "-" + to_string(report_.session).substr(12);
    created = store_.sessions().create(header, batch);
  }
  if (!created) {
    report_.trouble = created.error().text;
    if (concerns_all(created.error())) (void)value_or_throw(std::move(created));
    return;
  }
  report_.key = header.key;
}

void SessionImport::flush() {
  std::vector<store::NewEntry> batch = std::exchange(batch_, {});
  batch_bytes_ = 0;
  if (batch.empty() || !report_.trouble.empty()) return;
  if (!std::exchange(known_.there, true)) {
    create(batch);
    return;
  }
  // Work that continues in this session stays where it was.
  if (known_.head_is_ours) batch.push_back({model::make_entry(model::payload::Head{*known_.head})});
  store::Result<store::AppendResult> done =
      store_.append_session_entries(report_.session, batch, {.check_all_ids = true});
  if (done) return;
  report_.trouble = done.error().text;
  if (concerns_all(done.error())) (void)value_or_throw(std::move(done));
}

// Moves the head to where the session ended there, unless the user has continued it or moved the
// head here.
void SessionImport::set_head(std::string_view leaf) {
  const auto found = stands_for_.find(id_of(leaf));
  const std::optional<Id> wanted =
      leaf.empty() || found == stands_for_.end() ? last_ : found->second;
  if (!wanted || known_.head_is_ours) return;
  const bool grown = report_.added > 0;
  // An import that was cut short left the head at the last entry it wrote.
  if (!grown && (known_.head_was_moved || known_.head == wanted)) return;
  if (grown && !batch_.empty() && batch_.back().entry.id == *wanted) return;
  if (options_.dry_run || !may_write()) return;
  model::Entry head = model::make_entry(model::payload::Head{*wanted});
  head.timestamp = last_time_;
  head.meta = origin_json(format_.name, "head", {});
  batch_.push_back({.entry = std::move(head)});
}

std::string SessionImport::keep(std::string_view bytes) {
  if (bytes.size() > longest_blob) {
    lose("contents of more than 64 MiB");
    return {};
  }
  if (options_.dry_run) return std::string(64, '0');
  const bool masked = options_.mask != nullptr && image_type(bytes).empty();
  const std::string text = masked ? options_.mask->text(bytes) : std::string{};
  store::Result<std::string> name =
      store_.blobs().keep_blob(masked ? std::string_view(text) : bytes);
  if (name) return *std::move(name);
  if (concerns_all(name.error())) (void)value_or_throw(std::move(name));
  lose("contents that could not be stored");
  return {};
}

void SessionImport::lose(std::string_view what) { ++report_.losses[std::string(what)]; }

void SessionImport::end(std::string_view leaf) {
  if (!std::exchange(open_, false)) return;
  report_.left = std::exchange(held_, {}).size();
  if (report_.entries > 0) {
    set_head(leaf);
    flush();
    if (!options_.dry_run && report_.trouble.empty())
      store_.presence().remember(report_.session, {});
  }
  known_.lease = {};
  store_.presence().close(report_.session);
  if (report_.entries + report_.left > 0) done_.push_back(std::move(report_));
  report_ = {};
}

}  // namespace skein::importers
