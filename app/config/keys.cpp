#include "app/config/keys.h"

#include "core/text/text.h"

namespace skein::config {

namespace {

std::string plain(double number) {
  return std::to_string(static_cast<std::int64_t>(std::floor(number)));
}

constexpr RemovedKey removed_keys[] = {
    {"agent-budget", "use turn-usd in [budget], which limits a turn with its sub-agents"},
    {"agents-wake", "use wake, for jobs and sub-agents"},
    {"background-on-timeout",
     "commands that time out continue as jobs; background = false turns all jobs off"},
    {"banner", "use quiet = true"},
    {"enter-while-busy",
     "use [keys]: steer = \"enter\", send = [\"enter\", \"alt+enter\"] and newline = "
     "\"ctrl+j\" swap the two keys"},
    {"handover-thinking", "thinking of other models is always left out"},
    {"jobs-wake", "use wake, for jobs and sub-agents"},
    {"keep-checkpoints", "the last 200 checkpoints of a session are always kept whole"},
    {"keep-deltas", "answers are always saved while they arrive"},
    {"max-instructions", "the limit is always 64 KiB; --no-instructions leaves the files out"},
    {"terminal-marks", "title and marks are always on where the terminal supports them"},
    {"web-fetch-typed",
     "URLs that you type are always fetched without a question; web-fetch = false turns the tool "
     "off"},
};

// By Key::Workspace.
constexpr std::string_view who[] = {"", " [workspace: only stricter]", " [workspace: if trusted]"};

struct KindWords {
  Kind kind;
  std::string_view expected, sample;
};
constexpr KindWords kind_words[] = {
    {Kind::text, "a text in quotes", "TEXT"},
    {Kind::age, "a duration, as in \"30d\"", "AGE"},
    {Kind::whole, "a whole number", ""},
    {Kind::number, "a number", ""},
    {Kind::truth, "true or false", "true|false"},
    {Kind::rules, "rules, as in [\"read\", \"bash(git status)\"]", "RULES"},
    {Kind::models, "a list of models, as in [\"PROVIDER/MODEL\"]", "MODELS"},
    {Kind::names, "a list of file names, as in [\".skeinignore\"]", "NAMES"},
    {Kind::words, "a list of texts, as in [\"a\", \"b\"]", "[TEXT, …]"},
    {Kind::pairs, "names and texts, as in { NAME = \"value\" }", "{ NAME = TEXT, … }"},
    {Kind::chords, "a key or a list of keys, as in [\"ctrl+g\", \"ctrl+x ctrl+e\"]",
     "KEY|[KEY, …]"},
};
const KindWords& words_of(Kind kind) {
  return *std::ranges::find(kind_words, kind, &KindWords::kind);
}

bool is_number(Kind kind) { return kind == Kind::whole || kind == Kind::number; }

}  // namespace

const Table* find_table(std::string_view name) {
  const auto found = std::ranges::find(tables(), name, &Table::name);
  return found == tables().end() ? nullptr : &*found;
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

const RemovedKey* find_removed_key(std::string_view name) {
  const auto found = std::ranges::find(removed_keys, name, &RemovedKey::name);
  return found == std::end(removed_keys) ? nullptr : &*found;
}

std::string guess(std::string_view word, std::span<const std::string_view> known,
                  const std::string& otherwise) {
  const std::string_view meant = nearest(word, known);
  return meant.empty() ? otherwise : "did you mean " + std::string(meant) + "?";
}

std::string guess_or_all(std::string_view word, std::span<const std::string_view> known) {
  return guess(word, known, "there are " + listed(known));
}

bool is_choice(const Key& key, std::string_view given) {
  return !given.empty() && given.find('|') == std::string_view::npos &&
         ("|" + std::string(key.values.choices) + "|").find("|" + std::string(given) + "|") !=
             std::string::npos;
}

std::string expected(const Key& key) {
  const Values& values = key.values;
  if (values.kind == Kind::choice) {  // "auto, always or never"
    std::string out(values.choices);
    if (const std::size_t last = out.rfind('|'); last != std::string::npos)
      out.replace(last, 1, " or ");
    for (std::size_t at = 0; (at = out.find('|')) != std::string::npos;) out.replace(at, 1, ", ");
    return out;
  }
  const std::string range = " from " + plain(values.least) + " to " + plain(values.most);
  return std::string(words_of(values.kind).expected) + (is_number(values.kind) ? range : "");
}

std::string sample(const Key& key) {
  const Values& values = key.values;
  if (values.kind == Kind::choice) return std::string(values.choices);
  if (is_number(values.kind)) return plain(values.least) + "…" + plain(values.most);
  return std::string(words_of(values.kind).sample);
}

std::string describe_keys() {
  std::string out;
  std::string_view under;
  for (const Key& key : keys()) {
    const std::string place(
        who[static_cast<std::size_t>(key.workspace)]);  // the same for all of a table
    if (key.table != under)
      out += "\n" + std::string(find_table(under = key.table)->heading) + place + "\n";
    out += (key.name.empty() ? "NAME" : std::string(key.name)) + " = " + sample(key) + "\n    " +
           std::string(key.meaning) + " (default: " + std::string(key.otherwise) + ")" +
           (under.empty() ? place : "") + "\n";
  }
  return out;
}

}  // namespace skein::config
