// Takes a text out of files, one after the other: transcripts, archives, whatever else lies in a
// folder. What cannot be done is noted, and the rest is done all the same.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/model/scrub.h"
#include "core/store/backend.h"
#include "core/store/files/new_file.h"

namespace skein::store::home::maintenance {

// What a scrubbing did.
struct Scrubbed {
  std::vector<std::string> changed{};    // a sentence for each place where the text stood
  std::vector<std::string> unreached{};  // where it may still stand, and why
  std::vector<std::string> left{};       // a sentence for each file of the user's own that holds it
  std::vector<std::string> repeats{};  // other entries that say a part of it, or the same by chance
  // Summaries of a conversation that had the text in it, still as they were: they may retell it.
  std::vector<Id> summaries{};
};

// Lines of former transcripts that have this entry's id: copies of it, perhaps from before it was
// scrubbed. What cannot be read has none.
std::vector<Entry> copies_of(files::Files& files, const std::string& folder, Id entry);

class FileScrubber {
 public:
  // `prefix` is how the files' folder is called in the report; empty: the home.
  FileScrubber(files::Files& files, const model::Scrubbing& what, Scrubbed& report,
               std::string prefix = {})
      : files_(files), what_(what), report_(report), prefix_(std::move(prefix)) {}

  // A transcript, packed or not, in one step: at any moment all of the old or all of the new is
  // there. The caller keeps others from writing to it. `name` is what people call it.
  void transcript(Id session, const std::string& path, const std::string& name);
  // Every file of a folder, and of those beneath it if `deep`; not what is in `spared`.
  void folder(const std::string& folder, const std::set<std::string>& spared, bool deep = false);
  // What processes left behind when they died: nobody can tell what is in half an archive, and
  // nobody needs it. The caller holds the lock of the index, so no session is being made.
  void leftovers(const std::string& folder);
  void blobs();
  // Only says which files hold it, or cannot be looked at: they are the user's own.
  void look(const std::string& folder, const std::set<std::string>& spared);
  void sync(const std::string& folder);  // also what an earlier attempt could not make sure of

  void unreached(const std::string& path, const Failure& why);

 private:
  Result<void> rewrite(Id session, const std::string& path, const std::string& name);
  Result<void> place(files::NewFile& plain, const std::string& path);
  Result<bool> filter(const std::string& path);  // whether it had to be changed
  template <class Each>
  void each_file(const std::string& folder, const std::set<std::string>& spared, bool deep,
                 const Each& each);

  files::Files& files_;
  const model::Scrubbing& what_;
  Scrubbed& report_;
  const std::string prefix_;
};

}  // namespace skein::store::home::maintenance
