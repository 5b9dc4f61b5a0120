#include "core/hooks/reply.h"

#include <cstring>

#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::hooks {

namespace {

constexpr int exit_blocks = 2;

std::string first_line(std::string_view text) {
  text = trimmed(text);
  return std::string(utf8_prefix(text.substr(0, text.find('\n')), 200));
}

// What became of it, if that is not what was agreed on; empty: it ended with 0 or 2.
std::string failure_of(const Definition& definition, const ProcessEnd& end) {
  const std::string said = first_line(valid_utf8(end.errors));
  switch (end.cause) {
    case ProcessEnd::Cause::exited:
      if (end.code == 0 || end.code == exit_blocks) return {};
      return "it ended with status " + std::to_string(end.code) + (said.empty() ? "" : ": " + said);
    case ProcessEnd::Cause::signalled: return "it was ended by signal " + std::to_string(end.code);
    case ProcessEnd::Cause::timed_out:
      return "it took more than " + short_duration(definition.time_limit().count());
    case ProcessEnd::Cause::stopped: return "it was stopped";
    case ProcessEnd::Cause::not_started:
      return "it could not be started: " + std::string(std::strerror(end.code));
  }
  return {};
}

Choice parse_choice(std::string_view word) {
  if (word == "allow" || word == "approve") return Choice::allow;
  if (word == "ask") return Choice::ask;
  return word == "deny" || word == "block" ? Choice::deny : Choice::none;
}

// The members that belong to one event; those of another are nobody's.
void take_specific(Reply& reply, const Json& specific) {
  reply.context = string_at(specific, "additionalContext");
  reply.title = string_at(specific, "sessionTitle");
  if (const std::string word = string_at(specific, "permissionDecision"); !word.empty()) {
    reply.choice = parse_choice(word);
    reply.reason = string_at(specific, "permissionDecisionReason", reply.reason);
  }
  if (const Json& decision = at(specific, "decision"); decision.is_object()) {
    reply.choice = parse_choice(string_at(decision, "behavior"));
    reply.reason = string_at(decision, "message", reply.reason);
    if (at(decision, "updatedInput").is_object()) reply.input = text_at(decision, "updatedInput");
  }
  if (at(specific, "updatedInput").is_object()) reply.input = text_at(specific, "updatedInput");
  for (const char* member : {"updatedToolOutput", "updatedMCPToolOutput"})
    if (const Json& output = at(specific, member); !output.is_null())
      reply.output = output.is_string() ? output.get<std::string>() : dump(output);
}

void take_json(Reply& reply, const Definition& definition, const Json& said) {
  reply.choice = parse_choice(string_at(said, "decision"));
  reply.reason = string_at(said, "reason");
  reply.message = string_at(said, "systemMessage");
  if (!bool_at(said, "continue", true))
    reply.ends_turn = string_at(said, "stopReason", "it gives no reason");
  const Json& specific = at(said, "hookSpecificOutput");
  if (string_at(specific, "hookEventName", name(definition.event)) == name(definition.event))
    take_specific(reply, specific);
  // What cannot be allowed or asked about can only be kept from happening.
  if (!facts_about(definition.event).of_tool && reply.choice != Choice::deny)
    reply.choice = Choice::none;
}

}  // namespace

std::string_view name(Choice choice) {
  switch (choice) {
    case Choice::none: return "";
    case Choice::allow: return "allow";
    case Choice::ask: return "ask";
    case Choice::deny: return "deny";
  }
  return "";
}

Reply read_reply(const Definition& definition, const ProcessEnd& end) {
  const EventFacts& facts = facts_about(definition.event);
  Reply reply;
  const std::string text = valid_utf8(end.output);
  const bool as_json = trimmed(text).starts_with('{');
  const std::optional<Json> said = as_json ? parse_json(trimmed(text)) : std::nullopt;
  const bool exited = end.cause == ProcessEnd::Cause::exited;
  if (said && exited)
    take_json(reply, definition, *said);
  else if (exited && end.code == 0 && !as_json && facts.takes_text)
    reply.context = trimmed(text);

  if (exited && end.code == exit_blocks) {
    const std::string errors(trimmed(valid_utf8(end.errors)));
    if (reply.reason.empty()) reply.reason = errors;
    if (facts.blocks)
      reply.choice = Choice::deny;
    else if (reply.message.empty())
      reply.message = errors;
    return reply;
  }
  if (exited && end.code == 0 && as_json && !said)
    reply.trouble = end.cut ? "it printed more than skein reads" : "what it printed is not JSON";
  if (said && exited) return reply;
  const std::string failure = failure_of(definition, end);
  if (!failure.empty()) reply.trouble = failure;
  if (!failure.empty() && definition.block_on_failure && facts.blocks &&
      end.cause != ProcessEnd::Cause::stopped) {
    reply.choice = Choice::deny;
    reply.reason = failure;
  }
  return reply;
}

}  // namespace skein::hooks
