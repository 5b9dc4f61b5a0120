#include "app/completion/stored.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "app/availability.h"
#include "app/home.h"
#include "app/load_config.h"
#include "app/model_refresh.h"
#include "core/model/entry_words.h"
#include "core/model/redaction.h"
#include "core/store/files/named_files.h"
#include "core/store/home/parse_index.h"
#include "core/text/amounts.h"
#include "core/text/text.h"

namespace skein::completion {

using store::SessionRecord, store::SessionStore, store::home::IndexName;

namespace {

namespace fs = std::filesystem;

// A home that is there: one that is not would be made by opening it.
bool has_home(const TypedLine& line) {
  std::error_code ignored;
  return fs::is_directory(fs::path(app::home_folder(line.invocation)) / "transcripts", ignored);
}

struct SessionName {
  std::string key{}, title{}, used_at{};
  Id session{};
  std::int64_t messages = 0;
};

SessionName copied(const IndexName& name) {
  return {std::string(name.key), std::string(name.title), std::string(name.used_at), name.session,
          name.messages};
}

// The newest of very many, and besides them those with the first and the last key: what these two
// have in common, all have.
class NewestSessions {
 public:
  void take(const IndexName& name) {
    if (!first_ || name.key < first_->key) first_ = copied(name);
    if (!last_ || name.key > last_->key) last_ = copied(name);
    if (name.used_at <= passed_) return;
    newest_.push_back(copied(name));
    if (newest_.size() == 2 * most) keep_most();
  }

  std::vector<SessionName> sorted() && {
    keep_most();
    for (const auto& each : {first_, last_})
      if (each) newest_.push_back(*each);
    return std::move(newest_);
  }

 private:
  static constexpr std::size_t most = 1000;

  void keep_most() {
    std::ranges::sort(newest_, std::greater{}, &SessionName::used_at);
    if (newest_.size() <= most) return;
    passed_ = newest_[most].used_at;
    newest_.resize(most);
  }

