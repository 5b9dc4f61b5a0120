#include "core/model/scrub.h"

#include "core/model/payloads.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::model {

namespace {

constexpr std::string_view mask = redacted_text;
constexpr std::size_t least_text = 16;    // below this, the same words are no sign of anything
constexpr std::size_t least_secret = 20;  // of a word that mixes letters and digits

// Members whose values say how entries hang together, not what was said.
constexpr std::string_view structure =
    "role type id name kind tool_use_id provider model stopReason entryId targetEntryId "
    "firstKeptEntryId sourceSessionId sourceEntryId sessionId messageId mimeType blob key";

// Hashes are hex throughout, and occur in many places for good reasons.
bool looks_like_a_key(std::string_view word) {
  constexpr std::string_view beginnings[] = {"sk-", "ghp_", "gho_",   "github_pat_", "AKIA", "AIza",
                                             "xox", "eyJ",  "glpat-", "hf_",         "npm_"};
  const bool known = std::ranges::any_of(
      beginnings, [&](std::string_view each) { return word.starts_with(each); });
  const auto is_plain = [](char c) {
    return is_alphanumeric(c) || std::string_view("_-+=").find(c) != std::string_view::npos;
  };
  const auto is_no_hex = [](char c) { return is_letter(c) && !is_hex_digit(c); };
  return word.size() >= least_secret &&
         (known || (std::ranges::any_of(word, is_digit) && std::ranges::any_of(word, is_no_hex) &&
                    std::ranges::all_of(word, is_plain)));
}

std::string json_form(std::string_view piece) {
  const JsonText json = json_line(json_string(piece));
  return json.substr(1, json.size() - 2);
}

// As programs write it that know no character beyond ASCII.
std::string ascii_form(const std::string& piece) {
  const std::string json =
      Json(valid_utf8(piece)).dump(-1, ' ', true, Json::error_handler_t::replace);
  return json.substr(1, json.size() - 2);
}

void add(std::vector<std::string>& to, std::string piece) {
  if (std::ranges::find(to, piece) == to.end()) to.push_back(std::move(piece));
}

void add_forms(std::vector<std::string>& to, const std::string& piece) {
  for (const std::string& form :
       {piece, json_form(piece), ascii_form(piece), escaped_line(piece)}) {
    add(to, form);
    add(to, json_form(form));  // where it was quoted before it was written
  }
}

void take_text(std::string_view text, Scrubbing& out) {
  const std::string whole(trimmed(text));
  if (whole == mask) return;  // it has been scrubbed before
  if (whole.size() >= least_text)
    add_forms(out.texts, whole);
  else if (!whole.empty())
    add(out.alone, whole);
  for (const std::string_view each : split(text, '\n'))
    if (const auto line = trimmed(each); line.size() >= least_text && line.size() < whole.size())
      add_forms(out.lines, std::string(line));
  constexpr std::string_view separators = " \t\r\n\"'`,;:()[]{}<>|&$";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = std::min(text.find_first_not_of(separators, at), text.size());
    const std::size_t end = std::min(text.find_first_of(separators, from), text.size());
    std::string_view word = text.substr(from, end - from);
    // NAME=value
    if (const std::size_t equals = word.find('=');
        equals != std::string_view::npos && equals + least_secret < word.size())
      word.remove_prefix(equals + 1);
    if (looks_like_a_key(word)) add_forms(out.secrets, std::string(word));
    at = end + 1;
  }
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
    if (free_form || !each.is_string() || !has_word(structure, key) || (key == "name" && !call))
      each_saying(each, visit, free_form || key == "input");
}

void collect_blobs(const Json& value, std::vector<std::string>& out) {
  if (value.is_object())
    if (std::string blob = string_at(value, "blob"); !blob.empty()) out.push_back(std::move(blob));
  if (value.is_structured())
    for (const Json& each : value) collect_blobs(each, out);
}

bool replace_all(std::string& text, const std::vector<std::string>& needles) {
  bool any = false;
  for (const std::string& needle : needles)
    for (std::size_t at = 0; (at = text.find(needle, at)) != std::string::npos;) {
      text.replace(at, needle.size(), mask);
      at += mask.size();
      any = true;
    }
  return any;
}

// Replaces in a string of JSON all of it, or the pieces that are in it. Whether any were.
bool clean(Json& value, bool whole, std::initializer_list<const std::vector<std::string>*> pieces) {
  std::string text = whole ? std::string(mask) : value.get<std::string>();
  bool found = whole;
  for (const auto* each : pieces) found = replace_all(text, *each) || found;
  if (found) value = text;
  return found;
}

bool is_one_of(std::string_view text, const std::vector<std::string>& all) {
  return std::ranges::find(all, trimmed(text)) != all.end();
}

// What retells others: here even a sentence of it is too much.
bool retells(const Entry& entry) {
  return is_marginal(entry.type) || entry.type == type::compaction_summary ||
         entry.type == type::branch_summary;
}

// What was written down of an answer while it came: cut anywhere, so no text of it need be whole.
bool is_piece_of(const Entry& entry, Id message) {
  if (entry.type != type::message_delta_batch) return false;
  const auto batch = read_as<payload::MessageDeltaBatch>(entry);
  return batch && batch->message == message;
}

Entry without_content(const Entry& entry) {
  Entry out = entry;
  out.meta.clear();
  if (const auto message = message_of(entry)) {
    out.payload = to_json(masked(*message));
    return out;
  }
  Json payload = parse_json(entry.payload).value_or(Json::object());
  each_saying(payload, [](Json& text) { text = mask; });
  out.payload = dump(payload);
  return out;
}

std::string target_id(const Scrubbing& what) {
  return "\"id\":\"" + to_string(what.target.id) + "\"";
}

