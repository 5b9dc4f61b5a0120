// The rules the user gave a workspace for good ("always here"), on this machine. They are kept
// beside the sessions, never in the workspace, so that no repository brings any along.
#pragma once

#include <string>
#include <vector>

namespace skein::store::home {

class RulesHere {
 public:
  // Without a file's name nothing outlives the process. Nothing is read before it is needed.
  explicit RulesHere(std::string file = {}, std::string workspace = {});

  const std::vector<std::string>& rules();
  // Both hold at once, as long as this process runs, and return why it was not written down.
  std::string give(const std::string& rule);
  std::string take_back(const std::string& rule);

  const std::string& damage() const { return damage_; }  // in a sentence; known once it was read

 private:
  std::string write(const std::string& rule, bool keep);

  std::string file_, workspace_;
  bool loaded_ = false;
  std::vector<std::string> here_{};
  std::string damage_{};
};

}  // namespace skein::store::home
