// What keys, tokens and passwords look like: one row for each form. To know one more is to add a
// row.
#pragma once

#include <span>
#include <string_view>

namespace skein::exchange {

struct SecretForm {
  std::string_view name;
  // RE2, over bytes. A group, if there is one, is the secret; else all of it is.
  std::string_view pattern;
};

// The more specific first: the first that fits at a place names what is there.
std::span<const SecretForm> secret_forms();

// `name = value` of any program: the group is the value, which must look random besides.
inline constexpr std::string_view assignment_pattern =
    R"re((?i:[a-z0-9_.-]{0,40}(?:key|secret|token|passw(?:or)?d|passwd|pwd|credentials?)[a-z0-9_-]{0,20}\\{0,3}["'`]?\s{0,4}(?::=|=>|[:=])\s{0,4}\\{0,3}["'`]?)([^\s"'`,;<>(){}\[\]\\]{16,512}))re";

// Names of members of an object whose text is a secret if it looks random.
inline constexpr std::string_view telling_name_pattern =
    R"re((?i)(?:api|access|secret|private|auth|signing|encryption|account|master)[ _.-]?key|secret|token|passw(?:or)?d|passwd|pwd|credential)re";

}  // namespace skein::exchange
