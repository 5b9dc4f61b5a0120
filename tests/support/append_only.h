// Judges a series of requests as a service would that binds what a model thought to everything
// before it. For every two requests in a row on one branch to one model: system prompt, tools and
// the messages of the first stand unchanged in the second, on every wire, or the path records a
// step between them. And every thinking block stands behind exactly what it was made behind.
//
// What counts as unchanged: cache marks are left out; the last message of the first request may go
// on in the second (its blocks are the first blocks there), since nothing had answered it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/handover/target.h"
#include "core/model/entry.h"
#include "core/model/provider.h"
#include "core/text/json.h"

namespace skein::test {

// Where the entries of a session hang, and which of them are steps.
class Branches {
 public:
  void add(const model::Entry& entry);
  // Whether `ancestor` lies on the path to `leaf`; and if so, whether a step lies behind it.
  struct Way {
    bool leads = false;
    bool has_step = false;
  };
  Way way(Id ancestor, Id leaf) const;

 private:
  struct Place {
    std::optional<Id> parent{};
    bool is_step = false;
  };
  std::map<Id, Place> places_{};
};

handover::WireFormat wire_of(const std::string& provider);

// A chain over the bytes of a request on Anthropic's wire, and what a reply puts behind it.
class Seal {
 public:
  explicit Seal(const Json& body);
  void add(const Json& block);
  std::string text() const;
  // What is wrong with the seals in the request; empty: nothing.
  const std::string& broken() const { return broken_; }
  const std::string& broken_seal() const { return broken_seal_; }

 private:
  std::uint64_t chain_ = 0;
  std::string broken_{}, broken_seal_{};
};

class AppendOnlyJudge {
 public:
  // What is wrong with this request, made when the head was `leaf`; empty: nothing.
  std::string judge(const model::Context& context, const model::ModelRef& model, Id leaf,
                    const Branches& branches);
  std::size_t compared() const { return compared_; }  // pairs without a step between them
  std::size_t steps() const { return steps_; }        // pairs with one
  // The request judged last, on Anthropic's wire.
  const Json& last_body() const { return last_body_; }
  // This seal was given behind it.
  void remember(const std::string& seal) { sealed_behind_[seal] = last_body_; }

 private:
  struct Request {
    std::string model;
    Id leaf;
    std::vector<Json> bodies;  // by wire
  };
  std::deque<Request> requests_{};  // the newest first
  std::size_t compared_ = 0, steps_ = 0;
  Json last_body_{};
  std::map<std::string, Json> sealed_behind_{};
};

// The request on a wire, normalized for it.
Json body_on(handover::WireFormat wire, const model::Context& context, const model::ModelRef& model);

// Why `later` does not begin with `earlier`; empty: it does.
std::string difference(handover::WireFormat wire, const Json& earlier, const Json& later);

}  // namespace skein::test
