// A session as life treats it: turns with calls and thinking, large results, interruptions, errors,
// kills, resumes on another day with another AGENTS.md, other tools or another folder, branches,
// undo, retries, forks, hand-overs, summaries, redactions, dropped results. Every request in it is
// judged by AppendOnlyJudge. The same seed gives the same session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "core/store/session_store.h"

namespace skein::test {

// What may be done to a request on its way, to see that the judge notices.
enum class SeededBug {
  none,
  fresh_system,    // the system prompt is rendered anew
  fresh_tools,     // so are the tools
  pruned_results,  // old results are shortened
  lost_news,       // what was told of changes goes away again
  old_thinking,    // thinking is kept although what came before it has changed
};

struct SessionReport {
  std::string trouble{};  // what was wrong first; empty: nothing
  std::size_t requests = 0;
  std::size_t compared = 0;  // pairs that had to be alike
  std::size_t steps = 0;     // pairs with a recorded step between them
};
// `at_end` is shown the store and the session that was played last.
SessionReport play_random_session(std::uint64_t seed, SeededBug bug = SeededBug::none,
                                  const std::function<void(store::SessionStore&, Id)>& at_end = {});

}  // namespace skein::test
