// What a word that is being typed may become: sessions, models, entries, names out of the tables.
// Nothing is asked of the network, and nothing is made in a home that is not there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/completion/typed_line.h"

namespace skein::completion {

// Both fit to be shown by a terminal.
struct Candidate {
  std::string text{};
  std::string description{};
};

struct Candidates {
  std::vector<Candidate> all{};
  // What the shell knows better.
  enum class Shell { nothing, files, folders } shell = Shell::nothing;
};

// Those that begin with what is there already, the likeliest first. Of very many only the first
// are given, and one more where those would have more in common than all do.
Candidates candidates_for(const TypedLine& line);

}  // namespace skein::completion
