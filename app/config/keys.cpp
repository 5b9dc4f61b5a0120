#include "app/config/keys.h"

#include <algorithm>
#include <cmath>

#include "app/config/rows.h"

namespace skein::config {

namespace {

using enum Key::Workspace;

std::string plain(double number) {
  return std::to_string(static_cast<std::int64_t>(std::floor(number)));
}

std::string_view who(Key::Workspace workspace) {
  switch (workspace) {
    case never: return "";
    case tightens: return " [workspace: to tighten]";
    case trusted: return " [workspace: if trusted]";
  }
  return "";
}

}  // namespace

// A provider begins as a copy of the one it is like, and models and aliases speak of providers.
std::span<const Table> tables() {
  using enum Table::Shape;
  static constexpr Table all[] = {
      {"expiry", once, "[expiry]", rows::expiry_rows},
      {"statusline", once, "[statusline]", rows::statusline_rows},
      {"keys", names, "[keys]", rows::chord_rows},
      {"colors", names, "[colors]", rows::color_rows},
      {"providers", for_a_name, "[providers.NAME]", rows::provider_rows},
      {"models", for_a_name, "[models.\"PROVIDER/MODEL\"]", rows::model_rows},
      {"mcp", for_a_name, "[mcp.NAME]", rows::server_rows},
      {"hooks", repeated, "[[hooks.EVENT]]", rows::hook_rows},
      {"aliases", names, "[aliases]", rows::alias_rows},
  };
  return all;
}

const Table* find_table(std::string_view name) {
  const auto found = std::ranges::find(tables(), name, &Table::name);
  return found == tables().end() ? nullptr : &*found;
}

std::span<const Key> keys() {
  static const std::vector<Key> all = [] {
    const std::span<const Key> general = rows::general_rows();
    std::vector<Key> list(general.begin(), general.end());
    for (const Table& table : tables()) {
      const std::span<const Key> part = table.rows();
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }();
  return all;
}

const Key* find_key(std::string_view of, std::string_view name) {
  const std::span<const Key> all = keys();
  const auto found = std::ranges::find_if(all, [&](const Key& key) {
    return key.table == of && (key.name == name || key.name.empty());
  });
  return found == all.end() ? nullptr : &*found;
}

bool is_plain_table(std::string_view name) {
  const Table* const table = find_table(name);
  return table != nullptr && table->shape == Table::Shape::once;
}

bool is_repeated_table(std::string_view name) {
  const Table* const table = find_table(name);
  return table != nullptr && table->shape == Table::Shape::repeated;
}

const Key& key_named(std::string_view name) { return *find_key("", name); }

bool is_choice(const Key& key, std::string_view given) {
  return !given.empty() && given.find('|') == std::string_view::npos &&
         ("|" + std::string(key.values.choices) + "|").find("|" + std::string(given) + "|") !=
             std::string::npos;
}

std::string choices_of(const Key& key) {
  std::string out(key.values.choices);
  if (const std::size_t last = out.rfind('|'); last != std::string::npos)
    out.replace(last, 1, " or ");
  for (std::size_t at = 0; (at = out.find('|')) != std::string::npos;) out.replace(at, 1, ", ");
  return out;
}

std::string expected(const Key& key) {
  const std::string range = " from " + plain(key.values.least) + " to " + plain(key.values.most);
  switch (key.values.kind) {
    case Kind::text: return "a text in quotes";
    case Kind::age: return "a length of time, as in \"30d\"";
    case Kind::choice: return choices_of(key);
    case Kind::whole: return "a whole number" + range;
    case Kind::number: return "a number" + range;
    case Kind::truth: return "true or false";
    case Kind::rules: return "rules, as in [\"read\", \"bash(git status)\"]";
    case Kind::models: return "a list of models, as in [\"PROVIDER/MODEL\"]";
    case Kind::names: return "a list of names of files, as in [\".skeinignore\"]";
    case Kind::words: return "a list of texts, as in [\"a\", \"b\"]";
    case Kind::pairs: return "names and texts, as in { NAME = \"value\" }";
    case Kind::chords: return "a key or a list of keys, as in [\"ctrl+g\", \"ctrl+x ctrl+e\"]";
  }
  return {};
}

std::string sample(const Key& key) {
  switch (key.values.kind) {
    case Kind::text: return "TEXT";
    case Kind::age: return "AGE";
    case Kind::choice: return std::string(key.values.choices);
    case Kind::whole:
    case Kind::number: return plain(key.values.least) + "…" + plain(key.values.most);
    case Kind::truth: return "true|false";
    case Kind::rules: return "RULES";
    case Kind::models: return "MODELS";
    case Kind::names: return "NAMES";
    case Kind::words: return "[TEXT, …]";
    case Kind::pairs: return "{ NAME = TEXT, … }";
    case Kind::chords: return "KEY|[KEY, …]";
  }
  return {};
}

std::string_view heading(std::string_view of) {
  const Table* const table = find_table(of);
  return table == nullptr ? std::string_view{} : table->heading;
}

std::string describe_keys() {
  std::string out;
  std::string_view under;
  for (const Key& key : keys()) {
    const std::string place(who(key.workspace));  // the same for all of a table
    if (key.table != under) out += "\n" + std::string(heading(under = key.table)) + place + "\n";
    out += (key.name.empty() ? "NAME" : std::string(key.name)) + " = " + sample(key) + "\n    " +
           std::string(key.meaning) + " (default: " + std::string(key.otherwise) + ")" +
           (under.empty() ? place : "") + "\n";
  }
  return out;
}

}  // namespace skein::config
