#include "core/scrub.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/context.h"
#include "core/json.h"

namespace skein {

namespace {

constexpr std::string_view mask = "[redacted]";
constexpr std::size_t least_text = 16;    // below this, the same words are no sign of anything
constexpr std::size_t least_secret = 20;  // of a word that mixes letters and digits

// Members whose values say how entries hang together, not what was said.
constexpr std::string_view structure[] = {"role",
                                          "type",
                                          "id",
                                          "name",
                                          "kind",
                                          "tool_use_id",
                                          "provider",
                                          "model",
                                          "stopReason",
                                          "entryId",
                                          "targetEntryId",
                                          "firstKeptEntryId",
                                          "sourceSessionId",
                                          "sourceEntryId",
                                          "sessionId",
                                          "mimeType",
                                          "blob",
                                          "key"};

// Hashes are hex all through, and stand in many places for good reasons.
bool looks_like_a_key(std::string_view word) {
  constexpr std::string_view beginnings[] = {"sk-", "ghp_", "gho_",   "github_pat_", "AKIA", "AIza",
                                             "xox", "eyJ",  "glpat-", "hf_",         "npm_"};
  const bool known = std::ranges::any_of(
      beginnings, [&](std::string_view each) { return word.starts_with(each); });
  const auto any = [&](auto is) {
    return std::ranges::any_of(word, [&](unsigned char c) { return is(c) != 0; });
  };
  return word.size() >= least_secret &&
         (known || (any([](int c) { return std::isdigit(c); }) &&
                    any([](int c) { return std::isalpha(c); }) &&
                    any([](int c) { return std::isxdigit(c) == 0 && std::isalpha(c) != 0; }) &&
                    std::ranges::all_of(word, [](unsigned char c) {
                      return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '+' || c == '=';
                    })));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  const std::size_t from = text.find_first_not_of(white);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(white) - from + 1);
}

void take_text(std::string_view text, Scrubbing& out) {
  const auto add = [](std::vector<std::string>& to, std::string_view piece) {
    if (std::ranges::find(to, piece) == to.end()) to.emplace_back(piece);
  };
  if (trimmed(text).size() >= least_text) add(out.texts, trimmed(text));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (const auto line = trimmed(text.substr(at, end - at)); line.size() >= least_text)
      add(out.texts, line);
    at = end + 1;
  }
  constexpr std::string_view separators = " \t\r\n\"'`,;:()[]{}<>|&$";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = std::min(text.find_first_not_of(separators, at), text.size());
    const std::size_t end = std::min(text.find_first_of(separators, from), text.size());
    std::string_view word = text.substr(from, end - from);
    // NAME=value
    if (const std::size_t equals = word.find('=');
        equals != std::string_view::npos && equals + least_secret < word.size())
      word.remove_prefix(equals + 1);
    if (looks_like_a_key(word)) add(out.secrets, word);
    at = end + 1;
  }
}

bool is_structure(std::string_view key) {
  return std::ranges::find(structure, key) != std::end(structure);
}

// Every string that says something; in what a tool is called with, that is all of them.
template <class Visit>
void each_saying(Json& value, const Visit& visit, bool free_form = false) {
  if (value.is_string()) visit(value);
  if (value.is_array())
    for (Json& each : value) each_saying(each, visit, free_form);
  if (!value.is_object()) return;
  const bool call = value.contains("input");  // only a call's name is a tool's
  for (auto& [key, each] : value.items())
    if (free_form || !each.is_string() || !is_structure(key) || (key == "name" && !call))
      each_saying(each, visit, free_form || key == "input");
}

void collect_blobs(const Json& value, std::vector<std::string>& out) {
  if (value.is_object())
    if (std::string blob = string_at(value, "blob"); !blob.empty()) out.push_back(std::move(blob));
  if (value.is_structured())
    for (const Json& each : value) collect_blobs(each, out);
}

bool replace_all(std::string& text, const std::string& needle) {
  bool any = false;
  for (std::size_t at = 0; (at = text.find(needle, at)) != std::string::npos;) {
    text.replace(at, needle.size(), mask);
    at += mask.size();
    any = true;
  }
  return any;
}

// What retells others: here even a sentence of it is too much.
bool retells(const Entry& entry) {
  return is_marginal(entry.type) || entry.type == type::compaction_summary ||
         entry.type == type::branch_summary;
}

Entry without_content(const Entry& entry) {
  Entry out = entry;
  out.meta.clear();
  if (const auto message =
          entry.type == type::message ? message_from_json(entry.payload) : std::nullopt) {
    out.payload = to_json(masked(*message));
    return out;
  }
  Json payload = parse_json(entry.payload).value_or(Json::object());
  each_saying(payload, [](Json& text) { text = mask; });
  out.payload = dump(payload);
  return out;
}

}  // namespace

Scrubbing scrubbing_of(const Entry& target, std::span<const std::string> named) {
  Scrubbing out{.target = target};
  out.secrets.assign(named.begin(), named.end());
  for (const JsonText* part : {&target.payload, &target.meta}) {
    Json json = parse_json(*part).value_or(Json());
    each_saying(json, [&](const Json& text) { take_text(text.get<std::string>(), out); });
    collect_blobs(json, out.blobs);
  }
  if (target.type == type::message) out.title = preview(target, 60);
  if (out.title == mask) out.title.clear();  // it has been scrubbed before
  // The longer ones first: a line is gone with the text it is part of.
  for (std::vector<std::string>* all : {&out.texts, &out.secrets})
    std::ranges::stable_sort(*all, std::greater{}, &std::string::size);
  return out;
}

std::optional<Entry> scrubbed(const Entry& entry, const Scrubbing& what) {
  if (entry.id == what.target.id && entry.payload == what.target.payload) {
    Entry out = without_content(entry);
    return out == entry ? std::nullopt : std::optional(std::move(out));
  }
  Entry out = entry;
  bool changed = false;
  for (JsonText* part : {&out.payload, &out.meta}) {
    std::optional<Json> json = parse_json(*part);
    if (!json) continue;
    bool any = false;
    each_saying(*json, [&](Json& value) {
      std::string text = value.get<std::string>();
      bool found = entry.type == type::custom && !what.title.empty() && text == what.title;
      if (found) text = mask;
      for (const std::string& secret : what.secrets) found = replace_all(text, secret) || found;
      if (retells(entry))
        for (const std::string& piece : what.texts) found = replace_all(text, piece) || found;
      if (found) value = text;
      any = any || found;
    });
    if (any) *part = dump(*json);
    changed = changed || any;
  }
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

bool gives_away(std::string_view bytes, const Scrubbing& what) {
  for (const std::vector<std::string>* all : {&what.texts, &what.secrets})
    for (const std::string& piece : *all) {
      const JsonText quoted = json_line(json_string(piece));
      if (bytes.find(piece) != std::string_view::npos ||
          bytes.find(std::string_view(quoted).substr(1, quoted.size() - 2)) !=
              std::string_view::npos)
        return true;
    }
  return bytes.find("\"id\":\"" + to_string(what.target.id) + "\"") != std::string_view::npos;
}

}  // namespace skein
