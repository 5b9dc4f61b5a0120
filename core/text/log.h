// The maintainer's log: <folder>/<pid>.log, a line an event: level, time, subject, name=value. It
// holds numbers, ids, names of models and words of our own; never prompts, answers, addresses,
// keys or what a provider said. What a user should know is an Event instead.
#pragma once

#include "core/text/std.h"

namespace skein {

struct LogField {
  std::string_view name;
  std::string value;
  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, std::integral auto number)
      : name(field), value(std::to_string(number)) {}
};
using LogFields = std::initializer_list<LogField>;

// Without it nothing is written. `verbose` writes debug lines too. A log that cannot be opened is
// no reason to stop.
void start_log(std::string folder, bool verbose);
std::string log_file();  // where this process writes; empty: nowhere

void log_debug(std::string_view subject, LogFields fields);    // the course of things
void log_warning(std::string_view subject, LogFields fields);  // what should be rare

}  // namespace skein
