#include "core/hooks/hooks.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;
using namespace skein::hooks;
using Cause = process::CommandEnd::Cause;

namespace {

HookReply reply_of(Event event, int code, std::string output, std::string errors = "",
                   bool block_on_failure = false) {
  return read_reply({.event = event, .command = "x", .block_on_failure = block_on_failure},
                    {.code = code, .output = std::move(output), .errors = std::move(errors)});
}

constexpr Event every_event[] = {Event::session_start,    Event::user_prompt_submit,
                                 Event::pre_tool_use,     Event::permission_request,
                                 Event::post_tool_use,    Event::post_tool_use_failure,
                                 Event::notification,     Event::stop,
                                 Event::pre_compact,      Event::post_compact,
                                 Event::pre_model_switch, Event::post_model_switch,
                                 Event::session_end};

}  // namespace

TEST_CASE("status 2 keeps from happening what can be kept, and tells the user elsewhere") {
  for (const Event event : every_event) {
    CAPTURE(name(event));
    const HookReply reply = reply_of(event, 2, "", "no such thing\n");
    if (facts_about(event).blocks) {
      CHECK(reply.choice == HookChoice::deny);
      CHECK(reply.reason == "no such thing");
    } else {
      CHECK(reply.choice == HookChoice::none);
      CHECK(reply.message == "no such thing");
    }
    CHECK(reply.trouble.empty());
  }
}

TEST_CASE("any other end is a failure that lets things happen, unless the hook wants otherwise") {
  for (const Event event : every_event) {
    CAPTURE(name(event));
    const HookReply reply = reply_of(event, 1, "", "Traceback\nmore");
    CHECK(reply.choice == HookChoice::none);
    CHECK(reply.trouble == "it ended with status 1: Traceback");
    const HookReply strict = reply_of(event, 1, "", "Traceback\nmore", true);
    CHECK((strict.choice == HookChoice::deny) == facts_about(event).blocks);
    for (const Cause cause : {Cause::signalled, Cause::timed_out, Cause::not_started}) {
      const HookDefinition careful{.event = event, .block_on_failure = true};
      CHECK((read_reply(careful, {.cause = cause}).choice == HookChoice::deny) ==
            facts_about(event).blocks);
      CHECK(read_reply({.event = event}, {.cause = cause}).choice == HookChoice::none);
      CHECK(!read_reply({.event = event}, {.cause = cause}).trouble.empty());
    }
  }
}

TEST_CASE("plain text is for the model where it may be, and nothing elsewhere") {
  for (const Event event : every_event) {
    const HookReply reply = reply_of(event, 0, "\n remember the milk\n");
    CHECK(reply.context == (facts_about(event).takes_text ? "remember the milk" : ""));
    CHECK(reply.choice == HookChoice::none);
    CHECK(reply.trouble.empty());
  }
}

TEST_CASE("JSON that cannot be read is told, and changes nothing; an array is text") {
  CHECK(!reply_of(Event::pre_tool_use, 0, "{\"decision\": ").trouble.empty());
  CHECK(reply_of(Event::pre_tool_use, 0, "{\"decision\": ").choice == HookChoice::none);
  CHECK(reply_of(Event::pre_tool_use, 0, "[\"deny\"]").trouble.empty());
  CHECK(reply_of(Event::pre_tool_use, 0, "[\"deny\"]").choice == HookChoice::none);
  const HookReply binary = reply_of(Event::user_prompt_submit, 0, std::string("\xff\xfe\0\x01", 4));
  CHECK(binary.choice == HookChoice::none);
  CHECK(is_valid_utf8(binary.context));
}

TEST_CASE("a decision about a call is read in both of its spellings") {
  const HookReply modern = reply_of(Event::pre_tool_use, 0, R"({"hookSpecificOutput":
      {"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"hm",
       "updatedInput":{"command":"ls"}}})");
  CHECK(modern.choice == HookChoice::ask);
  CHECK(modern.reason == "hm");
  CHECK(modern.input == R"({"command":"ls"})");
  CHECK(reply_of(Event::pre_tool_use, 0, R"({"decision":"approve"})").choice == HookChoice::allow);
  const HookReply old = reply_of(Event::pre_tool_use, 0, R"({"decision":"block","reason":"r"})");
  CHECK(old.choice == HookChoice::deny);
  CHECK(old.reason == "r");
  const HookReply asked = reply_of(Event::permission_request, 0, R"({"hookSpecificOutput":
      {"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"later"}}})");
  CHECK(asked.choice == HookChoice::deny);
  CHECK(asked.reason == "later");
}

TEST_CASE("what is meant for another event is nobody's") {
  const HookReply reply = reply_of(Event::pre_tool_use, 0, R"({"hookSpecificOutput":
      {"hookEventName":"PostToolUse","permissionDecision":"allow","additionalContext":"x"}})");
  CHECK(reply.choice == HookChoice::none);
  CHECK(reply.context.empty());
  CHECK(reply_of(Event::stop, 0, R"({"decision":"approve"})").choice == HookChoice::none);
}

TEST_CASE("valid JSON counts whatever the status is, and 2 still blocks") {
  CHECK(reply_of(Event::pre_tool_use, 7, R"({"decision":"block","reason":"r"})").choice ==
        HookChoice::deny);
  CHECK(reply_of(Event::pre_tool_use, 7, R"({"decision":"block","reason":"r"})").trouble.empty());
  const HookReply both =
      reply_of(Event::pre_tool_use, 2, R"({"decision":"approve","reason":"r"})", "e");
  CHECK(both.choice == HookChoice::deny);
  CHECK(both.reason == "r");
}

TEST_CASE("a hook can end the turn and speak to the user") {
  const HookReply reply = reply_of(
      Event::post_tool_use, 0, R"({"continue":false,"stopReason":"enough","systemMessage":"hi"})");
  CHECK(reply.ends_turn == "enough");
  CHECK(reply.message == "hi");
}
