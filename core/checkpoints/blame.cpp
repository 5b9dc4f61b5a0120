#include "core/checkpoints/blame.h"

#include "core/text/checksum.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/tools/diff.h"

namespace skein::checkpoints {

namespace {

using By = FileVersion::By;
using model::payload::Checkpoint;

constexpr std::string_view checkpoint_text = "\"kind\":\"checkpoint\"";

std::string present_text(const Root& root, const std::string& name) {
  const FilePlace place = root.locate(name);
  if (!place) throw Error(place.refusal, ExitStatus::usage);
  const workspace::OpenedFile opened = root.open_file(place);
  if (!opened) throw Error(opened.refusal, ExitStatus::usage);
  std::optional<std::string> bytes = read_all(opened.fd.get(), most_kept_bytes);
  if (!bytes) throw Error(name + " is too large", ExitStatus::usage);
  if (looks_binary(*bytes)) throw Error(name + " is not text", ExitStatus::usage);
  return *std::move(bytes);
}

// Where a line of `after` is in `before`; none: it is new.
std::optional<std::size_t> line_before(std::string_view before, std::string_view after,
                                       std::size_t line) {
  std::size_t there = 0, here = 0;
  for (const tools::DiffLine& each : tools::diff_lines(before, after)) {
    there += each.change != tools::Change::added;
    here += each.change != tools::Change::removed;
    if (here == line && each.change != tools::Change::removed)
      return each.change == tools::Change::same ? std::optional(there) : std::nullopt;
  }
  return std::nullopt;
}

// What a call was about, as far as a line that it may have written tells.
struct CandidateCall {
  model::Entry entry{};
  std::string call{}, model{};
  bool fits = false;
};

bool has_line(std::string_view text, std::string_view line) {
  return std::ranges::any_of(split(text, '\n'),
                             [&](std::string_view each) { return trimmed(each) == trimmed(line); });
}

bool is_about(const std::string& path, const std::string& root, const std::string& file) {
  namespace fs = std::filesystem;
  return !path.empty() && (fs::path(root) / path).lexically_normal() == fs::path(file);
}

// Whether this call may have changed the file, and looks as if it wrote the line.
std::optional<CandidateCall> candidate_in(const model::ToolUse& call, const std::string& root,
                                          const std::string& file, std::string_view line) {
  const Json input = parse_json(call.input).value_or(Json::object());
  const std::string path = string_at(input, "path"), command = string_at(input, "command");
  if (call.name == "bash") {
    const std::string name = std::filesystem::path(file).filename().string();
    return CandidateCall{.call = "bash " + command,
                         .fits = command.find(name) != std::string::npos};
  }
  if ((call.name != "write" && call.name != "edit") || !is_about(path, root, file))
    return std::nullopt;
  const std::string text = string_at(input, "content") + string_at(input, "new_text");
  // An edit may have changed only a part of the line.
  const bool part = !trimmed(text).empty() && line.find(trimmed(text)) != std::string_view::npos;
  return CandidateCall{.call = call.name + " " + path, .fits = has_line(text, line) || part};
}

// Puts the versions together from what the checkpoints say of the file.
class HistoryReader {
 public:
  HistoryReader(FileHistory& out, const std::string& name) : out_(out), name_(name) {}

  void read() {
    std::string now = present_text(out_.folder.root, name_);
    const std::string hash = sha256_hex(now);
    out_.texts[hash] = std::move(now);
    for (const store::SessionRecord& record : out_.folder.store.list()) look_through(record);
    std::ranges::stable_sort(sightings_, {}, &Sighting::time);
    if (out_.folder.repository.is_there()) {
      ignored_ = out_.folder.repository.ignored({name_}).contains(name_);
      converted_ = out_.folder.repository.converted({name_}).contains(name_);
    }
    settle();
    if (out_.versions.empty() || out_.versions.back().hash != hash) add({}, hash, By::outside);
  }

