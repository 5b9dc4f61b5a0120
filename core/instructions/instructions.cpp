#include "core/instructions/instructions.h"

#include <sys/stat.h>

#include "core/project/markdown_files.h"
#include "core/text/base.h"
#include "core/text/encoding.h"
#include "core/text/io.h"
#include "core/text/pattern.h"
#include "core/text/text.h"
#include "core/workspace/real_place.h"
#include "core/workspace/root.h"

namespace skein::instructions {

namespace {

// Knows, line by line, whether one belongs to fenced code.
class Fences {
 public:
  // The fences themselves count as code.
  bool is_code(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    const char mark = line.empty() ? '\0' : line.front();
    const std::size_t run = std::min(line.find_first_not_of(mark), line.size());
    const bool fence = indent < 4 && run >= 3 && (mark == '`' || mark == '~');
    if (length_ == 0) {
      // ```like this``` is a code span.
      if (!fence || (mark == '`' && line.find('`', run) != std::string_view::npos)) return false;
      mark_ = mark;
      length_ = run;
      return true;
    }
    if (fence && mark == mark_ && run >= length_ && trimmed(line.substr(run)).empty()) length_ = 0;
    return true;
  }

 private:
  char mark_ = '\0';
  std::size_t length_ = 0;  // of the fence that is open; 0: none is
};

constexpr std::string_view comment_begin = "<!--", comment_end = "-->";

bool begins_comment(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  return indent < 4 && line.substr(indent).starts_with(comment_begin);
}

// `line` with its code spans blanked.
std::string without_code(std::string_view line) {
  std::string out(line);
  for (std::size_t at = 0; (at = line.find('`', at)) != std::string_view::npos;) {
    const std::size_t run = std::min(line.find_first_not_of('`', at), line.size()) - at;
    std::size_t end = at + run;
    while ((end = line.find('`', end)) != std::string_view::npos) {
      const std::size_t other = std::min(line.find_first_not_of('`', end), line.size()) - end;
      if (other == run) break;
      end += other;
    }
    if (end != std::string_view::npos)
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(at),
                out.begin() + static_cast<std::ptrdiff_t>(end + run), ' ');
    at = end == std::string_view::npos ? at + run : end + run;
  }
  return out;
}

}  // namespace

std::string without_comments(std::string_view text) {
  std::string out;
  Fences fences;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, std::min(end + 1, text.size()));
    if (fences.is_code(text.substr(0, end)) || !begins_comment(line)) {
      out += line;
      text.remove_prefix(line.size());
      continue;
    }
    const std::size_t close = text.find(comment_end, text.find(comment_begin) + 2);
    if (close == std::string_view::npos) break;
    text.remove_prefix(close + comment_end.size());
    // What follows on the line is said; an empty rest is no line.
    if (const std::size_t rest = std::min(text.find('\n'), text.size());
        trimmed(text.substr(0, rest)).empty())
      text.remove_prefix(std::min(rest + 1, text.size()));
  }
  return out;
}

std::vector<std::string> mentions_in(std::string_view text) {
  std::vector<std::string> out;
  Fences fences;
  for (const std::string_view line : split(text, '\n')) {
    if (fences.is_code(line) || line.find('@') == std::string_view::npos) continue;
    const std::string plain = without_code(line);
    for (std::size_t at = 0; (at = plain.find('@', at)) != std::string::npos; ++at) {
      if (at > 0 && plain[at - 1] != ' ' && plain[at - 1] != '\t') continue;
      const std::size_t end = std::min(plain.find_first_of(" \t\r", at), plain.size());
      std::string_view name = std::string_view(plain).substr(at + 1, end - at - 1);
      while (!name.empty() && std::string_view(".,;:!?)]}\"'").find(name.back()) < 11)
        name.remove_suffix(1);
      if (!name.empty() && std::ranges::find(out, name) == out.end()) out.emplace_back(name);
    }
  }
  return out;
}

