#include "core/exchange/importers/opencode_tree.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/opencode_session.h"
#include "core/text/base.h"

namespace skein::exchange::importers {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_json_bytes = std::size_t{64} << 20;

struct NamedJson {
  std::string name{};  // of the file, without its ending
  Json json{};
};

Json json_of(const SourceFile& file) {
  if (file.size() > most_json_bytes) return nullptr;
  return parse_json(file.read(0, most_json_bytes)).value_or(Json());
}

bool is_real_folder(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::directory;
}

class OpencodeTree {
 public:
  OpencodeTree(const SourceFile& file, Receiver& receiver)
      : storage_(fs::path(file.folder()) / ".." / ".."), receiver_(receiver) {}

  std::vector<OpencodeMessage> messages_of(const std::string& session) {
    std::vector<OpencodeMessage> messages;
    for (NamedJson& each : objects_in("message", session)) {
      OpencodeMessage message{.id = string_at(each.json, "id", each.name),
                              .time = int_at(at(each.json, "time"), "created"),
                              .data = std::move(each.json)};
      messages.push_back(std::move(message));
    }
    std::ranges::stable_sort(messages, {}, &OpencodeMessage::time);
    add_loose_parts(messages);
    return messages;
  }

  std::vector<OpencodePart> parts_of(const std::string& message) {
    std::vector<OpencodePart> parts;
    for (NamedJson& each : objects_in("part", message))
      parts.push_back({string_at(each.json, "id", each.name), std::move(each.json)});
    return parts;
  }

 private:
  // The objects in <storage>/<kind>/<name>/*.json, by the names of their files.
  std::vector<NamedJson> objects_in(const char* kind, const std::string& name) {
    const fs::path folder = storage_ / kind;
    if (!is_plain_name(name) || !is_real_folder(folder) || !is_real_folder(folder / name))
      return {};
    return objects_in(folder / name);
  }

  std::vector<NamedJson> objects_in(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; !error && each != end;
         each.increment(error)) {
      std::error_code ignored;
      if (each->path().extension() == ".json" &&
          each->symlink_status(ignored).type() == fs::file_type::regular)
        files.push_back(each->path());
    }
    std::ranges::sort(files);
    std::vector<NamedJson> out;
    for (const fs::path& path : files) {
      const auto opened = SourceFile::open(path.string());
      const auto* file = std::get_if<SourceFile>(&opened);
      Json json = file != nullptr ? json_of(*file) : Json();
      if (json.is_object())
        out.push_back({path.stem().string(), std::move(json)});
      else
        receiver_.lose("damaged files");
    }
    return out;
  }

  // The oldest layout: every part of every session in one folder.
  void add_loose_parts(std::vector<OpencodeMessage>& messages) {
    std::map<std::string, OpencodeMessage*> by_id;
    for (OpencodeMessage& message : messages) by_id.emplace(message.id, &message);
    if (!is_real_folder(storage_ / "part")) return;
    for (NamedJson& each : objects_in(storage_ / "part"))
      if (const auto owner = by_id.find(string_at(each.json, "messageID")); owner != by_id.end())
        owner->second->parts.push_back(
            {string_at(each.json, "id", each.name), std::move(each.json)});
  }

  fs::path storage_;
  Receiver& receiver_;
};

}  // namespace

bool is_opencode_session_file(const SourceFile& file) {
  constexpr std::size_t most_bytes = std::size_t{4} << 20;  // with the summary of many changes
  if (!file.name().ends_with(".json") || file.size() > most_bytes) return false;
  const std::string head = file.head();
  if (!head.starts_with('{') || head.find("\"projectID\"") == std::string::npos) return false;
  const Json json = json_of(file);
  return at(json, "projectID").is_string() && at(json, "id").is_string() &&
         at(json, "title").is_string() && at(at(json, "time"), "created").is_number();
}

void read_opencode_tree(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const Json json = json_of(file);
  const std::optional<ForeignSession> session = opencode_session(json);
  if (!session) throw Error(file.path() + " is not a session of opencode");
  if (!receiver.begin(*session)) return;
  OpencodeTree tree(file, receiver);
  OpencodeEntries entries(*session, at(json, "revert"), options, receiver);
  for (OpencodeMessage& message : tree.messages_of(session->id)) {
    for (OpencodePart& part : tree.parts_of(message.id)) message.parts.push_back(std::move(part));
    entries.add(std::move(message));
  }
  entries.finish();
}

}  // namespace skein::exchange::importers