 private:
  // The text tells that most sessions have no checkpoint, without reading entry by entry.
  void look_through(const store::SessionRecord& record) {
    bool any = false;
    const store::ScanFilter filter{
        .next = [](std::string_view text,
                   std::size_t from) { return text.find(checkpoint_text, from); },
        .keep_going = [&] { return !any; }};
    const auto scanned = out_.folder.store.transcripts().scan(
        record, filter, [&](const model::EntryFacts&) { any = true; });
    if (!scanned) out_.troubles.push_back(record.key + ": " + scanned.error().text);
    if (!any) return;
    const Id session = record.header.session;
    const auto read =
        out_.folder.store.transcripts().load(session, 0, [&](const store::StoredEntry& placed) {
          take(session, placed);
          return true;
        });
    if (!read) out_.troubles.push_back(record.key + ": " + read.error().text);
  }

  void take(Id session, const store::StoredEntry& placed) {
    std::optional<Checkpoint> state = checkpoint_in(placed.entry);
    if (!state) return;
    const std::string file = out_.folder.root.path() + "/" + name_;
    const std::string above = state->root == "/" ? "/" : state->root + "/";
    if (!file.starts_with(above) || !load_files(out_.folder.contents, *state)) return;
    const std::string below = file.substr(above.size());
    Sighting seen{.session = session,
                  .at = placed.at,
                  .time = placed.entry.timestamp,
                  .run_id = placed.entry.run_id};
    if (const KeptFile* const row = row_of(*state, below)) seen.row = *row;
    if (!seen.row && !state->is_whole()) return;
    walked_ = walked_ || (seen.row && state->coverage == Checkpoint::by_walk);
    state->files = {};
    seen.checkpoint = *std::move(state);
    sightings_.push_back(std::move(seen));
  }

  std::optional<std::string> hash_in_commit(const std::string& commit) {
    const auto [known, is_new] = in_commits_.try_emplace(commit);
    if (!is_new) return known->second;
    const auto objects = out_.folder.repository.objects_in(commit, {name_});
    if (!objects) return known->second;  // git cannot tell
    const auto object = objects->find(name_);
    if (object == objects->end()) {
      if (!ignored_) known->second = "";
      return known->second;
    }
    using enum GitRepository::Object::Kind;
    if (converted_ || object->second.kind == link || object->second.kind == other)
      return known->second;
    out_.folder.repository.contents({object->second.id},
                                    [&](const std::string&, std::string_view bytes) {
                                      known->second = sha256_hex(bytes);
                                      out_.texts.try_emplace(*known->second, bytes);
                                    });
    return known->second;
  }

  // none: it does not tell.
  std::optional<std::string> hash_in(const Sighting& sighting) {
    if (sighting.row && !sighting.row->committed) {
      if (!sighting.row->exists() || sighting.row->kind == FileKind::link) return "";
      return sighting.row->contents_kept() ? sighting.row->hash : std::nullopt;
    }
    if (sighting.checkpoint.coverage == Checkpoint::by_git)
      return hash_in_commit(sighting.checkpoint.git);
    return walked_ ? std::optional<std::string>("") : std::nullopt;
  }

  void add(const Sighting& sighting, const std::string& hash, By by) {
    FileVersion version{.hash = hash, .by = by, .seen = sighting, .last_seen = sighting.time};
    if (out_.versions.empty())
      version.by = By::first;
    else
      version.since = out_.versions.back().last_seen;
    out_.versions.push_back(std::move(version));
  }

  void settle() {
    std::map<Id, Id> turns;  // those that have seen the file before they change it, by session
    for (const Sighting& sighting : sightings_) {
      const std::optional<Id>& prompt = sighting.checkpoint.prompt;
      const bool after = sighting.checkpoint.phase == Checkpoint::after;
      const auto turn = turns.find(sighting.session);
      const bool begun = prompt && turn != turns.end() && turn->second == *prompt;
      const std::optional<std::string> hash = hash_in(sighting);
      if (hash && !out_.versions.empty() && out_.versions.back().hash == *hash)
        out_.versions.back().last_seen = sighting.time;
      else if (hash)
        add(sighting, *hash,
            after && !prompt ? By::restore
            : after || begun ? By::turn
                             : By::outside);
      if (prompt && !after)
        turns[sighting.session] = *prompt;
      else
        turns.erase(sighting.session);
    }
  }

