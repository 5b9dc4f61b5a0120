#include "app/completion/candidates.h"

#include <algorithm>
#include <set>

#include "app/completion/stored.h"
#include "app/config/keys.h"
#include "core/exchange/exporters/format.h"
#include "core/exchange/importers/format.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"

namespace skein::completion {

using app::OptionRow, app::Subcommand;
using Shell = Candidates::Shell;

namespace {

constexpr std::size_t most = 200;

void add(Candidates& to, std::string_view text, std::string_view description) {
  to.all.push_back({std::string(text), std::string(description)});
}

void files(const TypedLine&, Candidates& to) { to.shell = Shell::files; }
void folders(const TypedLine&, Candidates& to) { to.shell = Shell::folders; }
void nothing(const TypedLine&, Candidates&) {}

void export_formats(const TypedLine&, Candidates& to) {
  for (const auto& format : exchange::exporters::formats()) add(to, format.name, format.help);
}

void import_formats(const TypedLine& line, Candidates& to) {
  if (line.option == "--from") add(to, "auto", "look into the files");
  if (line.option == "--origin") add(to, "own", "only ours");
  for (const auto& format : exchange::importers::formats()) add(to, format.name, format.agent);
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
  std::string path;
  for (const std::string& word : line.arguments) path += (path.empty() ? "" : " ") + word;
  subcommands_below(path, to);
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
    {"KEY", "sessions restore", trashed_sessions},
    {"KEY", "sessions unarchive", archived_sessions},
    {"KEY", "", sessions},
    {"ENTRY", "", entries},
    {"ID", "", entries},
    {"MODEL", "", models},
    {"PROVIDER", "", providers},
    {"NAME", "snapshots", snapshots},
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
  const auto fill = [&](const std::vector<OptionRow>& rows) {
    for (const OptionRow& row : rows)
      for (const std::string& name : row.names)
        if (name.starts_with(line.given) && (name.starts_with("--") || line.given.size() == 2 ||
                                             (row.names.size() == 1 && line.given == "-")))
          add(to, name, row.help);
  };
  if (line.command != nullptr) {
    fill(app::options_of(*line.command));
    if (std::string_view("--help").starts_with(line.given)) add(to, "--help", "what it takes");
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

}  // namespace skein::completion
