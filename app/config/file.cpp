#include "app/config/file.h"

#include <toml++/toml.h>

#include "core/text/text.h"
#include "repl/terminal/key_map.h"

namespace skein::config {

namespace {

// What the parser says of the mistakes that people make, and what it means.
struct Meaning {
  std::string_view parts;  // separated by |
  std::string_view sentence;
};
constexpr Meaning meanings[] = {
    {"control characters other than TAB", "the text has no closing quote on its line"},
    {"parsing string: encountered end-of-file", "the text has no closing quote"},
    {"could not determine value type|parsing boolean|expected 'true'|expected 'false'|expected "
     "'nan'|expected 'inf'",
     "text goes in quotes: name = \"value\""},
    {"expected value-terminator|expected a comment or whitespace",
     "unexpected text after the value"},
    {"expected '='|parsing key-value pair: encountered end-of-file", "expected name = value"},
    {"cannot redefine", "this is set twice in the file"},
    {"parsing key-value pair: expected value", "there is no value after the ="},
    {"parsing array", "the list is not closed with ] or has no comma between two values"},
    {"parsing table header", "a table begins with [name] on its own line"},
};

std::string plain_words(std::string_view description) {
  for (const auto& [parts, sentence] : meanings)
    if (has_any_of(description, split(parts, '|'))) return std::string(sentence);
  return "this is not TOML: " + std::string(description);
}

// What was found, for the sentence that says it should be something else.
std::string shown(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>())
    return "\"" + std::string(utf8_prefix(*text, 40)) + (text->size() > 40 ? "…\"" : "\"");
  if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto number = node.value_exact<double>()) {
    std::string out = std::to_string(*number);
    while (out.ends_with('0') && !out.ends_with(".0")) out.pop_back();
    return out;
  }
  return node.is_table() ? "a table" : node.is_array() ? "such a list" : "a date";
}

// Puts the value into `item`; false: it is not of the key's kind.
bool take(const toml::node& node, Item& item) {
  const Values& values = item.key->values;
  const auto in_range = [&](double number) {
    item.number = number;
    return number >= values.least && number <= values.most;
  };
  switch (values.kind) {
    case Kind::text:
    case Kind::choice:
      item.text = node.value_exact<std::string>().value_or("");
      return node.is_string() && (values.kind == Kind::text || is_choice(*item.key, item.text));
    case Kind::age:
      item.text = node.value_exact<std::string>().value_or("");
      return duration_ms(item.text).has_value();
    case Kind::whole:
      return node.is_integer() && in_range(static_cast<double>(*node.value_exact<std::int64_t>()));
    case Kind::number: return node.is_number() && in_range(*node.value<double>());
    case Kind::truth:
      item.truth = node.value_exact<bool>().value_or(false);
      return node.is_boolean();
    case Kind::pairs:
      if (const toml::table* pairs = node.as_table())
        for (const auto& [name, value] : *pairs) {
          if (!value.is_string()) return false;
          item.pairs[std::string(name.str())] = *value.value<std::string>();
        }
      return node.is_table();
    case Kind::rules:
    case Kind::models:
    case Kind::names:
    case Kind::words:
    case Kind::chords:
      if (node.is_string()) item.list.push_back(*node.value<std::string>());
      if (const toml::array* list = node.as_array())
        for (const toml::node& each : *list) {
          if (!each.is_string()) return false;
          item.list.push_back(*each.value<std::string>());
        }
      return node.is_string() || node.is_array();
  }
  return false;
}

bool counts(const Key& key, Writer writer) {
  return writer == Writer::user || key.workspace == Key::Workspace::tightens ||
         (key.workspace == Key::Workspace::trusted && writer == Writer::trusted_workspace);
}

std::size_t line_of(const toml::key& key) { return key.source().begin.line; }

void note(std::vector<std::string>& list, std::string_view name) {
  if (std::ranges::find(list, name) == list.end()) list.emplace_back(name);
}

}  // namespace

// Walks the parsed file and fills a File; toml++ stays in this file.
class Reader {
 public:
  Reader(File& into, Writer writer) : into_(into), writer_(writer) {}

