// Whatever the umask, every path skein makes is 0600 or 0700; and by the system's own account of
// its calls, nothing is made with any other mode, kept open over an exec, or put where others could
// guess its name.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "core/store/log/log_writer.h"
#include "tests/support/homes.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

namespace fs = std::filesystem;
const std::string main_key = "main:cli:user";
const std::string line = R"({"type":"message","payload":{"role":"user","content":[]}})";

std::size_t paths = 0, calls = 0, complaints = 0;
void complain(const std::string& text) {
  if (complaints++ < 20) std::fprintf(stderr, "%s\n", text.c_str());
}

// Everything that makes a file: sessions, a branch, the trash, a quarantine, the index, a log.
const std::vector<std::vector<std::string>> story{
    {"append", main_key},
    {"--debug", "append", main_key},
    {"branch", main_key, "--new-key", "main:branch:one"},
    {"sessions", "rename", main_key, "title"},
    {"sessions", "delete", "main:branch:one"},
    {"sessions", "restore", "main:branch:one"},
    {"sessions", "delete", "main:branch:one"},
    {"doctor", "--rebuild-index"},
    {"sessions", "list"},
};

void tell(const TempDir& dir, const std::string& home, mode_t mask,
          const std::vector<std::string>& before) {
  bool torn = false;
  for (const std::vector<std::string>& words : story) {
    Command command = skein_command(home, words, line);
    command.words.insert(command.words.begin(), before.begin(), before.end());
    command.before_exec = [&] {
      umask(mask);
      setenv("XDG_STATE_HOME", (dir / "made/state").c_str(), 1);
    };
    const Finished finished = run(command);
    if (finished.status != 0) complain("`" + words[0] + "` fails: " + finished.err);
    if (torn) continue;
    // A torn tail, so that something is set aside.
    for (const auto& each : fs::directory_iterator(home + "/transcripts"))
      write_file(each.path(), read_file(each.path()) + "{\"id\"");
    torn = true;
  }
}

void look_at_modes(mode_t mask, const std::string& home_below) {
  const TempDir dir;
  tell(dir, (dir.path() / home_below).string(), mask, {});
  std::set<std::string> kinds;
  for (const auto& each : fs::recursive_directory_iterator(dir.path())) {
    struct stat s {};
    lstat(each.path().c_str(), &s);
    const mode_t wanted = S_ISDIR(s.st_mode) ? 0700 : 0600;
    char text[64];
    std::snprintf(text, sizeof text, " is %03o under umask %03o", s.st_mode & 07777u, mask);
    if ((s.st_mode & 07777) != wanted)
      complain(fs::relative(each.path(), dir.path()).string() + text);
    ++paths;
    kinds.insert(each.path().parent_path().filename().string());
  }
  for (const char* folder : {"transcripts", "trash", "quarantine"})
    if (!kinds.contains(folder)) complain(std::string("nothing was made in ") + folder);
}

void audit_calls() {
  const TempDir dir;
  const std::string home = (dir / "made/home").string(), log = (dir / "trace").string();
  tell(dir, home, 0,
       {"strace", "-f", "-qq", "-A", "-o", log, "-e",
        "trace=open,openat,creat,mkdir,mkdirat,mknodat,chmod,fchmod,fchmodat,umask,dup,socket"});
  const std::regex mode(R"re(, 0([0-7]+)\))re"), temporary(R"re("(/tmp|/var/tmp|/dev/shm)/)re");
  std::istringstream lines(read_file(log));
  for (std::string text; std::getline(lines, text);) {
    ++calls;
    std::smatch found;
    const bool opens = text.find("open") != std::string::npos;
    const bool makes = text.find("O_CREAT") != std::string::npos ||
                       text.find("mkdir") != std::string::npos ||
                       text.find("creat(") != std::string::npos;
    if (makes &&
        (!std::regex_search(text, found, mode) || (found[1] != "600" && found[1] != "700")))
      complain("made with another mode: " + text);
    const bool ours = text.find("AT_FDCWD, \"/usr/") == std::string::npos &&
                      text.find("AT_FDCWD, \"/etc/") == std::string::npos;
    if (opens && ours && text.find("O_CLOEXEC") == std::string::npos)
      complain("kept open over an exec: " + text);
    if (makes && std::regex_search(text, temporary) &&
        text.find(dir.path().string()) == std::string::npos)
      complain("made among everybody's temporary files: " + text);
    if (makes && text.find(".tmp") != std::string::npos && text.find("O_EXCL") == std::string::npos)
      complain("a temporary file that may be another's: " + text);
    if (text.find("chmod") != std::string::npos) complain("a mode is changed later: " + text);
  }
}

}  // namespace

int main() {
  use_memory_disk();
  for (const mode_t mask : {0000, 0022, 0077, 0002})
    for (const char* home : {"made/home", "made/a/b/home/"}) look_at_modes(mask, home);
  if (is_installed("strace"))
    audit_calls();
  else
    std::puts("modes: skipped the audit of calls, strace is not installed");
  std::printf("modes: %zu paths under 4 umasks, %zu calls audited, %zu complaints\n", paths, calls,
              complaints);
  return complaints == 0 ? 0 : 1;
}