// JSON that is not an entry: an older form, a draft, what another program left.
Json without(Json json, const Scrubbing& what) {
  const bool target = string_at(json, "id") == to_string(what.target.id);
  each_saying(json, [&](Json& value) {
    clean(value, target || is_one_of(value.get_ref<const std::string&>(), what.alone),
          {&what.texts, &what.lines, &what.secrets});
  });
  return json;
}

}  // namespace

Scrubbing scrubbing_of(const Entry& target, std::span<const std::string> named) {
  Scrubbing out{.target = target};
  for (const std::string& each : named) add_forms(out.secrets, each);
  widen(out, target);
  return out;
}

void widen(Scrubbing& what, const Entry& copy) {
  for (const JsonText* part : {&copy.payload, &copy.meta}) {
    Json json = parse_json(*part).value_or(Json());
    each_saying(json, [&](const Json& text) { take_text(text.get<std::string>(), what); });
    collect_blobs(json, what.blobs);
  }
  if (copy.type == type::message && what.title.empty()) what.title = preview(copy, 60);
  if (what.title == mask) what.title.clear();
  // The longer ones first: a line is gone with the text it is part of.
  for (std::vector<std::string>* all : {&what.texts, &what.lines, &what.secrets})
    std::ranges::stable_sort(*all, std::greater{}, &std::string::size);
}

std::optional<Entry> scrubbed(const Entry& entry, const Scrubbing& what) {
  if ((entry.id == what.target.id && entry.payload == what.target.payload) ||
      is_piece_of(entry, what.target.id)) {
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
      const bool title = entry.type == type::custom && !what.title.empty() && value == what.title;
      any = clean(value, title, {&what.texts, &what.secrets}) || any;
      any = (retells(entry) && clean(value, false, {&what.lines})) || any;
    });
    if (any) *part = dump(*json);
    changed = changed || any;
  }
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

bool repeats(const Entry& entry, const Scrubbing& what) {
  bool found = false;
  for (const JsonText* part : {&entry.payload, &entry.meta}) {
    Json json = parse_json(*part).value_or(Json());
    each_saying(json, [&](const Json& value) {
      const std::string& text = value.get_ref<const std::string&>();
      found = found || is_one_of(text, what.alone) || has_any_of(text, what.lines);
    });
  }
  return found;
}

bool holds(std::string_view bytes, const Scrubbing& what) {
  return has_any_of(bytes, what.texts) || has_any_of(bytes, what.secrets) ||
         bytes.find(target_id(what)) != std::string_view::npos;
}

bool gives_away(std::string_view bytes, const Scrubbing& what) {
  return holds(bytes, what) || has_any_of(bytes, what.lines) || is_one_of(bytes, what.alone);
}

bool may_give_away(std::string_view bytes, const Scrubbing& what) {
  return gives_away(bytes, what) || std::ranges::any_of(what.alone, [&](const std::string& each) {
           return bytes.find('"' + json_form(each)) != std::string_view::npos;
         });
}

std::string without(std::string_view bytes, const Scrubbing& what) {
  // As it is if it says nothing of it; nothing if it is no JSON, or says it all the same.
  const auto cleaned = [&](std::string_view text) -> std::optional<std::string> {
    const std::optional<Json> json = parse_json(text);
    if (!json || !json->is_structured()) return std::nullopt;
    const Json clean = without(*json, what);
    std::string out = clean == *json ? std::string(text) : json_line(dump(clean)) + "\n";
    const bool says =
        has_any_of(out, what.texts) || has_any_of(out, what.lines) || has_any_of(out, what.secrets);
    return says ? std::nullopt : std::optional(std::move(out));
  };
  if (const auto whole = cleaned(bytes)) return *whole;
  std::string kept;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    const std::string_view line = bytes.substr(at, end - at);
    at = end;
    const auto clean = may_give_away(line, what) ? cleaned(line) : std::nullopt;
    if (clean || !gives_away(line, what)) kept += clean.value_or(std::string(line));
  }
  // A text that spans several lines.
  return has_any_of(kept, what.texts) || has_any_of(kept, what.secrets) ? std::string{} : kept;
}

Message masked(Message message) {
  const bool said_something = !message.content.empty();
  const auto text_only = [](Text& text) { text = Text{redacted_text}; };
  for (Block& block : message.content) {
    if (auto* text = std::get_if<Text>(&block)) text_only(*text);
    if (auto* call = std::get_if<ToolUse>(&block)) *call = ToolUse{call->id, call->name};
    if (auto* result = std::get_if<ToolResult>(&block))
      *result = ToolResult{result->tool_use_id, {Text{redacted_text}}, result->is_error};
  }
  // Thinking, images and what we do not know cannot be masked in place, so they go.
  std::erase_if(message.content, [](const Block& block) {
    return std::holds_alternative<Thinking>(block) || std::holds_alternative<Image>(block) ||
           std::holds_alternative<Opaque>(block);
  });
  if (said_something && message.content.empty()) message.content.emplace_back(Text{redacted_text});
  message.error.clear();
  return message;
}

Entry masked(const Entry& entry, const std::set<Id>& redacted) {
  if (redacted.empty()) return entry;
  // The pieces of an answer say what it says.
  const auto pieces = entry.type == type::message_delta_batch
                          ? read_as<payload::MessageDeltaBatch>(entry)
                          : std::nullopt;
  if (!redacted.contains(pieces ? pieces->message : entry.id)) return entry;
  Entry out = entry;
  const auto message = message_of(entry);
  out.payload = message ? to_json(masked(*message)) : dump({{"redacted", true}});
  out.meta.clear();
  return out;
}

}  // namespace skein::model
