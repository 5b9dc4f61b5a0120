// What the user and the project want a model to know before it works here: AGENTS.md and its kin.
// Some of it is in the system prompt from the beginning; what is written in folders further down,
// and rules for certain paths, come up when a file there is used.
#pragma once

#include "core/text/std.h"

namespace skein::instructions {

// A file of instructions as the model is given it, and the room such files may take. Values and
// pure functions.
struct Document {
  enum class Author { machine, user, project, rule };  // a rule is the project's, too

  std::string file{};     // absolute
  std::string shown{};    // the same for people: "packages/web/AGENTS.md", "~/.claude/CLAUDE.md"
  std::string heading{};  // "AGENTS.md (packages/web)"
  std::string name{};     // in sentences about it: "AGENTS.md of this workspace"
  std::string why{};      // it is there, for the user: "workspace", "imported by AGENTS.md"
  std::string text{};
  Author author = Author::project;
  std::vector<std::string> paths{};  // of a rule: globs from `base`; empty: it always holds
  std::string base{};                // of a rule: the folder they start from

  bool is_of_project() const { return author == Author::project || author == Author::rule; }
};

// Whether a rule is about this file, which is named absolutely.
bool is_about(const Document& rule, const std::string& file);

// Cuts what does not fit into `bytes`, with a mark. The user's own files have precedence, then
// those of the folders nearest to the workspace, which come last; rules have to take what is left.
// Returns what to tell the user.
std::vector<std::string> fit(std::vector<Document>& documents, std::size_t bytes);

// How they follow skein's own words in a system prompt.
std::string prompt_text(const std::vector<Document>& documents);

// Where to look. All absolute.
struct Places {
  std::string machine = "/etc/skein/AGENTS.md";
  std::vector<std::string> own{};      // the user's: the first that is there
  std::vector<std::string> folders{};  // from the workspace up to where the project begins
  std::string home{};                  // what ~/ means; may be empty

  const std::string& workspace() const { return folders.front(); }
  const std::string& project() const { return folders.back(); }
};

inline constexpr std::size_t usual_bytes = 64u << 10;  // in all; of one file half of that

// Whether a file of the project, named from its root, is kept from the model.
using Withheld = std::function<bool(const std::string& below)>;

class Instructions {
 public:
  // 0 bytes: there are none. The project may be a folder that cannot be opened: then it has no
  // files. `withheld` may be empty.
  Instructions(Places places, std::size_t most_bytes, Withheld withheld = {})
      : places_(std::move(places)), most_bytes_(most_bytes), withheld_(std::move(withheld)) {
    load();
  }

  // For the system prompt, in its order.
  const std::vector<Document>& documents() const { return documents_; }
  // Rules that wait for a file they are about.
  const std::vector<Document>& path_rules() const { return path_rules_; }
  // What was cut or refused, for the user.
  const std::vector<std::string>& remarks() const { return remarks_; }

  // Reads everything again if a file has changed, come or gone; true: it has.
  bool refresh();

  // What holds for this file of the workspace besides; named by where it is, "web/AGENTS.md".
  std::vector<Document> nearby(const std::string& below) const;

  // What shows that a file or folder is the one that was read: device, inode, size and time of the
  // last change. none: there was none.
  using Stamp = std::optional<std::array<std::int64_t, 4>>;
  using Stamps = std::map<std::string, Stamp>;

 private:
  void load();

  Places places_;
  std::size_t most_bytes_;
  Withheld withheld_;
  Stamps stamps_{};
  std::vector<Document> documents_{}, path_rules_{};
  std::vector<std::string> remarks_{};
};

// Without the HTML comments that begin a line, except in fenced code. One that is never closed
// reaches to the end, as in every reader of Markdown.
std::string without_comments(std::string_view text);

// The words after an `@` that begins a line or follows a blank, outside of code, each once, in
// order: what may be the path of another file.
std::vector<std::string> mentions_in(std::string_view text);

}  // namespace skein::instructions
