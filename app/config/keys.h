// Every key a configuration file may hold, each with all there is to know about it. Reading,
// checking, applying, `skein help config`, the flags in --help and the README's list are functions
// of this one table: a key that has no row does not exist.
#pragma once

#include "app/config/config.h"
#include "providers/catalog/catalog.h"

namespace skein::config {

struct Item;

// What keys are applied to, and on whose word.
struct Target {
  Config& config;
  catalog::Catalog& catalog;
  permission::Rule::Origin origin = permission::Rule::Origin::configuration;
  std::string workspace{};  // whose word it is, if it is a workspace's
  std::string file{};       // that it is in
  bool by_client = false;   // a program that drives skein: it raises no limit of the user's
  bool by_workspace() const { return origin == permission::Rule::Origin::workspace; }
};

// 0 is no limit, so it loosens every other. False: `limit` stays, since `given` would loosen it.
template <class Number>
bool set_limit(const Target& to, Number& limit, Number given) {
  const bool only_tightens = to.by_workspace() || to.by_client;
  if (only_tightens && limit > 0 && (given == 0 || given > limit)) return false;
  limit = given;
  return true;
}

enum class Kind {
  text,
  age,
  choice,
  whole,
  number,
  truth,
  rules,
  models,
  names,
  words,
  pairs,
  chords
};

// What a key may be set to.
struct Values {
  Kind kind;
  std::string_view choices{};  // "auto|always|never"
  double least = 0, most = 0;  // of numbers
};

struct Key {
  // What of a workspace's file counts: nothing; what takes something away; all, once it is trusted.
  enum class Workspace { never, tightens, trusted };

  std::string_view name;  // "": any, as in [aliases] and [keys]
  Values values;
  std::string_view otherwise;  // what holds if it is left out, for people
  Workspace workspace;
  std::string_view meaning;
  // False: passed over, because it would loosen what its writer may only tighten. Throws Error if
  // the value makes no sense.
  bool (*apply)(Target&, const Item&);
  std::string_view table{};  // "": above all of them
};

// A key that was found in a file, with a value of its kind.
struct Item {
  const Key* key = nullptr;
  // The NAME of [providers.NAME], [models.NAME] and [mcp.NAME], an alias or an action; of a
  // repeated table NAME.N, counted from 1.
  std::string owner{};
  std::string text{};
  double number = 0;
  bool truth = false;
  std::vector<std::string> list{};  // rules, models, names, words or chords
  std::map<std::string, std::string> pairs{};
  std::size_t line = 0;
};

// A table of the file. There are no others: see tables().
struct Table {
  enum class Shape {
    once,        // [expiry]: its own keys
    names,       // [aliases]: names that the user makes up, with a value for each
    for_a_name,  // [providers.NAME]: its own keys for each such name
    repeated,    // [[hooks.NAME]]: the same, any number of times
  };
  std::string_view name;
  Shape shape;
  std::string_view heading;  // as a file has it: "[providers.NAME]"
  std::span<const Key> (*rows)();
};
// In the order in which they are applied.
std::span<const Table> tables();
const Table* find_table(std::string_view name);  // null: there is none

std::span<const Key> keys();
const Key* find_key(std::string_view table, std::string_view name);  // null: there is none
// A table that is there once, not once for each name.
bool is_plain_table(std::string_view name);

// A top-level key of earlier versions. A file may still hold it: it sets nothing, and `instead`
// says what to do. Null: the name was never a key.
struct RemovedKey {
  std::string_view name;
  std::string_view instead;
};
const RemovedKey* find_removed_key(std::string_view name);

// "did you mean x?"; where no known name is near, `otherwise`.
std::string guess(std::string_view word, std::span<const std::string_view> known,
                  const std::string& otherwise = "`skein help config` lists them");
std::string guess_or_all(std::string_view word, std::span<const std::string_view> known);

bool is_choice(const Key& key, std::string_view text);
// "a whole number from 1 to 1000000"
std::string expected(const Key& key);

// What may stand behind its "=", in short: "true|false", "1…1000", "TEXT".
std::string sample(const Key& key);

// The whole table for people to read.
std::string describe_keys();

}  // namespace skein::config