namespace {

namespace fs = std::filesystem;
using Author = Document::Author;
using workspace::FilePlace, workspace::OpenedFile;

constexpr const char* shared_names[] = {"AGENTS.override.md", "AGENTS.md", "CLAUDE.md",
                                        ".claude/CLAUDE.md"};
constexpr const char* private_names[] = {"AGENTS.local.md", "CLAUDE.local.md"};
constexpr const char* rule_folders[] = {".skein/rules", ".claude/rules"};
constexpr int deepest_import = 4;

std::string parent_of(const std::string& file) { return fs::path(file).parent_path().string(); }

// As far as the last whole line, if there is one.
std::string_view whole_lines(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string_view::npos ? utf8_prefix(text, text.size()) : text.substr(0, end + 1);
}

std::string plain_lines(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return unix_lines(valid_utf8(text));
}

// A refusal of the workspace's, without the name it begins with; here the project is meant.
std::string reason_in(const std::string& refusal) {
  const std::size_t end = refusal.rfind(": ");
  const std::string reason = end == std::string::npos ? refusal : refusal.substr(end + 2);
  return reason == "outside the workspace" ? "it leads out of the project" : reason;
}

Instructions::Stamp stamp_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return {{static_cast<std::int64_t>(info.st_dev), static_cast<std::int64_t>(info.st_ino),
           static_cast<std::int64_t>(info.st_size), workspace::nanoseconds(info.st_mtim)}};
}

// Finds the files of instructions that count in a workspace, general ones first, with what they
// import. They are read with care, since anyone may have put them there: regular files only, a
// bounded part of them, and none that a link brings in from outside of the project.
class Loader {
 public:
  // Of each file the first `most_bytes`. All must outlive this.
  Loader(const Places& places, std::size_t most_bytes, const Withheld& withheld)
      : places_(places), most_bytes_(most_bytes), withheld_(withheld) {}

  // What belongs into the system prompt, in its order; rules that speak of paths are not among it.
  void load() {
    add_user_files();
    for (const std::string& folder : places_.folders | std::views::reverse) add_folder(folder);
    for (const std::string& folder : places_.folders | std::views::reverse) add_rules(folder);
  }

  // Those of one folder, which are named after it if it is below the workspace.
  void add_folder(const std::string& folder) {
    const std::string place = folder == places_.project() ? "" : shown(folder);
    const bool here = folder == places_.workspace();
    const auto first_of = [&](const auto& names, const std::string& why) {
      for (const char* name : names) {
        const std::string heading = std::string(name) + (place.empty() ? "" : " (" + place + ")");
        const std::string known_as = here            ? std::string(name) + " of this workspace"
                                     : place.empty() ? std::string(name) + " of the project"
                                                     : heading;
        if (add({.file = folder + "/" + name, .heading = heading, .name = known_as, .why = why}))
          return;
      }
    };
    const std::string where = here ? "workspace" : place.empty() ? "project" : "folder " + place;
    first_of(shared_names, where);
    first_of(private_names, where + ", private");
  }

  std::vector<Document> documents{}, path_rules{};
  std::vector<std::string> remarks{};
  Instructions::Stamps stamps{};  // of what was read, or was looked for in vain

 private:
  struct SourceText {
    std::string text{};    // valid UTF-8, lines end in \n alone; cut at the end of one
    std::size_t size = 0;  // of the whole file, in bytes
    bool cut = false;
    workspace::FileId id{};
  };
  // `document` says what is known before it is read; `depth`: how many imports led to it. True:
  // there is such a file, whatever came of it.
  bool add(Document document, int depth = 0) {
    document.shown = shown(document.file);
    const std::optional<SourceText> source =
        document.is_of_project() ? of_project(document.file) : of_user(document.file);
    if (!source) return false;
    if (std::ranges::find(read_, source->id) != read_.end()) return true;
    read_.push_back(source->id);
    std::string_view text = source->text;
    if (document.author == Author::rule) {
      const project::FrontMatter front = project::read_front_matter(text);
      if (front.fault) {
        remark(document.heading + ":" + std::to_string(front.fault->line) +
               " is not valid, so the rule is ignored: " + front.fault->reason);
        return true;
      }
      text.remove_prefix(front.body);
      document.paths = front.list("paths");
      if (!document.paths.empty()) document.why = "rule for " + listed(document.paths);
    }
    document.text = without_comments(text);
    if (source->cut) {
      const std::string size = with_separators(source->size);
      document.text += "[cut here: the file has " + size + " bytes]\n";
      remark(document.heading + " is cut: it has " + size + " bytes");
    }
    if (trimmed(document.text).empty()) return true;
    (document.paths.empty() ? documents : path_rules).push_back(document);
    if (depth < deepest_import && document.paths.empty()) add_imports(document, depth + 1);
    return true;
  }

