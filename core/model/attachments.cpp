#include "core/model/attachments.h"

#include "core/text/encoding.h"
#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::model {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_text = 256 * 1024;

bool ends_path(char c) { return c == ' ' || c == '\t' || c == '\n'; }

bool is_file(const Located& place) {
  std::error_code failed;
  return !place.absolute.empty() && fs::is_regular_file(place.absolute, failed);
}

struct Mention {
  std::string name;  // as written after the @
  Located place;
};

// What is named after an @: the file if there is one, else the words up to a blank.
Mention mention_in(std::string_view text, const Locate& locate) {
  if (text.starts_with('"')) {
    const std::size_t end = text.find('"', 1);
    std::string name(text.substr(1, end == std::string_view::npos ? 0 : end - 1));
    Located place = name.empty() ? Located{} : locate(name);
    return {std::move(name), std::move(place)};
  }
  const std::string words(text.begin(), std::ranges::find_if(text, ends_path));
  // "look at @main.cpp, please": the comma is not part of it, unless there is such a file.
  std::string name = words;
  while (!name.empty()) {
    if (Located place = locate(name); is_file(place)) return {std::move(name), std::move(place)};
    if (std::string_view(".,;:!?)").find(name.back()) == std::string_view::npos) break;
    name.pop_back();
  }
  return {name, name.empty() ? Located{} : locate(name)};
}

// What to say about a name that is no file, if it looks as if one was meant.
std::string remark_on(const Mention& mention) {
  std::error_code failed;
  if (mention.name.empty() || mention.place.absolute.empty()) return {};
  if (fs::is_directory(mention.place.absolute, failed))
    return mention.name.find_first_not_of("./") == std::string::npos
               ? std::string{}
               : mention.name + " is a folder and is not attached";
  const bool like_a_file = mention.name.find_first_of("/.") != std::string::npos &&
                           mention.name.find('@') == std::string::npos;
  const fs::path folder = fs::path(mention.place.absolute).parent_path();
  if (!like_a_file || mention.place.exists || !fs::is_directory(folder, failed)) return {};
  return "there is no file " + mention.name + ", so nothing is attached";
}

// The file at the very place that was judged, not a link put there since.
std::string beginning_of(const Located& place, std::size_t limit) {
  const auto cannot = [&] {
    return Error("cannot read " + place.absolute + "; nothing was sent", ExitStatus::usage);
  };
  const Fd fd = open_regular(place.absolute, Links::refused);
  if (!fd) throw cannot();
  std::error_code failed;
  const fs::path opened = fs::read_symlink("/proc/self/fd/" + std::to_string(fd.get()), failed);
  if (!failed && opened != place.absolute && !place.absolute.starts_with("/proc/")) throw cannot();
  if (std::optional<std::string> bytes = read_up_to(fd.get(), limit)) return *std::move(bytes);
  throw cannot();
}

void add_image(PromptWithFiles& out, const std::string& name, Image image,
               const std::string& what) {
  out.message.content.emplace_back(attachment_text(name, ""));
  out.message.content.emplace_back(std::move(image));
  out.files.push_back({name, what});
}

void add_text(PromptWithFiles& out, const std::string& name, const std::string& bytes) {
  const bool cut = bytes.size() > most_text;
  const std::string text = valid_utf8(utf8_prefix(bytes, most_text));
  std::string body = "\n" + fenced(text);
  if (cut) body += "[cut here; the read tool shows the rest]";
  out.message.content.emplace_back(attachment_text(name, body));
  out.files.push_back(
      {name, counted(split(text, '\n').size(), "line") + (cut ? ", the beginning" : "")});
}

void attach(PromptWithFiles& out, const Mention& file, const AttachPorts& ports) {
  const std::string& name = file.name;
  const std::string bytes = beginning_of(file.place, most_image_bytes + 1);
  const std::string_view type = image_type(bytes);
  if (!type.empty() && bytes.size() > most_image_bytes)
    throw Error(name + " is too large: models take images of at most " +
                    with_separators(most_image_bytes) + " bytes",
                ExitStatus::usage);
  if (!type.empty())
    return add_image(out, name, {std::string(type), ports.keep_blob(bytes)},
                     std::string(type) + ", " + with_separators(bytes.size()) + " bytes");
  if (ports.document && is_document(name, bytes)) {
    const std::string all = beginning_of(file.place, most_document_bytes + 1);
    if (all.size() > most_document_bytes)
      throw Error(name + " is larger than " + with_separators(most_document_bytes) + " bytes",
                  ExitStatus::usage);
    try {
      return add_text(out, name, ports.document(all));
    } catch (const Error& error) {
      throw Error(name + ": " + error.what(), ExitStatus::usage);
    }
  }
  if (bytes.find('\0') != std::string::npos)
    throw Error(name + " is " + std::string(binary_kind(bytes)) +
                    "; models take text, images (png, jpeg, gif, webp), PDF and notebooks",
                ExitStatus::usage);
  add_text(out, name, bytes);
}

void add_fetched(PromptWithFiles& out, const std::string& name, const Fetched& fetched) {
  if (!fetched.text.empty()) add_text(out, name, fetched.text);
  for (const Image& image : fetched.images) add_image(out, name, image, image.mime_type);
}

}  // namespace

PromptWithFiles with_files(const std::string& prompt, std::string_view typed,
                           const AttachPorts& ports) {
  PromptWithFiles out{user_message(prompt)};
  std::vector<std::string> seen;
  for (std::size_t at = typed.find('@'); at != std::string::npos; at = typed.find('@', at + 1)) {
    if (at > 0 && !ends_path(typed[at - 1])) continue;  // an address, not a path
    const Mention found = mention_in(typed.substr(at + 1), ports.locate);
    if (std::ranges::find(seen, found.name) != seen.end()) continue;
    seen.push_back(found.name);
    if (!is_file(found.place)) {
      if (const auto fetched = ports.fetch ? ports.fetch(found.name) : std::nullopt)
        add_fetched(out, found.name, *fetched);
      else if (const std::string remark = remark_on(found); !remark.empty())
        ports.tell(remark);
    } else if (ports.may(found.name, found.place)) {
      attach(out, found, ports);
    }
  }
  return out;
}

std::string mention(std::string_view path) {
  const bool plain = std::ranges::none_of(path, ends_path);
  return plain ? "@" + std::string(path) : "@\"" + std::string(path) + "\"";
}

}  // namespace skein::model
