// pi's ids of entries: eight hex digits. An entry that came from pi has the one it had there, so
// that reading it again gives the same.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

class PiIds {
 public:
  // Looks through all entries once: nobody else gets an id that pi gave.
  explicit PiIds(const ExportedSession& session);

  std::string of(Id entry);
  // Another id for a further line of the same entry.
  std::string another(Id entry, std::size_t number);
  bool knows(Id entry) const { return ids_.contains(entry); }

 private:
  std::string fresh(const std::string& wish);

  std::unordered_map<Id, std::string> ids_{};
  std::unordered_set<std::string> taken_{};
};

}  // namespace skein::exchange::exporters