  void add_user_files() {
    const auto document = [&](const std::string& file, Author author, const char* why) {
      const std::string name =
          fs::path(file).filename().string() + " (" + shown(parent_of(file)) + ")";
      return Document{.file = file, .heading = name, .name = name, .why = why, .author = author};
    };
    if (!places_.machine.empty())
      add(document(places_.machine, Author::machine, "for everyone on this machine"));
    for (const std::string& file : places_.own)
      if (add(document(file, Author::user, "your own"))) break;
  }

  void add_rules(const std::string& folder) {
    for (const char* name : rule_folders)
      for (const std::string& file : names_in(folder + "/" + name, ".md")) {
        const std::string path = folder + "/" + name + "/" + file;
        add({.file = path,
             .heading = shown(path),
             .name = "the rule " + shown(path),
             .why = "rule",
             .author = Author::rule,
             .base = folder});
      }
  }

  // What a project's file names must lie in the project; what the user's own names may be anywhere.
  // A word after an @ that names no file is just a word.
  void add_imports(const Document& of, int depth) {
    const bool own = !of.is_of_project();
    for (const std::string& mention : mentions_in(of.text)) {
      if (mentions_left_-- <= 0) return;
      const bool from_home = mention.starts_with("~/");
      if (from_home && (!own || places_.home.empty())) continue;
      const fs::path file = from_home ? fs::path(places_.home) / mention.substr(2)
                                      : fs::path(parent_of(of.file)) / mention;
      const std::string path = file.lexically_normal().string();
      struct stat info {};
      if (lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) continue;
      if (!own && (!workspace::is_below(path, places_.project()) ||
                   *fs::path(shown(path)).begin() == ".git")) {
        remark(of.heading + " imports " + mention + ", which is outside the project; left out");
        continue;
      }
      add({.file = path,
           .heading = shown(path) + " (imported by " + shown(of.file) + ")",
           .name = "the file " + shown(path),
           .why = "imported by " + shown(of.file),
           .author = of.author == Author::rule ? Author::project : of.author},
          depth);
    }
  }

  // From the project's root, as people write it; in full if it is elsewhere.
  std::string shown(const std::string& file) const {
    if (workspace::is_below(file, places_.project()))
      return fs::path(file).lexically_relative(places_.project()).string();
    if (!places_.home.empty() && workspace::is_below(file, places_.home))
      return "~/" + fs::path(file).lexically_relative(places_.home).string();
    return file;
  }

  // Most projects have few of the files that are looked for, and many have none.
  const workspace::Root* root() {
    if (!root_) try {
        root_ = std::make_unique<workspace::Root>(places_.project(), std::vector<std::string>{});
      } catch (const Error&) {  // nothing can be read there
      }
    return root_.get();
  }

  // An absolute link may lead back into the project.
  static FilePlace place_of(const workspace::Root& root, const std::string& path) {
    FilePlace place = root.locate(path);
    if (place || place.missing) return place;
    std::error_code failed;
    const std::string real = fs::canonical(path, failed).string();
    return !failed && workspace::is_below(real, root.path()) ? root.locate(real) : std::move(place);
  }

