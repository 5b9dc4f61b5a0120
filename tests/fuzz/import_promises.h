// A receiver that ends the program when a reader breaks a promise, and the bytes of any kind that
// are read into it.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

#include "core/exchange/importers/format.h"
#include "core/text/json.h"

namespace skein::test {

class ImportPromises : public exchange::importers::Receiver {
 public:
  bool begin(const exchange::importers::ForeignSession& session) override {
    if (open_ || session.id.empty()) std::abort();
    open_ = true;
    given_.clear();
    return true;
  }
  void add(exchange::importers::ForeignEntry entry) override {
    if (!open_ || entry.id.empty()) std::abort();
    if (!entry.parent.empty() && !given_.contains(entry.parent)) std::abort();
    if (!given_.insert(entry.id).second) std::abort();
    if (const auto* message = std::get_if<model::Message>(&entry.content))
      for (const model::ToolUse* call : model::tool_uses(*message)) {
        const auto input = parse_json(call->input);
        if (!input || !input->is_object()) std::abort();
      }
  }
  void alias(std::string_view id, std::string_view) override { given_.insert(std::string(id)); }
  std::string keep(std::string_view) override { return "blob"; }
  void lose(std::string_view) override {}
  void end(std::string_view leaf) override {
    if (!open_ || (!leaf.empty() && !given_.contains(std::string(leaf)))) std::abort();
    open_ = false;
  }
  bool done() const { return !open_; }

 private:
  bool open_ = false;
  std::unordered_set<std::string> given_{};
};

inline void read_any_bytes(std::string_view format, const unsigned char* data, std::size_t size) {
  namespace importers = exchange::importers;
  const auto file = importers::SourceFile::of_bytes(
      "/nowhere/session.jsonl", std::string(reinterpret_cast<const char*>(data), size));
  (void)importers::format_of(file);
  for (const bool growing : {false, true}) {
    ImportPromises promises;
    importers::format_named(format)->read(file, {.growing = growing}, promises);
    if (!promises.done()) std::abort();
  }
}

}  // namespace skein::test