  std::vector<SessionName> newest_{};
  std::string passed_{};  // when the newest that was left out was used
  std::optional<SessionName> first_{}, last_{};
};

// Those whose key, title or id begins with what is typed, out of the index as it stands: looking at
// each of 10,000 transcripts, as a list does, would take longer than all the rest. Nothing: a
// session came or went since it was written.
using Wanted = std::function<bool(bool archived)>;
std::optional<std::vector<SessionName>> indexed_sessions(const TypedLine& line,
                                                         const Wanted& wanted) {
  constexpr std::uint64_t max_bytes = 256u << 20;
  const auto home = store::files::real_files(app::home_folder(line.invocation));
  const auto folder = store::files::stat(*home, "transcripts");
  auto bytes = store::files::read_whole(*home, "sessions.json", max_bytes);
  if (!folder || !bytes) return std::nullopt;
  NewestSessions newest;
  const auto written =
      store::home::visit_index_names(*std::move(bytes), [&](const IndexName& each) {
        if (wanted(each.archived) &&
            (each.key.starts_with(line.given) || each.title.starts_with(line.given) ||
             to_string(each.session).starts_with(line.given)))
          newest.take(each);
      });
  if (written != folder->mtime_ns) return std::nullopt;
  return std::move(newest).sorted();
}

std::vector<SessionName> listed_sessions(const TypedLine& line, const Wanted& wanted) {
  std::vector<SessionName> out;
  for (const SessionRecord& record : app::open_store(line.invocation).list())
    if (wanted(record.archived))
      out.push_back({record.key, record.state.title, record.used_at(), record.header.session,
                     record.state.messages});
  return out;
}

void add_session(Candidates& to, std::string_view given, const std::string& key, Id session,
                 const std::string& title, const std::string& description) {
  const std::string id = to_string(session);
  if (key.starts_with(given)) to.all.push_back({key, description});
  if (given.empty()) return;
  if (title.starts_with(given)) to.all.push_back({title, key});
  if (id.starts_with(given)) to.all.push_back({id, key + "  " + title});
}

void add_sessions(const TypedLine& line, Candidates& to, const Wanted& wanted) {
  if (!has_home(line)) return;
  auto found = indexed_sessions(line, wanted);
  if (!found) found = listed_sessions(line, wanted);
  for (const SessionName& each : *found)
    add_session(
        to, line.given, each.key, each.session, each.title,
        each.title.empty() ? counted(static_cast<std::size_t>(each.messages), "turn") : each.title);
}

// The session an earlier word names, if there is one.
std::optional<SessionRecord> named_session(const TypedLine& line, SessionStore& store) {
  if (line.arguments.empty()) return std::nullopt;
  const auto found = store.find(line.arguments.front());
  if (!found) return std::nullopt;
  const auto opened = store.open(found->header.session);
  return opened ? std::optional(*opened) : std::nullopt;
}

std::string size_and_price(const app::AvailableModel& model) {
  if (model.row.window == 0) return model.usable.why;
  const std::string price = app::short_price(model.row.prices);
  return app::thousands(model.row.window) + " window" + (price.empty() ? "" : ", " + price) +
         (model.usable.now ? "" : ", no key");
}

}  // namespace

void sessions(const TypedLine& line, Candidates& to) {
  add_sessions(line, to, [](bool) { return true; });
}

void archived_sessions(const TypedLine& line, Candidates& to) {
  add_sessions(line, to, [](bool archived) { return archived; });
}

void trashed_sessions(const TypedLine& line, Candidates& to) {
  if (!has_home(line)) return;
  const auto trash = app::open_store(line.invocation).trash();
  if (!trash) return;
  for (const store::TrashedSession& each : *trash)
    add_session(to, line.given, each.key, each.session, each.title, each.title);
}

// Those the conversation has now, the last one first.
void entries(const TypedLine& line, Candidates& to) {
  constexpr std::size_t last = 100;
  if (!has_home(line)) return;
  SessionStore store = app::open_store(line.invocation);
  const std::optional<SessionRecord> record = named_session(line, store);
  if (!record || !record->state.head) return;
  const auto path = store.path(record->header.session, *record->state.head, last);
  if (!path) return;
  for (auto each = path->entries.rbegin(); each != path->entries.rend(); ++each) {
    const model::Entry shown = model::masked(each->entry, record->state.redacted);
    to.all.push_back(
        {to_string(shown.id), model::kind_of(shown) + ": " + model::preview(shown, 60)});
  }
}

void snapshots(const TypedLine& line, Candidates& to) {
  if (!has_home(line)) return;
  SessionStore store = app::open_store(line.invocation);
  if (const std::optional<SessionRecord> record = named_session(line, store))
    for (const auto& [name, entry] : record->state.snapshots)
      to.all.push_back({name, "snapshot of entry " + to_string(entry)});
}

void models(const TypedLine& line, Candidates& to) {
  catalog::Catalog catalog;
  app::load_config_anyway(line.invocation, app::workspace_folder(line.invocation), catalog);
  discovery::ModelCache cache(app::models_file(line.invocation));
  app::use_cache(catalog, cache);
  providers::Keyring keys;
  keys.take_environment(catalog.key_variables());
  const std::vector<app::AvailableModel> all = app::available_models(catalog, keys);
  for (const auto& [alias, meaning] : catalog.aliases()) to.all.push_back({alias, meaning});
  // Those that can be asked now come first.
  for (const bool usable : {true, false})
    for (const app::AvailableModel& model : all)
      if (model.usable.now == usable && model.name != "NAME")
        to.all.push_back({model.provider + "/" + model.name, size_and_price(model)});
}

void providers(const TypedLine& line, Candidates& to) {
  catalog::Catalog catalog;
  app::load_config_anyway(line.invocation, app::workspace_folder(line.invocation), catalog);
  for (const catalog::ProviderRow& row : catalog.providers())
    to.all.push_back({std::string(row.name), catalog::base_url(row)});
}

}  // namespace skein::completion