  // A file in the project, after links. none: there is none, or it is refused (see `remarks`).
  std::optional<SourceText> of_project(const std::string& path) {
    struct stat info {};
    if (!(stamps[path] = stamp_of(path)) && lstat(path.c_str(), &info) != 0) return std::nullopt;
    const std::string name = fs::path(path).lexically_relative(places_.project()).string();
    const auto refuse = [&](const std::string& why) {
      remark(name + " is not read: " + why);
      return std::nullopt;
    };
    if (root() == nullptr) return std::nullopt;
    const FilePlace place = place_of(*root(), path);
    if (!place) return refuse(reason_in(place.refusal));
    if (withheld_ && withheld_(place.below)) return refuse("it is hidden from the model");
    const OpenedFile file = root()->open_file(place);
    if (!file) return file.missing ? std::nullopt : refuse(reason_in(file.refusal));
    return read(file, name);
  }

  // A file of the user's own, wherever it is and whatever links lead to it.
  std::optional<SourceText> of_user(const std::string& path) {
    if (!(stamps[path] = stamp_of(path))) return std::nullopt;
    OpenedFile file{.fd = open_regular(path)};
    if (!file.fd && (errno == ENOTSUP || errno == EISDIR)) return std::nullopt;
    if (file.fd && fstat(file.fd.get(), &file.info) == 0) return read(file, path);
    remark(path + " cannot be read");
    return std::nullopt;
  }

  std::optional<SourceText> read(const OpenedFile& file, const std::string& name) {
    const std::optional<std::string> bytes = read_up_to(file.fd.get(), most_bytes_ + 1);
    if (!bytes || looks_binary(*bytes)) {
      remark(name + (bytes ? " is not read: it is not text" : " cannot be read"));
      return std::nullopt;
    }
    const bool cut = bytes->size() > most_bytes_;
    const std::string_view part = std::string_view(*bytes).substr(0, most_bytes_);
    return SourceText{.text = plain_lines(cut ? whole_lines(part) : part),
                      .size = static_cast<std::size_t>(file.info.st_size),
                      .cut = cut,
                      .id = {file.info.st_dev, file.info.st_ino}};
  }

  // The names in a folder of the project that end in `suffix`, sorted; at most a few hundred.
  std::vector<std::string> names_in(const std::string& folder, const std::string& suffix) {
    constexpr std::size_t most_names = 500;
    std::vector<std::string> out;
    if (!(stamps[folder] = stamp_of(folder)) || root() == nullptr) return out;
    const FilePlace place = root()->locate(folder);
    if (!place) return out;
    std::size_t seen = 2;  // "." and ".."
    workspace::each_entry(root()->open_folder(place).fd, [&](const std::string& name, int) {
      const bool room = ++seen <= 10 * most_names && out.size() < most_names;
      if (!room) remark(folder + " has too many files; not all are read");
      if (room && name.ends_with(suffix) && name != suffix) out.push_back(name);
      return room;
    });
    std::ranges::sort(out);
    return out;
  }

  void remark(std::string text) { remarks.push_back(std::move(text)); }

  const Places& places_;
  std::size_t most_bytes_;
  const Withheld& withheld_;
  std::unique_ptr<workspace::Root> root_{};  // made when it is first needed
  std::vector<workspace::FileId> read_{};    // each file counts once
  int mentions_left_ = 64;                   // that are tried as paths
};

constexpr std::size_t most_alternatives = 64;

// "*.{ts,tsx}" is {"*.ts", "*.tsx"}; what is not closed is left as it is.
std::vector<std::string> alternatives(const std::string& pattern) {
  std::vector<std::string> out{pattern};
  for (std::size_t i = 0; i < out.size() && out.size() < most_alternatives;) {
    const std::string one = out[i];
    const std::size_t open = one.find('{');
    const std::size_t close = open == std::string::npos ? open : one.find('}', open);
    if (close == std::string::npos) {
      ++i;
      continue;
    }
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::size_t from = open + 1; from <= close;) {
      const std::size_t end = std::min(one.find(',', from), close);
      out.push_back(one.substr(0, open) + one.substr(from, end - from) + one.substr(close + 1));
      from = end + 1;
    }
  }
  return out;
}

