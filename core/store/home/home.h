// A home folder while it is open: its files, its index, and the transcripts that were read.
#pragma once

#include "core/store/home/index/home_index.h"
#include "core/store/home/index/transcript.h"

namespace skein::store::home {

class Home {
 public:
  // Throws Error if it cannot be used.
  explicit Home(std::unique_ptr<files::Files> files, HomeIndex::Tell tell = {});

  files::Files& files() { return *files_; }
  HomeIndex& index() { return index_; }

  // Up to date, wherever it rests. What is pointed at lasts until it is forgotten or another is
  // opened: of those that are not in use only the last few stay open.
  Result<Transcript*> transcript(Id session);
  // As it was last seen, where it was.
  Result<Transcript*> seen_transcript(Id session);
  Transcript& keep(Id session, Transcript transcript);
  bool is_open(Id session) const { return open_.contains(session); }
  void forget(Id session) { open_.erase(session); }
  // Keeps a transcript open for as long as this lives, whatever else is opened.
  class Use {
   public:
    Use(Home& home, Id session) : home_(home), session_(session) { ++home_.used_[session_]; }
    ~Use() {
      if (--home_.used_[session_] == 0) home_.used_.erase(session_);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Home& home_;
    const Id session_;
  };
  SessionRecord record_of(const Transcript& transcript);
  // No process appends to it for as long as what is returned lives: an append that is under way is
  // finished first, one that waits will find that the file is another. A caller that replaces it
  // holds the index too, so what is locked here is what the path means.
  Result<files::OpenFile> lock(const IndexChange& change, Id session);

 private:
  void let_go_of_oldest();

  std::unique_ptr<files::Files> files_;
  HomeIndex index_;
  std::map<Id, Transcript> open_{};
  std::uint64_t opened_ = 0;  // how often one was asked for
  std::map<Id, int> used_{};  // how many read each of them now
};

}  // namespace skein::store::home
