// Reads bytes of any kind as another program's file, and looks whether the reader keeps what it
// promises: sessions one after the other, parents before children, ids once, JSON that is JSON.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>

#include "core/import/formats.h"
#include "core/text/json.h"

namespace skein::fuzz {

class CheckedImport : public importers::Receiver {
 public:
  bool begin(const importers::ForeignSession& session) override {
    if (std::exchange(open_, true) || session.id.empty()) std::abort();
    known_.clear();
    return true;
  }
  void add(importers::ForeignEntry entry) override {
    if (!open_ || entry.id.empty()) std::abort();
    if (!entry.parent.empty() && !known_.contains(entry.parent)) std::abort();
    if (!entry.raw.empty() && !parse_json(entry.raw)) std::abort();
    if (const auto* const message = std::get_if<model::Message>(&entry.content)) check(*message);
    if (!known_.insert(std::move(entry.id)).second) std::abort();
  }
  // Some cannot be kept.
  std::string keep(std::string_view bytes) override { return bytes.size() % 2 == 0 ? "" : "blob"; }
  void lose(std::string_view what) override {
    if (what.empty()) std::abort();
  }
  void end(std::string_view leaf) override {
    if (!std::exchange(open_, false)) std::abort();
    if (!leaf.empty() && !known_.contains(std::string(leaf))) std::abort();
  }
  bool is_open() const { return open_; }  // a session has begun and not ended

 private:
  static void check(const model::Message& message) {
    if (!is_valid_utf8(model::plain_text(message))) std::abort();
    for (const model::Block& block : message.content) {
      if (const auto* const call = std::get_if<model::ToolUse>(&block)) {
        const auto input = parse_json(call->input);
        if (!input || !input->is_object()) std::abort();
      }
      if (const auto* const thought = std::get_if<model::Thinking>(&block))
        if (!thought->signature.empty() || !thought->provider_data.empty()) std::abort();
      if (std::holds_alternative<model::ToolResult>(block) && message.role != model::Role::tool)
        std::abort();
    }
    if (message.usage && message.usage->input < 0) std::abort();
  }

  std::unordered_set<std::string> known_{};
  bool open_ = false;
};

// As the format of that name, finished and growing.
inline void check_import(const char* format, const char* path, const unsigned char* data,
                         std::size_t size) {
  const importers::ImportFormat* const row = importers::format_named(format);
  const auto file =
      importers::SourceFile::of_bytes(path, std::string(reinterpret_cast<const char*>(data), size));
  (void)row->recognizes(file);
  for (const bool growing : {false, true}) {
    CheckedImport import;
    row->read(file, {.growing = growing}, import);
    if (import.is_open()) std::abort();
  }
}

}  // namespace skein::fuzz