  void read(const std::string& text) try {
    top(toml::parse(text, into_.path_));
    std::ranges::stable_sort(into_.items_, {}, &Item::key);
  } catch (const toml::parse_error& error) {
    into_.trouble(error.source().begin.line, plain_words(error.description()));
  }

 private:
  void top(const toml::table& root) {
    for (const auto& [key, node] : root) {
      const std::string_view name = key.str();
      const Key* known = find_key("", name);
      if (known != nullptr)
        value(*known, key, node, {}, name);
      else if (const Table* const known_table = find_table(name))
        table(*known_table, key, node);
      else if (const RemovedKey* const removed = find_removed_key(name))
        into_.notices_.push_back(into_.located(
            line_of(key), std::string(name) + " was removed: " + std::string(removed->instead)));
      else
        unknown("", key, name);
    }
  }

  // [expiry], [aliases], or all the [providers.NAME].
  void table(const Table& table, const toml::key& key, const toml::node& node) {
    using Shape = Table::Shape;
    const std::string kind(key.str());
    const bool flat = table.shape == Shape::names, plain = table.shape == Shape::once;
    if (flat && find_key(kind, "")->workspace == Key::Workspace::never) {
      if (writer_ != Writer::user) return note(into_.passed_over_, kind);
    } else if (!plain) {
      note(into_.wants_, kind);
    }
    if (writer_ == Writer::workspace && !plain) return;
    const toml::table* names = node.as_table();
    if (names == nullptr)
      return wrong(key, kind + " is a table: [" + kind + (flat || plain ? "]" : ".NAME]"));
    if (plain) return read_fields(kind, *names, {}, kind);
    for (const auto& [name, below] : *names) {
      const std::string owner(name.str());
      if (flat) {
        value(*find_key(kind, ""), name, below, owner, kind + "." + owner);
      } else if (table.shape == Shape::repeated) {
        entries(kind, name, below);
      } else if (const toml::table* fields = below.as_table()) {
        entry(kind, name, *fields, owner);
      } else {
        wrong(name, kind + "." + owner + " is a table: [" + kind + ".NAME]");
      }
    }
  }

  // All the [[hooks.NAME]].
  void entries(const std::string& kind, const toml::key& owner, const toml::node& node) {
    const std::string name(owner.str());
    if (!hooks::parse_event(name)) return unknown_event(owner);
    const toml::array* list = node.as_array();
    std::size_t place = 0;
    if (list == nullptr)
      return wrong(owner,
                   kind + "." + name + " is a list of tables: [[" + kind + "." + name + "]]");
    for (const toml::node& each : *list) {
      const toml::table* fields = each.as_table();
      if (fields == nullptr || !fields->contains("command"))
        return wrong(owner, "a table [[" + kind + "." + name + "]] needs a command");
      entry(kind, owner, *fields, name + "." + std::to_string(++place));
    }
  }

  void unknown_event(const toml::key& at) {
    std::vector<std::string_view> names;
    for (const hooks::EventFacts& each : hooks::events()) names.push_back(each.name);
    wrong(at, "there is no event " + std::string(at.str()) + " for hooks; " +
                  guess_or_all(at.str(), names));
  }

  // [providers.NAME]
  void entry(const std::string& kind, const toml::key& owner, const toml::table& given,
             const std::string& name) {
    const auto row = std::ranges::find(keys(), kind, &Key::table);
    into_.tables_.push_back({row->table, name, line_of(owner), given.contains("like")});
    read_fields(kind, given, name, kind + "." + name);
  }

  // `before`: what their full names begin with.
  void read_fields(const std::string& kind, const toml::table& given, const std::string& owner,
                   const std::string& before) {
    for (const auto& [key, node] : given) {
      const std::string full_name = before + "." + std::string(key.str());
      if (const Key* known = find_key(kind, key.str()))
        value(*known, key, node, owner, full_name);
      else
        unknown(kind, key, full_name);
    }
  }

