// Which rules the user gave a session, on this machine, for this workspace. A transcript may come
// from anywhere and says what it likes; what it allows counts only if it is written down here, too.
// Of rules only digests are kept: what is scrubbed from a transcript must not live on in this file.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/text/base.h"

namespace skein::store::home {

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
  using Digests = std::set<std::string>;
  void load();
  std::string change(Id session, const Digests& add, const Digests& remove);

  std::string file_, workspace_;
  bool loaded_ = false;
  std::map<std::string, Digests> here_{};  // by session, in this workspace
  std::string damage_{};
};

}  // namespace skein::store::home
