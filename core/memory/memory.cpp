#include "core/memory/memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::memory {

namespace {

constexpr std::size_t largest_file = 1u << 20;
constexpr std::size_t longest_note = 2000;
constexpr std::string_view opening = "<!--", closing = "-->";

// A line, and the comment at its end without its marks.
std::pair<std::string_view, std::string_view> parts_of(std::string_view line) {
  line = trimmed(line, "\r");
  const std::string_view end = trimmed(line, " \t");
  const std::size_t at = line.rfind(opening);
  if (!end.ends_with(closing) || at == std::string_view::npos) return {line, {}};
  const std::string_view comment = line.substr(at + opening.size());
  std::string_view said = line.substr(0, at);
  while (said.ends_with(' ')) said.remove_suffix(1);
  return {said, trimmed(comment.substr(0, comment.rfind(closing)))};
}

// Nothing in a note may end its line or look like the comment behind it.
std::string one_line_of(std::string_view text) {
  std::string out = valid_utf8(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  for (std::size_t at = 0; (at = out.find(opening, at)) != std::string::npos;)
    out.insert(at + 1, " ");
  for (std::size_t at = 0; (at = out.find(closing, at)) != std::string::npos;)
    out.insert(at + 2, " ");
  return std::string(trimmed(utf8_prefix(out, longest_note)));
}

[[noreturn]] void cannot_write(const std::string& path) {
  throw Error("cannot write the memory file " + path + ": " + std::strerror(errno),
              ExitStatus::storage);
}

}  // namespace

std::vector<Note> notes_in(std::string_view text) {
  std::vector<Note> out;
  for (const std::string_view line : split(text, '\n')) {
    const auto [said, comment] = parts_of(line);
    if (!said.starts_with("- ") && !said.starts_with("* ")) continue;
    Note note{.text = std::string(trimmed(said.substr(2)))};
    const auto [place, date] = first_word(comment);
    const std::size_t slash = place.find('/');
    if (parse_id(place.substr(0, slash))) {
      note.session = place.substr(0, slash);
      if (slash != std::string_view::npos) note.entry = place.substr(slash + 1);
      note.date = trimmed(date);
    }
    if (!note.text.empty()) out.push_back(std::move(note));
  }
  return out;
}

std::string line_of(const Note& note) {
  const std::string text = one_line_of(note.text);
  if (text.empty()) return {};
  std::string place = note.session + (note.entry.empty() ? "" : "/" + note.entry);
  if (!place.empty()) place += " ";
  return "- " + text + " <!-- " + place + note.date + " -->";
}

std::string told_of(std::string_view text) {
  std::string out;
  std::size_t lines = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view said = parts_of(line).first;
    if (lines == most_lines || out.size() + said.size() + 1 > most_bytes) {
      out += "[cut here: there is more]\n";
      break;
    }
    ++lines;
    out += std::string(said) + "\n";
  }
  return valid_utf8(trimmed(out).empty() ? "" : out);
}

std::string NoteFile::text() const { return file_beginning(path_, largest_file); }

std::string NoteFile::add(const Note& note) const {
  const std::string line = line_of(note);
  if (line.empty()) throw Error("there is nothing to remember: give a text");
  if (path_.empty()) throw Error("this session is not saved, so nothing can be remembered");
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (std::filesystem::create_directories(folder, ignored))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
  const Fd fd(open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600));
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0) cannot_write(path_);
  char last = '\n';
  if (info.st_size > 0 && pread(fd.get(), &last, 1, info.st_size - 1) != 1) cannot_write(path_);
  if (!write_all(fd.get(), (last == '\n' ? "" : "\n") + line + "\n") || fsync(fd.get()) != 0)
    cannot_write(path_);
  return line;
}

Memory::Memory(const std::string& folder, const std::string& project)
    : files_{NoteFile(folder.empty() ? "" : folder + "/global.md"),
             NoteFile(folder.empty() ? "" : folder + "/" + project + ".md")} {
  refresh();
}

std::vector<Memory::Numbered> Memory::notes() const {
  std::vector<Numbered> out;
  for (const Scope scope : {Scope::everywhere, Scope::project})
    for (Note& note : notes_in(file(scope).text())) out.push_back({scope, std::move(note)});
  return out;
}

bool Memory::refresh() {
  const std::array before = std::exchange(
      told_, {told_of(file(Scope::everywhere).text()), told_of(file(Scope::project).text())});
  return before != told_;
}

}  // namespace skein::memory
