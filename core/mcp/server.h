// The server's side: one message in, at most one out. What it has to offer is a table of tools and
// a few functions for resources. It speaks both eras: with a greeting, and without one
// (2026-07-28), where every request says which it is. Pure but for what the tools do.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/base.h"

namespace skein::mcp {

struct ServedTool {
  std::string name, description;
  JsonText schema;
  bool only_reads = true;
  // What it answers, as text. Throws Error: then that is the answer, as a failure. `id` is the
  // request's, as JSON.
  std::function<std::string(const JsonText& arguments, const JsonText& id)> run;
};

struct ServedResource {
  std::string uri, name, description;
};

struct Offer {
  std::string version, instructions;
  std::vector<ServedTool> tools{};
  std::vector<ServedResource> templates{};  // their uri has {…} in it
  // A page of them from `cursor` on, which becomes the next one; empty: that was all.
  std::function<std::vector<ServedResource>(std::string& cursor)> resources{};
  // The text of one, as Markdown; nullopt: there is none of that uri.
  std::function<std::optional<std::string>(const std::string& uri)> read{};
};

class Server {
 public:
  explicit Server(Offer offer) : offer_(std::move(offer)) {}

  // The answer to a line; nullopt: it wants none.
  std::optional<JsonText> answer(std::string_view line);

 private:
  Offer offer_;
};

// The request that a line cancels, as JSON; empty: it cancels none.
JsonText cancelled_by(std::string_view line);

}  // namespace skein::mcp
