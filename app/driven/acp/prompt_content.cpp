#include "app/driven/acp/prompt_content.h"

#include "app/driven/acp/rpc.h"
#include "core/model/attachments.h"
#include "core/text/encoding.h"
#include "core/text/request_text.h"
#include "core/text/text.h"

namespace skein::app::driven::acp {

namespace {

constexpr std::size_t most_bytes = 32u << 20;

// The path in a file:// address; empty: it is another one.
std::string path_of(const std::string& uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return {};
  const std::string path = percent_decoded(std::string_view(uri).substr(scheme.size()));
  return path.substr(0, path.find('#'));
}

std::string bytes_of(const Json& block, const char* member) {
  const std::optional<std::string> bytes = from_base64(string_at(block, member));
  if (!bytes || bytes->empty()) throw bad(std::string("`") + member + "` is not base64");
  return *bytes;
}

void add_resource(const Json& resource, ClientPrompt& prompt, std::string& texts) {
  const std::string uri = string_at(resource, "uri"), path = path_of(uri);
  const std::string type = string_at(resource, "mimeType");
  if (!at(resource, "text").is_string() && !at(resource, "blob").is_string())
    throw bad("a resource has no content");
  if (at(resource, "text").is_string())
    texts += "\n\n" + (path.empty() ? uri : path) + ":\n" + string_at(resource, "text");
  else if (type.starts_with("image/"))
    prompt.images.push_back({.mime_type = type, .bytes = bytes_of(resource, "blob")});
  else
    texts += "\n\n[" + uri + " of type '" + type + "' is left out: it is no text]";
}

}  // namespace

ClientPrompt prompt_of(const Json& blocks) {
  ClientPrompt out{.mentions = std::string()};
  if (!blocks.is_array()) throw bad("`prompt` must be a list");
  if (dump(blocks).size() > most_bytes) throw bad("a prompt may be 32 MiB");
  std::string texts;  // behind all that was typed
  for (const Json& block : blocks) {
    const std::string type = string_at(block, "type");
    if (type == "text") {
      out.text += string_at(block, "text");
    } else if (type == "resource_link") {
      const std::string uri = string_at(block, "uri"), path = path_of(uri);
      if (uri.empty()) throw bad("a link has no `uri`");
      out.text += path.empty() ? uri : path;
      if (!path.empty()) *out.mentions += model::mention(path) + " ";
    } else if (type == "resource") {
      add_resource(at(block, "resource"), out, texts);
    } else if (type == "image") {
      out.images.push_back(
          {.mime_type = string_at(block, "mimeType"), .bytes = bytes_of(block, "data")});
    } else {
      throw bad("skein does not take content of type '" + type + "'");
    }
  }
  out.text += texts;
  if (is_blank(out.text) && out.images.empty()) throw bad("the prompt is empty");
  return out;
}

}  // namespace skein::app::driven::acp
