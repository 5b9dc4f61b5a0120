// A session that somebody watches: its page, and what has come since.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/exchange/exporters/exported_session.h"

namespace skein::app {

class SharedSession {
 public:
  using Read = std::function<exchange::exporters::ExportedSession()>;
  // `read` gives the session as it is now, with everything masked that must be; `version` differs
  // when it may have changed, and is cheap. Reads once: what is wrong with the session is thrown
  // here.
  SharedSession(Read read, std::function<std::string()> version);

  std::string page();

  struct News {
    std::string entries{};  // a JSON array on one line; empty: there are none
    std::size_t count = 0;  // how many there are in all now
  };
  // What a page that has `after` entries lacks.
  News since(std::size_t after);
  // Looks whether something happened; true: since() may have something to say.
  bool changed();
  // Counts the times that something which was shown went or came otherwise.
  std::size_t edition() const { return edition_; }

 private:
  Read read_;
  std::function<std::string()> version_;
  std::string seen_{};
  std::vector<std::size_t> hashes_{};  // of what is shown of each entry
  std::size_t edition_ = 0;
};

}  // namespace skein::app
