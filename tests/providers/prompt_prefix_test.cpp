// What was sent once is sent again in the same bytes, so that the providers' prompt caches hit.
#include <doctest/doctest.h>

#include <optional>

#include "core/context/build_context.h"
#include "core/context/compaction.h"
#include "core/handover/normalize.h"
#include "core/text/json.h"
#include "providers/wire/codecs.h"
#include "tests/support/paths.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Wire {
  handover::WireFormat format;
  const wire::Codec& codec;
  const char* provider;
  const char* model;
  const char* messages;  // the member that holds them
};
const Wire wires[] = {
    {handover::WireFormat::anthropic, wire::anthropic_messages, "anthropic", "claude", "messages"},
    {handover::WireFormat::openai_chat, wire::openai_chat, "openai", "gpt", "messages"},
    {handover::WireFormat::openai_responses, wire::openai_responses, "openai", "gpt", "input"},
    {handover::WireFormat::google, wire::google_gemini, "google", "gemini-2.5", "contents"}};

struct Sent {
  Json body;
  bool fits = true;
};
Sent sent_for(const Wire& wire, const std::vector<model::Entry>& path, context::Window window) {
  const model::ModelRef model{wire.provider, wire.model};
  const std::set<Id> redacted;
  context::BuiltContext built =
      context::build_context({.path = path,
                              .redacted = redacted,
                              .system = "be brief",
                              .tools = {{"read", "reads", R"({"type":"object"})"}},
                              .model = model,
                              .window = window});
  const handover::Target target = handover::target_for(wire.format, wire.provider, wire.model);
  built.context.messages = handover::normalize(built.context.messages, target);
  return {*parse_json(wire.codec.encode(built.context, model, {.max_output = 8'000}).body),
          built.fits()};
}

// Marks of the cache itself wander with the end; they are not part of what is cached.
void without_marks(Json& value) {
  if (value.is_object()) value.erase("cache_control");
  if (value.is_structured())
    for (Json& each : value) without_marks(each);
}

// A turn with a call. What it cost is a quarter more than we would guess.
void add_turn(std::vector<model::Entry>& path, const Wire& wire, int number,
              std::size_t result_bytes) {
  const std::string id = "call_" + std::to_string(number);
  model::Message reply = answers("let me see", {{id, "read", R"({"path":"a"})"}});
  reply.provider = wire.provider;
  reply.model = wire.model;
  reply.usage = model::Usage{.input = 50};
  for (const model::Entry& entry : path)
    reply.usage->cache_read += static_cast<std::int64_t>(entry.payload.size()) / 4;
  for (const model::Message& message :
       {model::user_message("question " + std::to_string(number)), reply,
        result_of(id, std::string(result_bytes, 'x')), answers("so it is")})
    follow(path, model::message_entry(message));
}

// Whether `longer` begins with everything `shorter` has, byte for byte.
bool begins_with(const Wire& wire, Json longer, Json shorter) {
  without_marks(longer);
  without_marks(shorter);
  Json& more = longer.at(wire.messages);
  const Json& less = shorter.at(wire.messages);
  if (more.size() <= less.size()) return false;
  more.erase(more.begin() + static_cast<std::ptrdiff_t>(less.size()), more.end());
  return dump(longer) == dump(shorter);
}

}  // namespace

TEST_CASE("a longer conversation begins with the bytes of the shorter one, on every wire") {
  for (const Wire& wire : wires) {
    CAPTURE(wire.codec.name);
    std::vector<model::Entry> path;
    std::optional<Json> before;
    for (int turn = 0; turn < 8; ++turn) {
      add_turn(path, wire, turn, 3000);
      const Sent sent = sent_for(wire, path, {100'000, 8'000});
      CHECK(sent.fits);
      CHECK(dump(sent_for(wire, path, {100'000, 8'000}).body) == dump(sent.body));
      if (before) CHECK(begins_with(wire, sent.body, *before));
      before = sent.body;
    }
  }
}

TEST_CASE("where something must be left out, the beginning changes with a recorded cut only") {
  for (const Wire& wire : wires) {
    CAPTURE(wire.codec.name);
    std::vector<model::Entry> path;
    std::optional<Json> before;
    int cuts = 0;
    for (int turn = 0; turn < 100; ++turn) {
      add_turn(path, wire, turn, turn % 5 == 0 ? 2400 : 100);
      Sent sent = sent_for(wire, path, {6'000, 1'000});
      const bool cut = !sent.fits;
      if (cut) {
        const auto plan = context::plan_cut(path, {}, 3'000, {});
        REQUIRE(plan);
        follow(path, context::compaction_entry(*plan, "", {}));
        sent = sent_for(wire, path, {6'000, 1'000});
        ++cuts;
      }
      CHECK(sent.fits);
      if (before) CHECK(begins_with(wire, sent.body, *before) == !cut);
      before = sent.body;
    }
    CHECK(cuts > 2);
    CHECK(cuts < 25);
  }
}

TEST_CASE("anthropic: a step begins where a mark of the last request was, and has one there too") {
  const Wire& wire = wires[0];
  std::vector<model::Entry> path;
  std::string last;  // the block that bore the last mark of the request before
  for (int turn = 0; turn < 5; ++turn) {
    const std::string id = "call_" + std::to_string(turn);
    std::vector<model::ToolUse> calls;
    for (int i = 0; i < 30; ++i) calls.push_back({id + "_" + std::to_string(i), "read"});
    if (turn == 0) follow(path, model::message_entry(model::user_message("go")));
    const Json body = sent_for(wire, path, {100'000, 8'000}).body;
    std::vector<std::string> marked;
    for (const Json& message : body.at("messages"))
      for (const Json& block : message.at("content"))
        if (block.contains("cache_control")) marked.push_back(dump(block));
    CHECK(body.at("system").back().contains("cache_control"));
    CHECK(body.at("tools").back().contains("cache_control"));
    REQUIRE(marked.size() == (turn == 0 ? 1 : 2));
    if (turn > 0) CHECK(marked.front() == last);
    last = marked.back();
    follow(path, model::message_entry(answers("many", calls)));
    for (const model::ToolUse& call : calls)
      follow(path, model::message_entry(result_of(call.id, "x")));
  }
}
