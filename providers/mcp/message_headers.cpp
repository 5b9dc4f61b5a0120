#include "providers/mcp/message_headers.h"

#include <algorithm>

#include "core/mcp/rpc.h"
#include "core/text/base64.h"
#include "core/text/json.h"

namespace skein::mcp {

namespace {

constexpr std::string_view mark_begins = "=?base64?", mark_ends = "?=";

// What the request is about; empty: its method says it all.
std::string subject_of(const rpc::Message& message) {
  if (message.method == "resources/read") return string_at(message.params, "uri");
  if (message.method == "tools/call" || message.method == "prompts/get")
    return string_at(message.params, "name");
  return {};
}

}  // namespace

std::string header_text(const std::string& value) {
  const bool plain = std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
  const bool padded = value.starts_with(' ') || value.ends_with(' ');
  const bool marked = value.starts_with(mark_begins) && value.ends_with(mark_ends);
  if (plain && !padded && !marked) return value;
  return std::string(mark_begins) + base64(value) + std::string(mark_ends);
}

http::HttpHeaders message_headers(std::string_view text, const Channel::Parameters& parameters) {
  const std::optional<rpc::Message> message = rpc::read(text);
  if (!message) return {};
  const std::string version =
      string_at(at(message->params, "_meta"), "io.modelcontextprotocol/protocolVersion");
  if (version.empty()) return {};
  http::HttpHeaders out{{"mcp-protocol-version", version},
                        {"mcp-method", header_text(message->method)}};
  if (const std::string subject = subject_of(*message); !subject.empty())
    out.emplace_back("mcp-name", header_text(subject));
  for (const auto& [name, value] : parameters) out.emplace_back(name, header_text(value));
  return out;
}

}  // namespace skein::mcp
