// The command line by which the Claude Agent SDK starts the program that it drives, as skein's own.
#pragma once

#include "core/text/base.h"

namespace skein::app {

// What such a program asks for beyond skein's own options.
struct ClientFlags {
  bool asks = false;        // it answers questions about permissions
  bool dont_ask = false;    // but not in the mode that it begins in
  bool partial = false;     // it wants answers while they stream
  bool replay = false;      // it wants its own messages back
  bool may_bypass = false;  // it may switch to bypassPermissions
  std::string session{};    // the UUID of a new session
  std::string resume{};     // the UUID of a session to continue
  std::string resume_at{};  // the UUID of the message to continue after
  // Rules, as the settings of Claude Code hold them: {"permissions": {"allow": […], "deny": […]}}
  JsonText permissions{};
  std::vector<std::string> warnings{};  // what was ignored
  std::string trouble{};                // why nothing must be started; empty: it may
};

// Instead of a system prompt that the client wants to be empty: what tools need is sent all the
// same.
inline constexpr const char* no_system_prompt = "Answer the user, with the tools you have.";

struct TranslatedFlags {
  std::vector<std::string> arguments{};  // for skein's own parser
  ClientFlags flags{};
};

// nullopt: no program drives skein by JSON, so the command line is in skein's own words.
std::optional<TranslatedFlags> translated_flags(std::span<const std::string> arguments);

// A model as Claude Code calls it, in skein's words.
std::string model_for_skein(const std::string& name);
// The level of thinking that is meant by a number of tokens.
std::string thinking_for_tokens(std::int64_t tokens);
// nullopt: there is no such mode. dontAsk and auto are the default mode here.
std::optional<std::string> mode_for_skein(const std::string& name);

}  // namespace skein::app
