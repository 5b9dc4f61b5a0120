// Words that mean a subcommand wherever else people type them. Sent to the model they would be paid
// for, and `source <(skein completion bash)` would run what it answers.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace skein::app {

// Why `words`, bare words of a command line of which the first is no subcommand, are not taken for
// a prompt; nothing if they are. `before` is what stood in front of them.
std::optional<std::string> not_a_prompt(std::span<const std::string> before,
                                        std::span<const std::string> words);

}  // namespace skein::app