  FileHistory& out_;
  const std::string& name_;
  std::vector<Sighting> sightings_{};
  std::map<std::string, std::optional<std::string>> in_commits_{};
  bool ignored_ = false;    // by git
  bool walked_ = false;     // a walk has listed it, so it is none that walks pass over
  bool converted_ = false;  // what git has of it is not what is in it
};

}  // namespace

FileHistory::FileHistory(WorkspaceFiles& in_folder, const std::string& name) : folder(in_folder) {
  HistoryReader(*this, name).read();
}

std::optional<std::string> FileHistory::text(const FileVersion& version) const {
  if (version.hash.empty()) return "";
  if (const auto known = texts.find(version.hash); known != texts.end()) return known->second;
  store::Result<std::string> bytes = folder.contents->load_blob(version.hash);
  return bytes ? std::optional(*std::move(bytes)) : std::nullopt;
}

LineOrigin origin_of_line(
    std::span<const FileVersion> versions, std::size_t line,
    const std::function<std::optional<std::string>(const FileVersion&)>& text) {
  LineOrigin at{.version = versions.size() - 1, .line = line};
  std::string here = text(versions.back()).value_or("");
  while (at.version > 0) {
    const FileVersion& version = versions[at.version];
    // What was put back, by skein or by hand, comes from where it was before.
    std::size_t earlier = version.by == By::turn ? 0 : at.version;
    while (earlier > 0 && versions[earlier - 1].hash != version.hash) --earlier;
    if (earlier > 0) {
      at = {.version = earlier - 1, .line = at.line};
      continue;
    }
    std::size_t before = at.version - 1;
    std::optional<std::string> there = text(versions[before]);
    while (!there && before > 0) there = text(versions[--before]);
    const std::optional<std::size_t> same =
        there ? line_before(*there, here, at.line) : std::nullopt;
    if (!same) {
      at.lost = at.version - 1 - before + (there ? 0 : 1);
      return at;
    }
    at = {.version = before, .line = *same};
    here = *std::move(there);
  }
  return at;
}

store::Result<LineAuthor> author_of(store::SessionStore& store, const FileVersion& version,
                                    const std::string& file, std::string_view text) {
  const Sighting& seen = version.seen;
  const Id prompt = seen.checkpoint.prompt.value_or(Id{});
  model::Entry asked = TRY(store.load_entry(seen.session, prompt));
  LineAuthor out{.prompt = std::move(asked)};
  std::vector<CandidateCall> calls;  // the last first
  TRY(store.transcripts().load_back(seen.session, [&](const store::StoredEntry& placed) {
    if (placed.entry.id == prompt) return false;
    const bool of_this_run = seen.run_id.empty() || placed.entry.run_id == seen.run_id;
    const auto message = model::message_of(placed.entry);
    if (placed.at > seen.at || !of_this_run || !message || message->role != model::Role::assistant)
      return true;
    const std::string model = message->provider + "/" + message->model;
    if (out.model.empty()) out.model = model;
    const std::vector<const model::ToolUse*> uses = model::tool_uses(*message);
    for (const model::ToolUse* use : uses | std::views::reverse)
      if (auto call = candidate_in(*use, seen.checkpoint.root, file, text)) {
        call->entry = placed.entry;
        call->model = model;
        calls.push_back(*std::move(call));
      }
    return true;
  }));
  auto chosen = std::ranges::find_if(calls, &CandidateCall::fits);
  if (chosen == calls.end() && calls.size() == 1) chosen = calls.begin();
  if (chosen == calls.end()) return out;
  out.entry = chosen->entry;
  out.call = chosen->call;
  out.model = chosen->model;
  return out;
}

}  // namespace skein::checkpoints
