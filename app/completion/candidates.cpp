#include "app/completion/candidates.h"

#include "app/config/keys.h"
#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/setup/model_access.h"
#include "core/export/formats.h"
#include "core/import/formats.h"
#include "core/store/files/named_files.h"
#include "core/store/home/index/index_text.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"

namespace skein::completion {

using app::OptionRow, app::Subcommand, store::SessionRecord, store::home::IndexName;
using Shell = Candidates::Shell;

namespace {

const Subcommand* subcommand_named(std::string_view name) {
  const auto found = std::ranges::find(app::subcommands(), name, &Subcommand::name);
  return found == app::subcommands().end() || found->hidden() ? nullptr : &*found;
}

class ShellLineReader {
 public:
  TypedLine read(std::span<const std::string> words) {
    if (const std::string home = env("SKEIN_HOME"); app::is_absolute_home(home))
      line_.invocation.home = home;
    for (const std::string& word : words.first(words.size() - 1)) pass(word);
    last(words.back());
    return std::move(line_);
  }

 private:
  // Those of the subcommand come before skein's own, which it takes as well.
  const OptionRow* find(std::string_view name) const {
    for (const std::span<const OptionRow> rows : {command_options_, std::span(options_)})
      for (const OptionRow& row : rows)
        if (std::ranges::find(row.names, name) != row.names.end()) return &row;
    return nullptr;
  }

  // The option whose value follows the word `-pm`, or is part of it: `-mfast`.
  const OptionRow* valued(std::string_view word, std::string_view& rest) const {
    if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      rest = equals == std::string_view::npos ? "" : word.substr(equals + 1);
      const OptionRow* row = find(word.substr(0, equals));
      return row != nullptr && !row->value.empty() ? row : nullptr;
    }
    for (std::size_t letter = 1; letter < word.size(); ++letter)
      if (const OptionRow* row = find(std::string{'-', word[letter]});
          row != nullptr && !row->value.empty()) {
        rest = word.substr(letter + 1);
        return row;
      }
    return nullptr;
  }

  void keep(const OptionRow& row, std::string_view value) {
    if (row.names.back() == "--home") line_.invocation.home = value;
    if (row.names.back() == "--workspace") line_.invocation.workspace = value;
  }

  void pass(const std::string& word) {
    if (open_ != nullptr && !(open_->value_may_be_left_out && word.starts_with('-'))) {
      keep(*open_, word);
      open_ = nullptr;
      return;
    }
    open_ = nullptr;
    if (ended_ || !word.starts_with('-') || word == "-") return pass_word(word);
    if (word == "--") {
      ended_ = true;
      said_ = said_ || line_.command == nullptr;
      return;
    }
    std::string_view rest;
    const OptionRow* row = valued(word, rest);
    if (row == nullptr) return;
    if (rest.empty() && word.find('=') == std::string::npos)
      open_ = row;
    else
      keep(*row, rest);
  }

  void pass_word(const std::string& word) {
    const std::string name = line_.path.empty() ? word : line_.path + " " + word;
    const Subcommand* deeper = line_.arguments.empty() && !said_ ? subcommand_named(name) : nullptr;
    if (deeper != nullptr) {
      line_.path = name;
      line_.command = deeper;
      command_options_ = deeper->flags;
    } else {
      said_ = said_ || line_.command == nullptr;
      line_.arguments.push_back(word);
    }
  }

  void is_value_of(const OptionRow& row) {
    line_.what = TypedLine::What::value;
    line_.option = row.names.back();
    line_.value = row.value;
  }

  void last(const std::string& word) {
    line_.given = word;
    if (open_ != nullptr && !(open_->value_may_be_left_out && word.starts_with('-')))
      return is_value_of(*open_);
    if (!ended_ && word.starts_with('-')) {
      std::string_view rest;
      const OptionRow* row = word.find('=') == std::string::npos ? nullptr : valued(word, rest);
      line_.what = TypedLine::What::option;
      if (row == nullptr) return;
      line_.before = word.substr(0, word.size() - rest.size());
      line_.given = rest;
      return is_value_of(*row);
    }
    if (said_) {
      line_.what = TypedLine::What::prompt;
    } else if (line_.command != nullptr) {
      line_.value = argument_word(line_.command->arguments, line_.arguments.size());
    }
  }

