// What every format of an export is written from, and where it is written to. Entries are visited,
// never held together: a session may be larger than memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/entry.h"

namespace skein::exchange::exporters {

using Sink = std::function<void(std::string_view)>;
using VisitEntry = std::function<void(const model::Entry&)>;

struct ExportedSession {
  Id id{};
  std::string key{};
  std::string imported_from{};  // the format it came from; empty: it is our own
  std::string imported_as{};    // its id there
  std::string title{};
  std::string cwd{};
  std::string created_at{}, updated_at{};
  std::vector<std::string> models{};  // provider/model
  std::string usage{};                // messages, tokens and cost, for people
  std::string seal{};                 // whether it is as it was written, for people
  bool whole_tree = false;            // else the path to `leaf`
  std::optional<Id> leaf{};           // where the session stands, or where the chosen path ends
  std::vector<Id> leaves{};           // the ends of all branches that are exported
  // Every entry in the order they were written, parents before children, with what is redacted
  // masked; of a path also the marginal ones that were written along it. May be called again.
  std::function<void(const VisitEntry&)> each_entry = [](const VisitEntry&) {};
  // The bytes of a blob; empty: they are not there.
  std::function<std::string(const std::string& name)> blob = [](const std::string&) {
    return std::string{};
  };
};

struct ExportOptions {
  bool tools = true;     // calls and their results
  bool thinking = true;  // what models thought
};

// The same session without what the options leave out. What is then empty goes, and its children
// follow what it followed.
ExportedSession with_options(ExportedSession session, const ExportOptions& options);

}  // namespace skein::exchange::exporters