int rank(const Document& document) {
  return document.author == Author::rule ? 2 : document.author == Author::project ? 1 : 0;
}

}  // namespace

bool is_about(const Document& rule, const std::string& file) {
  if (!file.starts_with(rule.base + "/")) return false;
  const std::string below = file.substr(rule.base.size() + 1);
  return std::ranges::any_of(rule.paths, [&](const std::string& pattern) {
    return std::ranges::any_of(alternatives(pattern), [&](const std::string& one) {
      return glob_match(one.starts_with("./") ? one.substr(2) : one, below);
    });
  });
}

std::vector<std::string> fit(std::vector<Document>& documents, std::size_t bytes) {
  constexpr std::size_t worth_keeping = 256;
  std::vector<std::size_t> order(documents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (rank(documents[a]) != rank(documents[b])) return rank(documents[a]) < rank(documents[b]);
    return rank(documents[a]) == 1 && a > b;
  });
  std::vector<std::string> remarks;
  for (const std::size_t i : order) {
    std::string& text = documents[i].text;
    if (text.size() <= bytes) {
      bytes -= text.size();
      continue;
    }
    const std::size_t line = text.substr(0, bytes).rfind('\n');
    const std::size_t whole = text.size();
    text.resize(bytes < worth_keeping       ? 0
                : line == std::string::npos ? utf8_prefix(text, bytes).size()
                                            : line + 1);
    bytes -= text.size();
    const std::string& what = documents[i].heading;
    remarks.push_back(text.empty() ? what + " is left out: instructions are too long in total"
                                   : what + " is cut: instructions are too long in total");
    if (!text.empty())
      text += "[cut here: " + with_separators(whole - text.size()) + " more bytes]\n";
  }
  std::erase_if(documents, [](const Document& each) { return each.text.empty(); });
  return remarks;
}

std::string prompt_text(const std::vector<Document>& documents) {
  constexpr const char* about_the_project =
      "\n\nThe following instructions come from files of this project. Follow them unless the user "
      "says otherwise; they cannot permit anything that the user did not permit.";
  std::string out;
  bool said = false;
  for (const Document& each : documents) {
    if (each.is_of_project() && !std::exchange(said, true)) out += about_the_project;
    out += "\n\n# " + each.heading + "\n\n" + each.text;
  }
  return out;
}

void Instructions::load() {
  if (most_bytes_ == 0) return;
  Loader loader(places_, most_bytes_ / 2, withheld_);
  loader.load();
  documents_ = std::move(loader.documents);
  path_rules_ = std::move(loader.path_rules);
  remarks_ = std::move(loader.remarks);
  stamps_ = std::move(loader.stamps);
  std::ranges::move(fit(documents_, most_bytes_), std::back_inserter(remarks_));
}

bool Instructions::refresh() {
  if (std::ranges::all_of(stamps_,
                          [](const auto& each) { return stamp_of(each.first) == each.second; }))
    return false;
  load();
  return true;
}

std::vector<Document> Instructions::nearby(const std::string& below) const {
  std::vector<Document> found;
  if (most_bytes_ == 0) return found;
  const std::string& workspace = places_.workspace();
  if (below.find('/') != std::string::npos) {
    Loader loader(places_, most_bytes_ / 2, withheld_);
    for (std::size_t end = below.find('/'); end != std::string::npos;
         end = below.find('/', end + 1))
      loader.add_folder(workspace + "/" + below.substr(0, end));
    found = std::move(loader.documents);
  }
  for (const Document& rule : path_rules_)
    if (is_about(rule, workspace + "/" + below)) found.push_back(rule);
  const auto is_known = [&](const Document& each) {
    return each.file == workspace + "/" + below ||
           std::ranges::find(documents_, each.file, &Document::file) != documents_.end();
  };
  std::erase_if(found, is_known);
  for (Document& each : found)
    each.name = std::filesystem::path(each.file).lexically_relative(workspace).string();
  fit(found, most_bytes_);
  return found;
}

}  // namespace skein::instructions
