// The search through one session: which entries fit, how well, and the best of them. One for each
// thread; it keeps buffers.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/tree.h"
#include "core/search/candidates.h"
#include "core/search/matcher.h"
#include "core/search/search.h"

namespace skein::search {

// A hit before it is worth a snippet.
struct Kept {
  double score = 0;
  std::optional<Id> entry{};
  std::string time{};
  Role role = Role::title;
  std::string text{};  // of the passage, as it is stored
  bool plain = false;  // it is no JSON
};

struct SessionFound {
  std::size_t count = 0;
  std::vector<Kept> best{};  // best first
  std::string trouble{};     // why it could not be read
};

class SessionSearch {
 public:
  // `least` is what a hit must score to be kept; it may rise meanwhile.
  SessionSearch(store::SessionStore& store, const Request& request, const Candidates& candidates,
                const std::atomic<double>& least, const std::atomic<bool>& enough);

  SessionFound run(const store::SessionRecord& record, std::size_t most);
  // With its snippet, and where it stands in the tree.
  Hit hit_of(const store::SessionRecord& record, const Kept& kept);

 private:
  void look(const model::EntryFacts& facts);
  void add_blobs();
  void note_calls();
  void leave_out_unwanted();
  bool is_too_low(double score) const;
  bool counts_quickly(const model::EntryFacts& facts);
  bool wanted_time(std::string_view timestamp) const;
  void consider_title(const store::SessionRecord& record);
  void keep(Kept kept);
  double score_of(Role role, bool together, std::string_view timestamp);
  bool stopped() const;
  std::optional<model::Tree> tree_of(const store::SessionRecord& record);

  store::SessionStore& store_;
  const Request& request_;
  const Candidates& candidates_;
  const std::atomic<double>& least_;
  const std::atomic<bool>& enough_;
  const std::int64_t now_ms_;
  Matcher matcher_;
  const bool quick_;  // every passage counts
  RawEntry entry_{};
  std::vector<std::string> blobs_{};
  std::map<std::string, std::string, std::less<>> tools_{};  // of calls, by their ids
  std::set<Id> active_{};
  bool active_matters_ = false;
  SessionFound found_{};
  std::size_t most_ = 0;
  double cut_ = 0;  // what is below is not among the best
  std::string day_{};
  double recency_ = 0;         // of that day
  std::vector<Id> counted_{};  // which entries fit: some may turn out to be redacted
};

}  // namespace skein::search
