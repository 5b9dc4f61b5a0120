// A home to measure in: one long session and many short ones, made up, in a temporary folder beside
// the real home, on the same disk. It goes with the object; what a bench that was killed left
// behind, the next one removes.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "core/store/session_store.h"
#include "core/tools/sandbox/private_temporary.h"

namespace skein::bench {

struct SampleSize {
  std::size_t sessions = 2'000;
  std::size_t entries = 200'000;              // of the long one
  std::chrono::milliseconds patience{3'000};  // for each workload
};
inline constexpr SampleSize quick{
    .sessions = 60, .entries = 10'000, .patience = std::chrono::milliseconds(300)};

inline constexpr std::string_view rare_word = "walrus";  // in one entry of a thousand

class SampleHome {
 public:
  // Throws Error (storage) if it cannot be made. After ^C it may be smaller than asked for.
  SampleHome(const std::string& real_home, const SampleSize& size);

  const SampleSize& size() const { return size_; }
  const std::filesystem::path& folder() const { return folder_; }  // for what else is needed
  std::filesystem::path path() const { return folder_ / "home"; }
  // Where the long one was used last.
  std::filesystem::path workspace() const { return folder_ / "workspace"; }
  std::filesystem::path transcript(Id session) const;
  store::SessionStore open() const;  // as a process that has just started
  Id long_one() const { return long_; }
  Id short_one() const { return short_; }
  static std::string key() { return "main:bench:long"; }  // of the long one

 private:
  void write_session(Id session, const std::string& key, std::size_t entries) const;

  SampleSize size_;
  tools::sandbox::PrivateTemporary temporary_;
  std::filesystem::path folder_{};
  Id long_ = random_id(), short_ = random_id();
};

// About as long as a line of a conversation usually is; `number` decides what it says.
store::NewEntry sample_entry(std::size_t number);

}  // namespace skein::bench
