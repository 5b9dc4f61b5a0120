// A receiver that keeps nothing but ids, and aborts where a reader breaks a promise.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>

#include "core/exchange/importers/receiver.h"
#include "core/text/json.h"

namespace skein::test {

class CheckingReceiver : public exchange::importers::Receiver {
 public:
  int sessions() const { return sessions_; }

  bool begin(const exchange::importers::ForeignSession&) override {
    expect(!open_);
    open_ = true;
    ++sessions_;
    ids_.clear();
    return true;
  }
  void add(exchange::importers::ForeignEntry entry) override {
    expect(open_);
    expect(entry.parent.empty() || ids_.contains(entry.parent));
    expect(!entry.id.empty() && ids_.insert(entry.id).second);
    if (const auto* message = std::get_if<model::Message>(&entry.content)) {
      expect(parse_json(model::to_json(*message)).has_value());
      for (const model::Block& block : message->content)
        if (const auto* thinking = std::get_if<model::Thinking>(&block))
          expect(thinking->signature.empty() && thinking->provider_data.empty());
    }
    expect(entry.raw.empty() || parse_json(entry.raw).has_value());
  }
  void alias(std::string_view, std::string_view) override { expect(open_); }
  std::string keep(std::string_view bytes) override { return bytes.size() % 2 == 0 ? "" : "blob"; }
  void lose(std::string_view what) override { expect(!what.empty()); }
  void end(std::string_view leaf) override {
    expect(open_ && (leaf.empty() || ids_.contains(std::string(leaf))));
    open_ = false;
  }

 private:
  static void expect(bool kept) {
    if (!kept) std::abort();
  }

  bool open_ = false;
  int sessions_ = 0;
  std::unordered_set<std::string> ids_{};
};

}  // namespace skein::test