  void value(const Key& key, const toml::key& at, const toml::node& node, std::string owner,
             std::string_view full_name) {
    if (key.workspace == Key::Workspace::trusted && key.table.empty()) note(into_.wants_, key.name);
    if (!counts(key, writer_)) {
      if (key.workspace == Key::Workspace::never) note(into_.passed_over_, full_name);
      return;
    }
    Item item{.key = &key, .owner = std::move(owner), .line = line_of(at)};
    if (!take(node, item))
      return wrong(at, std::string(full_name) + " takes " + expected(key) + ", not " + shown(node));
    // A text of nothing is as good as no text.
    if (key.values.kind != Kind::text || !item.text.empty())
      into_.items_.push_back(std::move(item));
  }

  void unknown(std::string_view kind, const toml::key& at, std::string_view full_name) {
    if (writer_ == Writer::workspace) return note(into_.passed_over_, at.str());
    std::vector<std::string_view> names;
    for (const Key& key : keys()) {
      if (key.table == kind) names.push_back(key.name);
      if (kind.empty() && std::ranges::find(names, key.table) == names.end())
        names.push_back(key.table);
    }
    wrong(at, "there is no key " + std::string(full_name) + "; " + guess(at.str(), names));
  }

  void wrong(const toml::key& at, const std::string& sentence) {
    into_.trouble(line_of(at), sentence);
  }

  File& into_;
  Writer writer_;
};

File::File(std::string path, const std::string& text, Writer writer) : path_(std::move(path)) {
  Reader(*this, writer).read(text);
}

std::string File::located(std::size_t line, const std::string& sentence) const {
  return path_ + ":" + std::to_string(line) + ": " + sentence;
}

void File::trouble(std::size_t line, const std::string& sentence) {
  troubles_.emplace(line, located(line, sentence));
}

std::vector<std::string> File::troubles() const {
  std::vector<std::string> out;
  for (const auto& [line, sentence] : troubles_) out.push_back(sentence);
  return out;
}

void File::apply(Target to, const See& see) {
  to.file = path_;
  for (const Item& item : items_) try {
      if (!item.key->apply(to, item))
        note(passed_over_, item.key->name);
      else if (see)
        see(item, path_);
    } catch (const Error& error) {  // it says what is wrong; here is known where
      trouble(item.line, error.what());
    }
  check_names(to.catalog);
  check_chords(to.config);
}

// Whether a key is given twice is known only when all actions have theirs.
void File::check_chords(const Config& config) try {
  terminal::KeyMap{config.keys};
} catch (const Error& error) {
  std::size_t line = 0;
  for (const Item& item : items_) {
    if (item.key->table != "keys") continue;
    if (troubles_.contains(item.line)) return;  // what follows from that is no news
    line = std::max(line, item.line);
  }
  if (line > 0) trouble(line, error.what());
}

// Names of providers and models can be judged only when all tables have been read.
void File::check_names(const catalog::Catalog& catalog) {
  const auto parses = [&](std::size_t line, const std::string& what, const std::string& model) {
    try {
      catalog.parse(model);
    } catch (const Error& error) {
      trouble(line, what + ": " + error.what());
    }
  };
  for (const Table& table : tables_) {
    const std::string name = std::string(table.kind) + "." + table.name;
    if (table.kind == "models" && table.name.find('/') == std::string::npos)
      trouble(table.line,
              "a [models] table is named \"PROVIDER/MODEL\", not \"" + table.name + "\"");
    else if (table.kind == "models")
      parses(table.line, name, table.name);
    else if (table.kind == "providers" && !table.like &&
             catalog.find_provider(table.name) == nullptr)
      trouble(table.line,
              name + " is not a provider that skein knows; set its format: like = \"openai\"");
  }
  for (const Item& item : items_) {
    if (item.key->name == "model") parses(item.line, "model", item.text);
    if (item.key->values.kind == Kind::models)
      for (const std::string& model : item.list) parses(item.line, "fallback", model);
    if (item.key->table != "aliases") continue;
    const bool chained = std::ranges::any_of(items_, [&](const Item& other) {
      return other.key->table == "aliases" && other.owner == item.text;
    });
    if (chained)
      trouble(item.line,
              "aliases." + item.owner + " refers to another alias; name the model itself");
    else
      parses(item.line, "aliases." + item.owner, item.text);
  }
}

}  // namespace skein::config
