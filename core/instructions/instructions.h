// What the user and the project want a model to know before it works here: AGENTS.md and its kin.
// Some of it is in the system prompt from the beginning; what is written in folders further down,
// and rules for certain paths, come up when a file there is used.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/instructions/loader.h"

namespace skein::instructions {

inline constexpr std::size_t usual_bytes = 64u << 10;  // in all; of one file half of that

class Instructions {
 public:
  // 0 bytes: there are none. `withheld`: see Source.
  Instructions(Places places, std::size_t most_bytes, Source::Withheld withheld = {});

  // For the system prompt, in its order.
  const std::vector<Document>& documents() const { return documents_; }
  // Rules that wait for a file they are about.
  const std::vector<Document>& path_rules() const { return path_rules_; }
  // What was cut or refused, for the user.
  const std::vector<std::string>& remarks() const { return remarks_; }

  // Reads everything anew if a file has changed, come or gone; true: it has.
  bool refresh();

  // What holds for this file of the workspace besides; named by where it is, "web/AGENTS.md".
  std::vector<Document> nearby(const std::string& below) const;

 private:
  void load();

  Places places_;
  std::size_t most_bytes_;
  Source::Withheld withheld_;
  Source source_;
  std::vector<Document> documents_{}, path_rules_{};
  std::vector<std::string> remarks_{};
};

}  // namespace skein::instructions
