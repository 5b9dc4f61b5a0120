#include "core/store/entry_text.h"

#include "core/text/json.h"

namespace skein::store {

namespace {

Failure refused(const std::string& why) { return {Failure::Kind::refused, "not an entry: " + why}; }

constexpr std::string_view texts[] = {"id", "type", "timestamp", "runId"},
                           objects[] = {"payload", "meta"};
bool known_member(std::string_view name) {
  return name == "parentId" || std::ranges::count(texts, name) + std::ranges::count(objects, name);
}

// Types that are about an earlier entry, and the member that names it.
struct EntryReference {
  std::string_view type;
  const char* member;
};
constexpr EntryReference references[] = {{type::compaction_summary, "firstKeptEntryId"},
                                         {type::redaction, "targetEntryId"}};

}  // namespace

std::optional<Id> referred_entry(const Entry& entry) {
  for (const auto& [type, member] : references)
    if (entry.type == type) {
      const std::optional<Json> payload = parse_json(entry.payload);
      return payload ? parse_id(string_at(*payload, member)) : std::nullopt;
    }
  return std::nullopt;
}

Result<NewEntry> new_entry_from_json(std::string_view text) {
  const std::optional<Json> parsed = parse_json(text);
  if (!parsed || !parsed->is_object()) return refused("the line is not a JSON object");
  const Json& json = *parsed;
  // A parsed object has each member once; only a parse under way sees a second one. It keeps
  // nothing of what it sees.
  std::set<std::string> seen;
  std::string trouble;
  const auto look = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event != Json::parse_event_t::key) return true;
    if (depth != 1) return false;
    const auto name = value.get<std::string>();
    if (!known_member(name)) trouble = "it has the unknown member '" + name + "'";
    if (!seen.insert(name).second) trouble = "it has the member '" + name + "' twice";
    return false;
  };
  [[maybe_unused]] const Json nothing = Json::parse(text, look);
  if (!trouble.empty()) return refused(trouble);

  for (const std::string_view name : texts)
    if (json.contains(name) && !json[name].is_string())
      return refused("its " + std::string(name) + " is not a string");
  for (const std::string_view name : objects)
    if (json.contains(name) && !json[name].is_object())
      return refused("its " + std::string(name) + " is not an object");
  if (string_at(json, "type").empty()) return refused("it has no type");
  if (!json.contains("payload")) return refused("it has no payload");

  NewEntry out;
  const std::string id = string_at(json, "id");
  const std::optional<Id> given = parse_id(id);
  if (json.contains("id") && !given)
    return refused("'" + id + "' is not an id (16 lower-case hex digits)");
  out.entry = {.id = given.value_or(random_id()),
               .type = string_at(json, "type"),
               .timestamp = string_at(json, "timestamp"),
               .run_id = string_at(json, "runId"),
               .payload = text_at(json, "payload"),
               .meta = text_at(json, "meta")};
  if (const auto parent = json.find("parentId"); parent != json.end()) {
    out.follows = false;
    if (!parent->is_null()) {
      out.entry.parent = parse_id(string_at(json, "parentId"));
      if (!out.entry.parent) return refused("its parentId is neither an id nor null");
    }
  }
  for (const auto& [type, member] : references)
    if (out.entry.type == type && !referred_entry(out.entry))
      return refused("its payload has no " + std::string(member) + " that is an id");
  return out;
}

JsonText to_json(const Entry& entry) {
  std::string out;
  JsonWriter writer(out);
  writer.text("id", to_string(entry.id));
  writer.id("parentId", entry.parent);
  writer.text("type", entry.type);
  writer.text("timestamp", entry.timestamp);
  writer.text_if("runId", entry.run_id);
  writer.raw("payload", entry.payload);
  writer.raw_if("meta", entry.meta);
  writer.end();
  return out;
}

}  // namespace skein::store
