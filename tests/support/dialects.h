// A few words in each wire format, for servers that tests play.
#pragma once

#include <string>
#include <vector>

namespace skein::test {

struct Dialect {
  std::string provider, model, path;
  std::string auth;   // the header with the key %
  std::string begin;  // before the first piece
  std::string (*text)(const std::string& piece);
  std::string call;       // a whole call of `read` with {"path":"a"}
  std::string half_call;  // one whose input has begun
  std::string end;        // reason, usage (7 in, 3 out) and end mark
  std::string call_end;   // the same after a call
  std::string error;      // "overloaded", inside a stream
};

const std::vector<Dialect>& dialects();

}  // namespace skein::test
