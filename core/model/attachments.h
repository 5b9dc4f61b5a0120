// Files that a prompt names by `@path` or `@"a path"` are attached to it: text as a block after the
// words, an image as an image, whose bytes are stored next to the transcript. So is what else a
// name leads to, such as a server's resource.
#pragma once

#include "core/model/message.h"
#include "core/model/tool.h"

namespace skein::model {

struct Attachment {
  std::string name;
  std::string what;  // "3 lines", "image/png, 34,120 bytes"
};

struct PromptWithFiles {
  Message message{};
  std::vector<Attachment> files{};
};

// What a name leads to that is no file.
struct Fetched {
  std::string text{};
  std::vector<Image> images{};
};

struct AttachPorts {
  // Where a name leads, from the workspace and after links.
  Locate locate{};
  // Whether the file may be attached; if not, the user knows why.
  std::function<bool(const std::string& name, const Located& place)> may =
      [](const std::string&, const Located&) { return true; };
  std::function<void(const std::string& remark)> tell = [](const std::string&) {};
  std::function<std::string(std::string_view bytes)> keep_blob{};
  // What is there by a name that is no file, such as a server's resource; nullopt: nothing. Throws
  // Error if it cannot be had. May be empty.
  std::function<std::optional<Fetched>(const std::string& name)> fetch{};
  // The text of a file that is_document() is true for; throws Error if it cannot be had. May be
  // empty.
  std::function<std::string(std::string_view bytes)> document{};
};

// Looks for names in what was `typed`: a prompt may hold pastes besides, and what these mention is
// not meant. What names no file stays as it was said. What is read is the file that `may` was asked
// about. Throws Error if a file cannot be attached.
PromptWithFiles with_files(const std::string& prompt, std::string_view typed,
                           const AttachPorts& ports);

// How `path` is named in a prompt.
std::string mention(std::string_view path);

}  // namespace skein::model
