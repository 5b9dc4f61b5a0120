#include "core/context/beginning.h"

#include <algorithm>

#include "core/text/json.h"

namespace skein::context {

namespace {

constexpr const char* changes_member = "changes";
constexpr const char* instructions_member = "instructions";

JsonText said_meta(const char* member, const Said& said) {
  Json meta = Json::object();
  meta[member] = Json::object();
  for (const auto& [name, hash] : said) meta[member][name] = hash;
  return dump(meta);
}

std::optional<Said> said_in_meta(const JsonText& text, const char* member) {
  const std::optional<Json> meta = parse_json(text);
  if (!meta || !at(*meta, member).is_object()) return std::nullopt;
  Said out;
  for (const auto& [name, hash] : at(*meta, member).items())
    if (hash.is_string()) out[name] = hash.get<std::string>();
  return out;
}

bool is_beginning(const model::Entry& entry) {
  return entry.type == model::type::runtime_init &&
         entry.payload.find("toolSpecs") != JsonText::npos;
}

}  // namespace

const model::Entry* last_beginning(std::span<const model::Entry> path) {
  const auto found = std::find_if(path.rbegin(), path.rend(), [](const model::Entry& entry) {
    return entry.type == model::type::runtime_init;
  });
  return found != path.rend() && is_beginning(*found) ? &*found : nullptr;
}

std::size_t thinking_counts_from(std::span<const model::Entry> path) {
  for (std::size_t i = path.size(); i-- > 0;)
    if (path[i].type == model::type::runtime_init ||
        path[i].type == model::type::compaction_summary)
      return i + 1;
  return 0;
}

std::vector<Id> masked_in(std::span<const model::Entry> path, const std::set<Id>& redacted) {
  std::vector<Id> out;
  if (redacted.empty()) return out;
  for (const model::Entry& entry : path)
    if (redacted.contains(entry.id)) out.push_back(entry.id);
  return out;
}

// It bears the mark of a message by which skein asks the model to go on, so that it is no prompt
// and counted nowhere.
model::Entry change_entry(const std::string& text, const Said& changed) {
  model::Message message = model::user_message(text);
  message.continuation = true;
  model::Entry entry = model::message_entry(message);
  entry.meta = said_meta(changes_member, changed);
  return entry;
}

std::optional<Said> changes_in(const model::Entry& entry) {
  if (!model::tells_changes(entry)) return std::nullopt;
  return said_in_meta(entry.meta, changes_member);
}

JsonText instructions_meta(const Said& attached) {
  return said_meta(instructions_member, attached);
}

// A summary stands for what came before it, and of what it keeps results may be shortened.
Said instructions_on(std::span<const model::Entry> path, const std::set<Id>& redacted) {
  const auto summary = std::find_if(path.rbegin(), path.rend(), [](const model::Entry& entry) {
    return entry.type == model::type::compaction_summary;
  });
  Said out;
  for (const model::Entry& entry : path.last(static_cast<std::size_t>(summary - path.rbegin())))
    if (entry.meta.find(instructions_member) != JsonText::npos && !redacted.contains(entry.id))
      for (const auto& [name, hash] :
           said_in_meta(entry.meta, instructions_member).value_or(Said{}))
        out[name] = hash;
  return out;
}

Said said_on(std::span<const model::Entry> path) {
  const model::Entry* beginning = last_beginning(path);
  if (beginning == nullptr) return {};
  Said out = model::read_as<model::payload::RuntimeInit>(*beginning)
                 .value_or(model::payload::RuntimeInit{})
                 .said;
  for (const model::Entry& entry : path.subspan(static_cast<std::size_t>(beginning - path.data())))
    for (const auto& [name, hash] : changes_in(entry).value_or(Said{}))
      if (hash.empty())
        out.erase(name);
      else
        out[name] = hash;
  return out;
}

}  // namespace skein::context
