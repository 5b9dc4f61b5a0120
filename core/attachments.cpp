#include "core/attachments.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/fenced.h"
#include "core/image_type.h"

namespace skein {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_text = 256 * 1024;

bool ends_path(char c) { return c == ' ' || c == '\t' || c == '\n'; }

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

// The name that begins behind an @, if there is such a file.
std::string file_named(std::string_view text, const fs::path& workspace) {
  if (text.starts_with('"')) {
    const std::size_t end = text.find('"', 1);
    const std::string name(text.substr(1, end == std::string_view::npos ? 0 : end - 1));
    return !name.empty() && is_file(workspace / name) ? name : std::string{};
  }
  std::string name(text.begin(), std::ranges::find_if(text, ends_path));
  // "look at @main.cpp, please": the comma is not part of it, unless there is such a file.
  while (!name.empty() && !is_file(workspace / name) &&
         std::string_view(".,;:!?)").find(name.back()) != std::string_view::npos)
    name.pop_back();
  return !name.empty() && is_file(workspace / name) ? name : std::string{};
}

std::string read_up_to(const fs::path& file, std::size_t limit) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(limit, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (in.bad() || !in.is_open())
    throw Error("cannot read " + file.string() + "; nothing was sent", Trouble::usage);
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

constexpr std::string_view before_name = "\n\n[", after_name = "]";

// The name in a block that this file made.
std::optional<std::string_view> name_in(const Block& block) {
  const auto* text = std::get_if<Text>(&block);
  if (text == nullptr || !text->text.starts_with(before_name)) return std::nullopt;
  const std::string_view rest = std::string_view(text->text).substr(before_name.size());
  const std::size_t end = rest.find(after_name);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view behind = rest.substr(end + after_name.size());
  if (!behind.empty() && !behind.starts_with("\n")) return std::nullopt;
  return rest.substr(0, end);
}

class Attaching {
 public:
  Attaching(PromptWithFiles& out, const std::function<std::string(std::string_view)>& keep_blob)
      : out_(out), keep_blob_(keep_blob) {}

  void add(const std::string& name, const fs::path& file) {
    const std::string bytes = read_up_to(file, most_image_bytes + 1);
    if (const std::string_view type = image_type(bytes); !type.empty())
      add_image(name, type, bytes);
    else
      add_text(name, bytes);
  }

 private:
  void add_image(const std::string& name, std::string_view type, const std::string& bytes) {
    if (bytes.size() > most_image_bytes)
      throw Error(name + " is too large: models take images of at most " +
                      with_separators(most_image_bytes) + " bytes",
                  Trouble::usage);
    out_.message.content.emplace_back(titled(name, ""));
    out_.message.content.emplace_back(Image{std::string(type), keep_blob_(bytes)});
    out_.files.push_back(
        {name, std::string(type) + ", " + with_separators(bytes.size()) + " bytes"});
  }
  void add_text(const std::string& name, const std::string& bytes) {
    if (bytes.find('\0') != std::string::npos)
      throw Error(name + " is neither text nor an image that models take (png, jpeg, gif, webp)",
                  Trouble::usage);
    const bool cut = bytes.size() > most_text;
    std::string text = valid_utf8(cut ? utf8_prefix(bytes, most_text) : std::string_view(bytes));
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) +
                       (text.empty() || text.ends_with('\n') ? 0 : 1);
    std::string body = "\n" + fenced(text);
    if (cut) body += "[cut here; the read tool shows the rest]";
    out_.message.content.emplace_back(titled(name, body));
    out_.files.push_back({name, with_separators(lines) + (lines == 1 ? " line" : " lines") +
                                    (cut ? ", the beginning" : "")});
  }
  static Text titled(const std::string& name, const std::string& body) {
    return {std::string(before_name) + name + std::string(after_name) + body};
  }

  PromptWithFiles& out_;
  const std::function<std::string(std::string_view)>& keep_blob_;
};

}  // namespace

PromptWithFiles with_files(const std::string& prompt, std::string_view typed,
                           const std::string& workspace,
                           const std::function<std::string(std::string_view)>& keep_blob) {
  PromptWithFiles out{user_message(prompt)};
  Attaching attaching(out, keep_blob);
  std::vector<std::string> seen;
  for (std::size_t at = typed.find('@'); at != std::string::npos; at = typed.find('@', at + 1)) {
    if (at > 0 && !ends_path(typed[at - 1])) continue;  // an address, not a path
    const std::string name = file_named(typed.substr(at + 1), workspace);
    if (name.empty() || std::ranges::find(seen, name) != seen.end()) continue;
    seen.push_back(name);
    attaching.add(name, fs::path(workspace) / name);
  }
  return out;
}

std::string mention(std::string_view path) {
  const bool plain = std::ranges::none_of(path, ends_path);
  return plain ? "@" + std::string(path) : "@\"" + std::string(path) + "\"";
}

std::string words_alone(const Message& message) {
  if (message.role != Role::user) return plain_text(message);
  std::string out;
  for (const Block& block : message.content)
    if (const auto* text = std::get_if<Text>(&block);
        text && (&block == &message.content.front() || !name_in(block)))
      out += text->text;
  return out;
}

std::vector<std::string> attached_names(const Message& message) {
  std::vector<std::string> out;
  // The first block is always words, whatever they look like.
  for (std::size_t i = 1; i < message.content.size(); ++i)
    if (const auto name = name_in(message.content[i])) out.emplace_back(*name);
  return out;
}

}  // namespace skein
