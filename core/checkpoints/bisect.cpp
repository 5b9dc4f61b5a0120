#include "core/checkpoints/bisect.h"

#include <set>
#include <utility>

#include "core/checkpoints/restore.h"

namespace skein::checkpoints {

namespace {

// The state between two that is nearest to the middle and has not been skipped; `bad`: there is
// none.
std::size_t next_between(std::size_t good, std::size_t bad, const std::set<std::size_t>& skipped) {
  const std::size_t middle = good + (bad - good) / 2;
  for (std::size_t away = 0; away < bad - good; ++away) {
    if (middle + away < bad && middle + away > good && !skipped.contains(middle + away))
      return middle + away;
    if (middle >= away && middle - away > good && !skipped.contains(middle - away))
      return middle - away;
  }
  return bad;
}

// A command may need the whole repository around the workspace.
const std::string& copied_folder(const WorkspaceFiles& workspace) {
  return workspace.repository.is_there() ? workspace.repository.top() : workspace.root.path();
}

}  // namespace

Bisected bisect(std::size_t states, const std::function<Verdict(std::size_t)>& test) {
  Bisected out{.good = 0, .bad = states - 1};
  const auto tried = [&](std::size_t state) {
    ++out.tests;
    return test(state);
  };
  using Kind = Bisected::Kind;
  const Verdict end = tried(out.bad);
  if (end != Verdict::bad) {
    out.kind = end == Verdict::good ? Kind::good_at_end : Kind::unclear;
    return out;
  }
  const Verdict start = tried(out.good);
  if (start != Verdict::good) {
    out.kind = start == Verdict::bad ? Kind::bad_at_start : Kind::unclear;
    return out;
  }
  std::set<std::size_t> skipped;
  for (std::size_t next; (next = next_between(out.good, out.bad, skipped)) != out.bad;) {
    switch (tried(next)) {
      case Verdict::good: out.good = next; break;
      case Verdict::bad: out.bad = next; break;
      case Verdict::skip: skipped.insert(next); break;
    }
  }
  out.kind = Kind::found;
  return out;
}

EarlierStates::EarlierStates(WorkspaceFiles& workspace, Id session,
                             const std::vector<std::string>& own_places, Sandbox sandbox)
    : workspace_(workspace),
      session_(session),
      sandbox_(workspace.repository.is_there() ? sandbox : Sandbox::none),
      copy_(copied_folder(workspace), own_places),
      folder_(copy_.path() + workspace.root.path().substr(copied_folder(workspace).size())) {}

// Always from the present: a checkpoint may name only the files that its turn wrote, and says of
// all others that they are as they are now.
store::Result<std::vector<LeftAlone>> EarlierStates::show(const std::optional<Id>& prompt) {
  copy_.reset();
  if (!prompt) return std::vector<LeftAlone>{};
  const store::Result<CheckpointLog> log = read_log(workspace_, session_, prompt);
  if (!log) return log.error();
  // Opened each time: what was tested last may have replaced the folder.
  WorkspaceFiles files(workspace_.store, workspace_.contents.shared(), folder_, {}, sandbox_);
  const store::Result<Plan> plan = Planner(files, log->checkpoints).plan();
  if (!plan) return plan.error();
  store::Result<RestoreReport> done = Restorer(files).run(
      *plan, {.session = session_, .to = *prompt, .overwrite = true, .recorded = false});
  if (!done) return done.error();
  std::vector<LeftAlone> left = std::move(done->kept);
  left.insert(left.end(), done->failed.begin(), done->failed.end());
  return left;
}

}  // namespace skein::checkpoints
