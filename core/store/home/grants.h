// Permission rules that the user gave on this machine: to a session, and to a workspace.
#pragma once

#include "core/text/base.h"

namespace skein::store::home {

// The rules the user gave a workspace for good ("always here"). They are stored with the sessions,
// never in the workspace, so that no repository brings its own.
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

// Which rules the user gave a session in this workspace. A transcript may come from anywhere; a
// rule in it counts only if it is recorded here, too. Only digests of rules are stored: what is
// scrubbed from a transcript must not survive in this file.
class Grants {
 public:
  // Without a file's name nothing outlives the process. Nothing is read before it is needed.
  explicit Grants(std::string file = {}, const std::string& workspace = {});

  bool has(Id session, const std::string& rule);
  // Holds at once, as long as this process runs. Returns why it was not written down; empty: it
  // was.
  std::string give(Id session, const std::string& rule);
  std::string take_back(Id session, const std::string& rule);

  // What is wrong with the file, in a sentence; known once it has been read.
  const std::string& damage() const { return damage_; }

 private:
  void load();
  std::string write(Id session, const std::string& rule, bool keep);

  std::string file_, workspace_;
  bool loaded_ = false;
  std::map<std::string, std::set<std::string>> here_{};  // digests by session, in this workspace
  std::string damage_{};
};

}  // namespace skein::store::home