  TypedLine line_{};
  const std::vector<OptionRow> options_ = app::options();
  std::span<const OptionRow> command_options_{};
  const OptionRow* open_ = nullptr;  // its value comes next
  bool ended_ = false;               // behind --
  bool said_ = false;                // the words are a prompt
};

namespace fs = std::filesystem;

constexpr std::size_t most = 200;

void add(Candidates& to, std::string_view text, std::string_view description) {
  to.all.push_back({std::string(text), std::string(description)});
}

void files(const TypedLine&, Candidates& to) { to.shell = Shell::files; }
void folders(const TypedLine&, Candidates& to) { to.shell = Shell::folders; }
void nothing(const TypedLine&, Candidates&) {}

void export_formats(const TypedLine&, Candidates& to) {
  for (const auto& format : exporters::formats()) add(to, format.name, format.help);
}

void import_formats(const TypedLine& line, Candidates& to) {
  if (line.option == "--from") add(to, "auto", "detect the format");
  if (line.option == "--origin") add(to, "own", "only skein's sessions");
  for (const auto& format : importers::formats()) add(to, format.name, format.agent);
}

// Those of tables that are there once for each name are known by the name's place.
void settings(const TypedLine&, Candidates& to) {
  for (const config::Key& key : config::keys())
    if (key.table.empty() || config::is_plain_table(key.table))
      add(to, (key.table.empty() ? "" : std::string(key.table) + ".") + std::string(key.name),
          key.meaning);
}

// The names that follow `path`.
void subcommands_below(std::string_view path, Candidates& to) {
  const std::string before = path.empty() ? "" : std::string(path) + " ";
  for (const Subcommand& row : app::subcommands())
    if (!row.hidden() && row.name.starts_with(before) && row.name.size() > before.size() &&
        row.name.find(' ', before.size()) == std::string_view::npos)
      add(to, row.name.substr(before.size()), row.help);
}

void topics(const TypedLine& line, Candidates& to) {
  subcommands_below(listed(line.arguments, " "), to);
}

// A home that is there: one that is not would be made by opening it.
bool has_home(const TypedLine& line) {
  std::error_code ignored;
  return fs::is_directory(fs::path(app::home_folder(line.invocation)) / "transcripts", ignored);
}

struct SessionName {
  std::string key{}, title{}, used_at{};
  Id session{};
  std::int64_t messages = 0;
};

// Those whose key, title or id begins with what is typed, out of the index alone: looking at
// each of 10,000 transcripts, as a list does, would take longer than all the rest. Nothing: a
// session came or went since it was written.
std::optional<std::vector<SessionName>> indexed_sessions(const TypedLine& line,
                                                         bool only_archived) {
  const auto home = store::files::real_files(app::home_folder(line.invocation));
  const auto folder = store::files::stat(*home, "transcripts");
  if (!folder) return std::nullopt;
  std::vector<SessionName> found;
  const auto written = store::home::scan_index(*home, [&](const store::home::IndexRow& row) {
    const std::optional<IndexName> each = row.name();
    if (each && (each->archived || !only_archived) &&
        (each->key.starts_with(line.given) || each->title.starts_with(line.given) ||
         to_string(each->session).starts_with(line.given)))
      found.push_back({std::string(each->key), std::string(each->title), std::string(each->used_at),
                       each->session, each->messages});
    return each.has_value();
  });
  if (!written || written->folder_mtime_ns != folder->mtime_ns) return std::nullopt;
  std::ranges::sort(found, std::greater{}, &SessionName::used_at);
  return found;
}

std::vector<SessionName> listed_sessions(const TypedLine& line, bool only_archived) {
  std::vector<SessionName> out;
  for (const SessionRecord& record : app::open_store(line.invocation).list())
    if (record.archived || !only_archived)
      out.push_back({record.key, record.state.title, record.used_at(), record.header.session,
                     record.state.messages});
  return out;
}

void add_sessions(const TypedLine& line, Candidates& to, bool only_archived) {
  if (!has_home(line)) return;
  auto found = indexed_sessions(line, only_archived);
  if (!found) found = listed_sessions(line, only_archived);
  for (const auto& [key, title, used_at, session, messages] : *found) {
    const std::string id = to_string(session);
    if (key.starts_with(line.given))
      to.all.push_back(
          {key, title.empty() ? counted(static_cast<std::size_t>(messages), "turn") : title});
    if (line.given.empty()) continue;
    if (title.starts_with(line.given)) to.all.push_back({title, key});
    if (id.starts_with(line.given)) to.all.push_back({id, key + "  " + title});
  }
}

std::string size_and_price(const app::AvailableModel& model) {
  if (model.row.window == 0) return model.usable.why;
  const std::string price = app::short_price(model.row.prices);
  return app::thousands(model.row.window) + " window" + (price.empty() ? "" : ", " + price) +
         (model.usable.now ? "" : ", no key");
}

void sessions(const TypedLine& line, Candidates& to) { add_sessions(line, to, false); }
void archived_sessions(const TypedLine& line, Candidates& to) { add_sessions(line, to, true); }

void models(const TypedLine& line, Candidates& to) {
  catalog::Catalog catalog;
  app::load_config_anyway(line.invocation, app::workspace_folder(line.invocation), catalog);
  discovery::ModelCache cache(app::models_file(line.invocation));
  app::use_cache(catalog, cache);
  const providers::Keyring keys = app::gathered_keys(catalog);
  const std::vector<app::AvailableModel> all = app::available_models(catalog, keys);
  for (const auto& [alias, meaning] : catalog.aliases()) to.all.push_back({alias, meaning});
  // Those that can be asked now come first.
  for (const bool usable : {true, false})
    for (const app::AvailableModel& model : all)
      if (model.usable.now == usable && model.name != "NAME")
        to.all.push_back({model.provider + "/" + model.name, size_and_price(model)});
}

void providers(const TypedLine& line, Candidates& to) {
  catalog::Catalog catalog;
  app::load_config_anyway(line.invocation, app::workspace_folder(line.invocation), catalog);
  for (const catalog::ProviderRow& row : catalog.providers())
    to.all.push_back({std::string(row.name), catalog::base_url(row)});
}

// By what is to be given, and where: the first row that fits says what it may be.
struct Source {
  std::string_view value;
  std::string_view where;  // a subcommand or an option; empty: anywhere
  void (*fill)(const TypedLine&, Candidates&);
};
constexpr Source sources[] = {
    {"KEY", "--new-key", nothing},
    {"KEY", "--key", nothing},
    {"KEY", "config get", settings},
    {"KEY", "sessions restore", nothing},
    {"KEY", "sessions unarchive", archived_sessions},
    {"KEY", "", sessions},
    {"MODEL", "", models},
    {"PROVIDER", "", providers},
    {"FORMAT", "export", export_formats},
    {"FORMAT", "", import_formats},
    {"COMMAND", "", topics},
    {"FILE", "", files},
    {"FILE:LINE", "", files},
    {"FILE|DIR", "", files},
    {"DIR", "", folders},
    {"HOME", "", folders},
};

void fill_value(const TypedLine& line, Candidates& to) {
  for (const std::string_view choice : app::choices_in(line.value)) add(to, choice, "");
  const auto source = std::ranges::find_if(sources, [&](const Source& row) {
    return row.value == line.value &&
           (row.where.empty() || row.where == line.option ||
            (line.command != nullptr && row.where == line.command->name));
  });
  if (source != std::end(sources)) source->fill(line, to);
}

void fill_options(const TypedLine& line, Candidates& to) {
  const auto fill = [&](std::span<const OptionRow> rows) {
    for (const OptionRow& row : rows)
      for (const std::string& name : row.names)
        if (name.starts_with(line.given) && (name.starts_with("--") || line.given.size() == 2 ||
                                             (row.names.size() == 1 && line.given == "-")))
          add(to, name, row.help);
  };
  if (line.command != nullptr) {
    fill(line.command->flags);
    if (std::string_view("--help").starts_with(line.given))
      add(to, "--help", "show help for this command");
  }
  // skein's own go with every subcommand, but would bury what only this one has.
  if (to.all.empty()) fill(app::options());
}

std::size_t common(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// A shell inserts what all candidates have in common; of those that are left out one must be there
// that has no more of it than all have.
void cut(std::vector<Candidate>& all) {
  if (all.size() <= most) return;
  std::size_t shared = all.front().text.size();
  for (std::size_t i = 0; i < most; ++i)
    shared = std::min(shared, common(all.front().text, all[i].text));
  const auto odd =
      std::min_element(all.begin() + most, all.end(), [&](const Candidate& a, const Candidate& b) {
        return common(all.front().text, a.text) < common(all.front().text, b.text);
      });
  if (common(all.front().text, odd->text) < shared) std::swap(*odd, all[most - 1]);
  all.resize(most);
}

}  // namespace

TypedLine read_typed_line(std::span<const std::string> words) {
  return ShellLineReader().read(words);
}

std::string argument_word(std::string_view arguments, std::size_t before) {
  const std::vector<std::string_view> places = split(arguments, ' ');
  if (places.empty()) return {};
  const std::string_view last = places.back();
  if (before >= places.size() && last.find("…") == std::string_view::npos) return {};
  std::string word(trimmed(places[std::min(before, places.size() - 1)], "[]"));
  if (const std::size_t more = word.find("…"); more != std::string::npos) word.resize(more);
  return word;
}

Candidates candidates_for(const TypedLine& line) {
  using What = TypedLine::What;
  Candidates out;
  if (line.what == What::prompt) return out;
  if (line.what == What::option) {
    fill_options(line, out);
  } else {
    if (line.what == What::word && line.arguments.empty()) subcommands_below(line.path, out);
    fill_value(line, out);
  }
  std::erase_if(out.all, [&](const Candidate& each) {
    return each.text.empty() || !each.text.starts_with(line.given);
  });
  cut(out.all);
  // What would be another text once it is made harmless is no candidate: it could not be found.
  std::set<std::string> seen;
  std::erase_if(out.all, [&](const Candidate& each) {
    return layout::sanitized_row(each.text) != each.text || !seen.insert(each.text).second;
  });
  for (Candidate& each : out.all) {
    each.text = line.before + each.text;
    each.description = layout::sanitized_row(each.description);
  }
  return out;
}

BashLine read_bash_line(std::string_view line) {
  BashLine out;
  out.words.emplace_back();
  bool inside = false;  // of a word
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (blank && out.open_quote == 0) {
      if (inside) out.words.emplace_back();
      inside = false;
      out.last_as_typed.clear();
      continue;
    }
    inside = true;
    out.last_as_typed += c;
    std::string& word = out.words.back();
    const bool escapes = c == '\\' && out.open_quote != '\'';
    if (c == out.open_quote) {
      out.open_quote = 0;
    } else if (out.open_quote == 0 && (c == '\'' || c == '"')) {
      out.open_quote = c;
    } else if (escapes && at + 1 < line.size()) {
      const char next = line[++at];
      out.last_as_typed += next;
      if (out.open_quote == '"' && std::string_view("\"\\$`").find(next) == std::string_view::npos)
        word += c;
      word += next;
    } else {
      word += c;
    }
  }
  return out;
}

std::optional<std::string> quoted_for_bash(std::string_view text, char open_quote) {
  constexpr std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
  // In double quotes nothing keeps bash from putting an earlier command in its place.
  if (open_quote == '"' && text.find('!') != std::string_view::npos) return std::nullopt;
  std::string out;
  for (const char c : text) {
    if (open_quote == '\'') {
      out += c == '\'' ? "'\\''" : std::string(1, c);
      continue;
    }
    const bool special = open_quote == '"'
                             ? std::string_view("\"\\$`").find(c) != std::string_view::npos
                             : harmless.find(c) == std::string_view::npos && (c & 0x80) == 0;
    if (special) out += '\\';
    out += c;
  }
  return out;
}

std::optional<std::string> part_bash_replaces(const BashLine& line, std::string_view replaced,
                                              const std::string& candidate) {
  // Behind an open quote the whole word is replaced, from the quote on.
  if (line.open_quote != 0 || !std::string_view(line.last_as_typed).ends_with(replaced))
    return candidate;
  const std::string_view kept =
      std::string_view(line.last_as_typed).substr(0, line.last_as_typed.size() - replaced.size());
  if (!candidate.starts_with(kept)) return std::nullopt;
  return candidate.substr(kept.size());
}

}  // namespace skein::completion
