#include "core/checkpoints/file_history.h"

#include <algorithm>
#include <utility>

#include "core/text/io.h"
#include "core/text/sha256.h"
#include "core/tools/workspace/reading.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;
using By = FileVersion::By;

namespace {

constexpr std::string_view checkpoint_text = "\"kind\":\"checkpoint\"";

std::string present_text(const Root& root, const std::string& name) {
  const Place place = root.locate(name);
  if (!place) throw Error(place.refusal, ExitStatus::usage);
  const tools::workspace::Opened opened = root.open_file(place);
  if (!opened) throw Error(opened.refusal, ExitStatus::usage);
  std::optional<std::string> bytes = read_all(opened.fd.get(), most_kept_bytes);
  if (!bytes) throw Error(name + " is too large", ExitStatus::usage);
  if (tools::workspace::looks_binary(*bytes)) throw Error(name + " is not text", ExitStatus::usage);
  return *std::move(bytes);
}

}  // namespace

FileHistory::FileHistory(WorkspaceFiles& folder, std::string name)
    : folder_(folder), name_(std::move(name)) {
  std::string now = present_text(folder_.root, name_);
  const std::string hash = sha256_hex(now);
  texts_[hash] = std::move(now);
  for (const store::SessionRecord& record : folder_.store.list()) look_through(record);
  std::ranges::stable_sort(sightings_, {}, &Sighting::time);
  if (folder_.repository.is_there()) {
    ignored_ = folder_.repository.ignored({name_}).contains(name_);
    converted_ = folder_.repository.converted({name_}).contains(name_);
  }
  settle();
  if (versions_.empty() || versions_.back().hash != hash) add({}, hash, By::outside);
}

// Most sessions have seen no file at all, which their text tells without being read entry by entry.
void FileHistory::look_through(const store::SessionRecord& record) {
  bool any = false;
  const store::Sieve sieve{
      .next = [](std::string_view text,
                 std::size_t from) { return text.find(checkpoint_text, from); },
      .go_on = [&] { return !any; }};
  const auto sifted =
      folder_.store.sift(record, sieve, [&](const model::EntryFacts&) { any = true; });
  if (!sifted) troubles_.push_back(record.key + ": " + sifted.error().text);
  if (!any) return;
  const Id session = record.header.session;
  const auto read = folder_.store.load(session, [&](const store::StoredEntry& placed) {
    take(session, placed);
    return true;
  });
  if (!read) troubles_.push_back(record.key + ": " + read.error().text);
}

void FileHistory::take(Id session, const store::StoredEntry& placed) {
  std::optional<Checkpoint> state = checkpoint_in(placed.entry);
  if (!state) return;
  const std::string file = folder_.root.path() + "/" + name_;
  const std::string above = state->root == "/" ? "/" : state->root + "/";
  if (!file.starts_with(above) || !load_files(folder_.contents, *state)) return;
  const std::string below = file.substr(above.size());
  Sighting seen{.session = session,
                .at = placed.at,
                .time = placed.entry.timestamp,
                .run_id = placed.entry.run_id,
                .root = state->root,
                .prompt = state->prompt,
                .after = state->phase == Checkpoint::after,
                .coverage = state->coverage,
                .commit = state->git};
  const auto row = std::ranges::lower_bound(state->files, below, {}, &KeptFile::path);
  if (row != state->files.end() && row->path == below) seen.row = *row;
  if (!seen.row && !state->is_whole()) return;
  walked_ = walked_ || (seen.row && state->coverage == Checkpoint::by_walk);
  sightings_.push_back(std::move(seen));
}

std::optional<std::string> FileHistory::hash_in_commit(const std::string& commit) {
  const auto [known, is_new] = in_commits_.try_emplace(commit);
  if (!is_new) return known->second;
  const auto objects = folder_.repository.objects_in(commit, {name_});
  if (!objects) return known->second;  // git cannot tell
  const auto object = objects->find(name_);
  if (object == objects->end()) {
    if (!ignored_) known->second = "";
    return known->second;
  }
  using enum GitRepository::Object::Kind;
  if (converted_ || object->second.kind == link || object->second.kind == other)
    return known->second;
  folder_.repository.contents({object->second.id}, [&](const std::string&, std::string_view bytes) {
    known->second = sha256_hex(bytes);
    texts_.try_emplace(*known->second, bytes);
  });
  return known->second;
}

// none: it does not tell.
std::optional<std::string> FileHistory::hash_in(const Sighting& sighting) {
  if (sighting.row && !sighting.row->committed) {
    if (!sighting.row->exists() || sighting.row->kind == FileKind::link) return "";
    return sighting.row->contents_kept() ? sighting.row->hash : std::nullopt;
  }
  if (sighting.coverage == Checkpoint::by_git) return hash_in_commit(sighting.commit);
  return walked_ ? std::optional<std::string>("") : std::nullopt;
}

void FileHistory::add(const Sighting& sighting, const std::string& hash, By by) {
  FileVersion version{.hash = hash, .by = by, .seen = sighting, .last_seen = sighting.time};
  if (versions_.empty())
    version.by = By::first;
  else
    version.since = versions_.back().last_seen;
  versions_.push_back(std::move(version));
}

void FileHistory::settle() {
  std::map<Id, Id> turns;  // those that have seen the file before they change it, by session
  for (const Sighting& sighting : sightings_) {
    const auto turn = turns.find(sighting.session);
    const bool begun = sighting.prompt && turn != turns.end() && turn->second == *sighting.prompt;
    const std::optional<std::string> hash = hash_in(sighting);
    if (hash && !versions_.empty() && versions_.back().hash == *hash)
      versions_.back().last_seen = sighting.time;
    else if (hash)
      add(sighting, *hash,
          sighting.after && !sighting.prompt ? By::restore
          : sighting.after || begun          ? By::turn
                                             : By::outside);
    if (sighting.prompt && !sighting.after)
      turns[sighting.session] = *sighting.prompt;
    else
      turns.erase(sighting.session);
  }
}

std::optional<std::string> FileHistory::text(const FileVersion& version) const {
  if (version.hash.empty()) return "";
  if (const auto known = texts_.find(version.hash); known != texts_.end()) return known->second;
  store::Result<std::string> bytes = folder_.contents.load(version.hash);
  return bytes ? std::optional(*std::move(bytes)) : std::nullopt;
}

}  // namespace skein::checkpoints
