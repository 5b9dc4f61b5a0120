#include "core/checkpoints/bisect.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/sandbox/sandbox.h"
#include "tests/support/file_scene.h"
#include "tests/support/homes.h"
#include "tests/support/long_run.h"
#include "tests/support/workbench.h"

using namespace skein::checkpoints;
using namespace skein::test;

TEST_CASE("the step that broke it is found in few tests, wherever it is") {
  for (std::size_t states = 2; states < 70; ++states)
    for (std::size_t broken = 1; broken < states; ++broken) {
      std::set<std::size_t> asked;
      const Bisected end = bisect(states, [&](std::size_t state) {
        CHECK(asked.insert(state).second);
        return state >= broken ? Verdict::bad : Verdict::good;
      });
      REQUIRE(end.kind == Bisected::Kind::found);
      CHECK(end.good == broken - 1);
      CHECK(end.bad == broken);
      CHECK(end.tests <= 9);
    }
}

TEST_CASE("states that cannot be tested widen the answer, and no more") {
  const Bisected end = bisect(10, [](std::size_t state) {
    return state == 4 || state == 5 ? Verdict::skip : state >= 6 ? Verdict::bad : Verdict::good;
  });
  REQUIRE(end.kind == Bisected::Kind::found);
  CHECK(end.good == 3);
  CHECK(end.bad == 6);
}

TEST_CASE("what is good at the end or bad at the start is not searched") {
  const auto always = [](Verdict verdict) { return [=](std::size_t) { return verdict; }; };
  CHECK(bisect(5, always(Verdict::good)).kind == Bisected::Kind::good_at_end);
  CHECK(bisect(5, always(Verdict::bad)).kind == Bisected::Kind::bad_at_start);
  CHECK(bisect(5, always(Verdict::skip)).kind == Bisected::Kind::unclear);
  CHECK(bisect(5, always(Verdict::good)).tests == 1);
}

namespace {

std::map<std::string, std::string> only_files(std::map<std::string, std::string> all) {
  std::erase_if(all, [](const auto& each) {
    return each.first == ".git" || each.first.starts_with(".git/") ||
           S_ISDIR(static_cast<mode_t>(std::stoul(each.second)));
  });
  return all;
}

// A session whose turns change files at random, one of which breaks something for good.
class RandomHistory {
 public:
  explicit RandomHistory(std::uint64_t seed)
      : random_(seed),
        kind_(static_cast<Kind>(seed % 3)),
        git_(seed / 3 % 2 == 0),
        by_hand_(seed % 5 == 0),
        scene_(git_ ? FileScene::Folder::repository : FileScene::Folder::plain) {
    scene_.by_hand(
        "mkdir -p d; for f in state needed a b d/a 'd/with blank'; do echo good > \"$f\"; done; "
        "echo 'exit 0' > tool; chmod +x tool");
    if (git_ && chance(2)) scene_.by_hand("git add -A && git commit -qm second");
    const std::size_t turns = 2 + below(7);
    culprit_ = below(turns);
    for (std::size_t turn = 0; turn < turns; ++turn) play(turn);
    states_.push_back(only_files(scene_.files()));
  }

  void search() {
    const auto files = scene_.files(), git = repository();
    EarlierStates states(scene_.workspace(), scene_.session, {}, skein::sandbox::best_sandbox());
    const Bisected end = bisect(states_.size(), [&](std::size_t state) {
      const bool now = state == prompts_.size();
      const auto left = value_of(states.show(now ? std::nullopt : std::optional(prompts_[state])));
      CHECK(left.empty());
      CAPTURE(state);
      if (!by_hand_) CHECK(only_files(snapshot(states.folder())) == states_[state]);
      return verdict_in(states.folder());
    });
    REQUIRE(end.kind == Bisected::Kind::found);
    CHECK(end.good == culprit_);
    CHECK(end.bad == culprit_ + 1);
    CHECK(scene_.files() == files);
    CHECK(repository() == git);
  }

 private:
  enum class Kind { edits, commands, both };

  std::map<std::string, std::string> repository() const {
    return git_ ? scene_.repository() : std::map<std::string, std::string>{};
  }
  std::size_t below(std::size_t end) { return random_() % end; }
  bool chance(std::size_t of) { return below(of) == 0; }
  std::string name() {
    static constexpr const char* names[] = {"a", "b", "c", "d/a", "d/b", "d/with blank", "e/f/g"};
    return names[below(std::size(names))];
  }
  std::string text() { return "text " + std::to_string(below(1000)) + "\n"; }

  void play(std::size_t turn) {
    if (by_hand_ && chance(2)) scene_.by_hand("echo by hand >> a");
    states_.push_back(only_files(scene_.files()));
    prompts_.push_back(scene_.begin("turn " + std::to_string(turn)));
    const std::size_t steps = below(4), breaks_at = below(steps + 1);
    for (std::size_t step = 0; step <= steps; ++step) {
      const bool edits = kind_ == Kind::edits || (kind_ == Kind::both && chance(2));
      if (turn == culprit_ && step == breaks_at)
        edits ? write("state", "broken\n") : command(breaking());
      else
        edits ? write(turn < culprit_ && chance(3) ? "state" : name(), text())
              : command(harmless());
    }
    scene_.end();
  }

  void write(const std::string& path, const std::string& content) {
    REQUIRE(scene_.write(path, content) == "");
  }
  void command(const std::string& shell) { REQUIRE(scene_.command(shell) == ""); }

  std::string breaking() {
    static constexpr const char* ways[] = {"echo broken > state", "rm needed", "mv needed d/moved",
                                           "chmod -x tool", "rm tool; echo 'exit 0' > tool"};
    return ways[below(std::size(ways))];
  }
  std::string harmless() {
    const std::string file = "'" + name() + "'", other = "'" + name() + "'";
    const std::string ways[] = {
        "mkdir -p d e/f; echo " + std::to_string(below(1000)) + " >> " + file,
        "rm -f " + file,
        "[ ! -e " + file + " ] || [ " + file + " = " + other + " ] || { mkdir -p d e/f; mv " +
            file + " " + other + "; }",
        "[ ! -e " + file + " ] || chmod +x " + file,
        "[ ! -e " + file + " ] || chmod -x " + file,
        git_ ? "git add -A; git commit -qm more || true" : "rm -rf e",
        "true"};
    return ways[below(std::size(ways))];
  }

  // Leaves traces, as a build does.
  static Verdict verdict_in(const std::string& folder) {
    const std::string test = "cd '" + folder +
                             "' && r=1; [ -x tool ] && [ -e needed ] && ! grep -q broken state && "
                             "r=0; echo more >> a; rm -f b; chmod +x state; echo x > tool; "
                             "mkdir -p e; echo x > e/built; rm -rf d; exit $r";
    return std::system(test.c_str()) == 0 ? Verdict::good : Verdict::bad;
  }

  std::mt19937_64 random_;
  Kind kind_;
  bool git_, by_hand_;
  FileScene scene_;
  std::size_t culprit_ = 0;
  std::vector<skein::Id> prompts_{};
  std::vector<std::map<std::string, std::string>> states_{};  // before each turn, and at the end
};

}  // namespace

TEST_CASE("the message that broke it is found in any history of edits and commands") {
  const char* given = std::getenv("SKEIN_SEED");  // of a history that was told wrong
  const std::uint64_t first = given != nullptr ? std::stoull(given) : std::random_device{}();
  const std::size_t histories = given != nullptr ? 1 : long_run() ? 200 : 40;
  for (std::uint64_t seed = first; seed < first + histories; ++seed) {
    CAPTURE(seed);
    RandomHistory(seed).search();
  }
}
