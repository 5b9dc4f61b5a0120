// Scrubbing, the one operation that rewrites: it removes a text from every file of the home.
#pragma once

#include "core/model/scrub.h"
#include "core/store/backend.h"
#include "core/store/files/named_files.h"
#include "core/store/home/home.h"

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

// Why a scrubbing did not come to its end: only where the text may still be is of use then.
Failure not_done(const std::vector<std::string>& unreached);

// Removes a text from files, one after the other: transcripts, archives, and all others of a
// folder. If one fails, that is noted and the rest is done all the same.
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
  // What processes left behind when they died: half an archive cannot be read, and is not
  // needed. The caller holds the lock of the index, so no session is being made.
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

// What a scrubbing shall take out besides what the entry says.
struct ScrubWish {
  std::vector<std::string> named{};  // texts that must stand nowhere either
  // Does the same to what is outside the home, while it is still known what to look for.
  std::function<void(const model::Scrubbing&, Scrubbed&)> elsewhere{};
};

// Takes what an entry says, and every secret in it, out of every file there is: a session becomes a
// new file with the same entries. If it fails, the session it was asked for is as it was, the
// failure names what could not be reached, and it can be done again.
Result<Scrubbed> scrub(Home& home, Id session, Id entry, const ScrubWish& wish = {});

}  // namespace skein::store::home::maintenance
