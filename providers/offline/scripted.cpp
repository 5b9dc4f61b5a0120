#include "providers/offline/scripted.h"

#include "core/text/io.h"
#include "core/text/json.h"
#include "providers/offline/offline.h"

namespace skein::offline {

namespace delta = model::delta;
using model::Message, model::Stop;

namespace {

// One reply being given.
struct Performance {
  PacedReply speaker;
  model::Usage usage{};
  std::optional<Stop> stop{};
  bool called = false;
  bool over = false;  // cut or failed: nothing more is said
};

// Pieces are sent as they are; a text is spoken word by word.
void say(Performance& play, const Json& value) {
  if (value.is_string()) return play.speaker.say(value.get<std::string>());
  for (const Json& piece : value) play.speaker.tell(delta::TextPiece{"", piece.get<std::string>()});
}

void think(Performance& play, const Json& value) { play.speaker.think(value.get<std::string>()); }

void call(Performance& play, const Json& value) {
  play.called = true;
  play.speaker.call({.id = string_at(value, "id"),
                     .name = string_at(value, "name"),
                     .input = value.contains("input") ? dump(value["input"]) : "{}"});
}

void wait(Performance& play, const Json& value) {
  play.speaker.wait(std::chrono::milliseconds(value.get<std::int64_t>()));
}

void usage(Performance& play, const Json& value) {
  play.usage = {int_at(value, "input"), int_at(value, "output"), int_at(value, "cache_read"),
                int_at(value, "cache_write"), int_at(value, "reasoning")};
}

constexpr Stop stops[] = {Stop::stop,    Stop::length,      Stop::tool_use, Stop::refusal,
                          Stop::aborted, Stop::interrupted, Stop::error};

void stop(Performance& play, const Json& value) {
  play.stop = *std::ranges::find(stops, value.get<std::string>(),
                                 [](Stop each) { return model::name(each); });
}

template <bool overflow>
void fail(Performance& play, const Json& value) {
  play.speaker.tell(delta::Failed{.text = value.get<std::string>(), .overflow = overflow});
  play.over = true;
}

void cut(Performance& play, const Json&) { play.over = true; }

bool is_text(const Json& value) { return value.is_string(); }
bool is_number(const Json& value) { return value.is_number_unsigned(); }
bool is_object(const Json& value) { return value.is_object(); }
bool is_true(const Json& value) { return value == true; }
bool is_call(const Json& value) { return !string_at(value, "name").empty(); }
bool is_text_or_pieces(const Json& value) {
  return value.is_string() || (value.is_array() && std::ranges::all_of(value, is_text));
}
bool is_stop(const Json& value) {
  return std::ranges::any_of(stops, [&](Stop each) { return value == model::name(each); });
}

struct ScriptStep {
  std::string_view name;
  bool (*valid)(const Json&);
  void (*play)(Performance&, const Json&);
};
constexpr ScriptStep steps[] = {
    {"say", is_text_or_pieces, say}, {"think", is_text, think},         {"call", is_call, call},
    {"wait", is_number, wait},       {"usage", is_object, usage},       {"stop", is_stop, stop},
    {"error", is_text, fail<false>}, {"overflow", is_text, fail<true>}, {"cut", is_true, cut}};

const ScriptStep* find_step(const Json& step) {
  if (!step.is_object() || step.size() != 1) return nullptr;
  const auto* row =
      std::ranges::find(steps, std::string_view(step.begin().key()), &ScriptStep::name);
  return row != std::end(steps) && row->valid(step.begin().value()) ? row : nullptr;
}

void check(const JsonText& script) {
  const auto replies = parse_json(script);
  if (!replies || !replies->is_array()) throw Error("the script is not a JSON array of replies");
  for (std::size_t i = 0; i < replies->size(); ++i) {
    const Json& reply = (*replies)[i];
    if (reply.is_string()) continue;
    if (!reply.is_array())
      throw Error("reply " + std::to_string(i + 1) +
                  " of the script is neither a string nor an array");
    for (std::size_t j = 0; j < reply.size(); ++j)
      if (find_step(reply[j]) == nullptr)
        throw Error("reply " + std::to_string(i + 1) + " of the script: step " +
                    std::to_string(j + 1) + " is not valid");
  }
}

}  // namespace

ScriptedProvider::ScriptedProvider(JsonText script) : script_(std::move(script)) { check(script_); }

ScriptedProvider ScriptedProvider::load(const std::string& file) {
  std::optional<std::string> script = file_text(file);
  if (!script) throw Error("cannot read the script " + file + ": " + std::strerror(errno));
  return ScriptedProvider(std::move(*script));
}

Message ScriptedProvider::stream(const model::Context& context, const model::ModelRef& model,
                                 const model::Ports& ports) {
  const auto said = std::ranges::count(context.messages, model::Role::assistant, &Message::role);
  const std::size_t number = std::max(next_, static_cast<std::size_t>(said));
  next_ = number + 1;

  Performance play{PacedReply(model, ports, {})};
  const Json replies = *parse_json(script_);
  if (number >= replies.size()) {
    play.speaker.tell(delta::Failed{"the script has no reply " + std::to_string(number + 1)});
    return play.speaker.cut();
  }
  const Json& reply = replies[number];
  if (reply.is_string()) say(play, reply);
  for (std::size_t i = 0; reply.is_array() && i < reply.size() && !play.over; ++i)
    find_step(reply[i])->play(play, reply[i].begin().value());
  if (play.over) return play.speaker.cut();
  return play.speaker.finish(play.stop.value_or(play.called ? Stop::tool_use : Stop::stop),
                             play.usage);
}

}  // namespace skein::offline
