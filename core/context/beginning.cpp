#include "core/context/beginning.h"

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

}  // namespace

const model::Entry* last_of(std::span<const model::Entry> path, std::string_view type) {
  const auto found = std::ranges::find(path.rbegin(), path.rend(), type, &model::Entry::type);
  return found == path.rend() ? nullptr : &*found;
}

const model::Entry* last_beginning(std::span<const model::Entry> path) {
  const model::Entry* const last = last_of(path, model::type::runtime_init);
  return last && last->payload.find("toolSpecs") != JsonText::npos ? last : nullptr;
}

std::size_t thinking_counts_from(std::span<const model::Entry> path) {
  const model::Entry* const last = std::max(last_of(path, model::type::runtime_init),
                                            last_of(path, model::type::compaction_summary));
  return last == nullptr ? 0 : static_cast<std::size_t>(last - path.data()) + 1;
}

std::vector<Id> masked_in(std::span<const model::Entry> path, const std::set<Id>& redacted) {
  std::vector<Id> out;
  if (redacted.empty()) return out;
  for (const model::Entry& entry : path)
    if (redacted.contains(entry.id)) out.push_back(entry.id);
  return out;
}

// Most beginnings drop nothing, and are long.
std::map<std::string, std::string> dropped_on(std::span<const model::Entry> path) {
  const model::Entry* const last = last_beginning(path);
  if (last == nullptr || last->payload.find(R"("dropped":{)") == JsonText::npos) return {};
  return model::read_as<model::payload::RuntimeInit>(*last)
      .value_or(model::payload::RuntimeInit{})
      .dropped;
}

bool drops_result(const model::Entry& entry) {
  return entry.type == model::type::runtime_init && entry.meta == drop_meta;
}

model::Entry change_entry(const std::string& text, const Said& changed) {
  return model::informing_entry(text, said_meta(changes_member, changed));
}

std::optional<Said> changes_in(const model::Entry& entry) {
  if (!model::tells_changes(entry)) return std::nullopt;
  return said_in_meta(entry.meta, changes_member);
}

JsonText instructions_meta(const Said& attached) {
  return said_meta(instructions_member, attached);
}

// A summary replaces what came before it, and of what it keeps results may be shortened.
Said instructions_on(std::span<const model::Entry> path, const std::set<Id>& redacted) {
  const model::Entry* const summary = last_of(path, model::type::compaction_summary);
  const auto dropped = dropped_on(path);
  Said out;
  for (const model::Entry& entry :
       path.subspan(summary ? static_cast<std::size_t>(summary - path.data()) + 1 : 0))
    if (entry.meta.find(instructions_member) != JsonText::npos && !redacted.contains(entry.id) &&
        !dropped.contains(to_string(entry.id)))
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
