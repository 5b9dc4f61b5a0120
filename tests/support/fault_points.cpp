#include "tests/support/fault_points.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "core/store/home/index/transcript.h"
#include "core/store/home/maintenance/repair.h"
#include "tests/support/fault_homes.h"
#include "tests/support/homes.h"
#include "tests/support/process.h"
#include "tests/support/standing.h"
#include "tests/support/temp_dir.h"

namespace skein::test {

namespace {

namespace fs = std::filesystem;

bool in_trash(const std::string& home, Id session) {
  for (const auto& file : fs::directory_iterator(fs::path(home) / "trash"))
    if (file.path().filename().string().starts_with(to_string(session)) &&
        file.path().extension() != ".tmp")
      return true;
  return false;
}

std::optional<Id> find_key(store::SessionStore& store, const std::string& key) {
  for (const store::SessionRecord& each : store.list())
    if (each.key == key) return each.header.session;
  return std::nullopt;
}

// How many of the batch's entries are in the session with this key.
std::size_t how_many(const std::string& home, const std::string& key, const std::set<Id>& ids) {
  store::SessionStore store = store_at(home);
  const std::optional<Id> session = find_key(store, key);
  if (!session) return 0;
  const std::vector<model::Entry> all = entries_of(store, *session);
  return static_cast<std::size_t>(std::ranges::count_if(
      all, [&](const model::Entry& entry) { return ids.contains(entry.id); }));
}

const std::set<Id> batch_ids{numbered_id(100), numbered_id(101), numbered_id(102)};
std::string batch_lines() {
  std::string out;
  for (const Id id : batch_ids)
    out +=
        "{\"id\":\"" + to_string(id) +
        R"(","type":"message","payload":{"role":"user","content":[{"type":"text","text":"more"}]}})"
        "\n";
  return out;
}

bool text_is_gone(const std::string& home) {
  return standing(home, leaked).empty() && standing(state_folder(home).string(), leaked).empty();
}

struct Operation {
  std::vector<std::string> words;
  bool takes_batch;
  int at_first;  // the exit status
  int on_empty;  // where there is no session
  int on_done;   // when all it should do has been done before
  bool (*done)(const std::string& home, const Before& before);
  bool empties_trash = false;
  bool scrubs = false;       // the entry with the number 2
  bool moves_files = false;  // whole ones: whatever is left of it must not keep a text alive
};
const Operation operations[] = {
    {{"append", "main:new:one"},
     true,
     0,
     0,
     0,
     [](const std::string& home, const Before&) {
       return how_many(home, "main:new:one", batch_ids) == batch_ids.size();
     }},
    {{"append", main_key},
     true,
     0,
     0,
     0,
     [](const std::string& home, const Before&) {
       return how_many(home, main_key, batch_ids) == batch_ids.size();
     }},
    {{"append", main_key, "--expect-tail", "abcd000000000777"},
     true,
     5,
     5,
     5,
     [](const std::string&, const Before&) { return true; }},
    {{"branch", main_key, "--from", "abcd000000000003", "--new-key", "main:branch:one"},
     false,
     0,
     4,
     2,
     [](const std::string& home, const Before&) {
       return how_many(home, "main:branch:one", {numbered_id(2), numbered_id(3)}) == 2;
     }},
    {{"sessions", "delete", main_key},
     false,
     0,
     4,
     4,
     [](const std::string& home, const Before& before) {
       return in_trash(home, before.main) && !fs::exists(transcript(home, before.main));
     }},
    {{"sessions", "restore", trashed_key},
     false,
     0,
     4,
     4,
     [](const std::string& home, const Before& before) {
       return !in_trash(home, before.trashed) && fs::exists(transcript(home, before.trashed));
     }},
    {{"sessions", "rename", main_key, "a new title"},
     false,
     0,
     4,
     0,
     [](const std::string& home, const Before& before) {
       store::SessionStore store = store_at(home);
       return store.open(before.main).state.title == "a new title";
     }},
    {{"sessions", "archive", main_key},
     false,
     0,
     4,
     0,
     [](const std::string& home, const Before& before) {
       return fs::exists(archive(home, before.main)) && !fs::exists(transcript(home, before.main));
     },
     false,
     false,
     true},
    {{"sessions", "unarchive", main_key},
     false,
     0,
     4,
     0,
     [](const std::string& home, const Before& before) {
       return !fs::exists(archive(home, before.main)) && fs::exists(transcript(home, before.main));
     },
     false,
     false,
     true},
    {{"sessions", "prune", "--older-than", "1h"},
     false,
     0,
     0,
     0,
     [](const std::string& home, const Before& before) {
       return !in_trash(home, before.main);  // it is used this very minute
     }},
    {{"sessions", "empty-trash"},
     false,
     0,
     0,
     0,
     [](const std::string& home, const Before& before) { return !in_trash(home, before.trashed); },
     true},
    {{"redact", main_key, "abcd000000000002", "--scrub"},
     false,
     0,
     4,
     0,
     [](const std::string& home, const Before& before) {
       store::SessionStore store = store_at(home);
       return model::preview(value_of(store.load_entry(before.main, numbered_id(2))), 60) ==
                  "[redacted]" &&
              text_is_gone(home);
     },
     false,
     true,
     true},
    {{"doctor", "--repair"},
     false,
     0,
     0,
     0,
     [](const std::string&, const Before&) { return true; },
     false,
     false,
     true},
    {{"redact", main_key, "abcd000000000002"},
     false,
     0,
     4,
     0,
     [](const std::string& home, const Before& before) {
       store::SessionStore store = store_at(home);
       return store.open(before.main).state.redacted.contains(numbered_id(2));
     }},
    {{"doctor", "--rebuild-index"},
     false,
     0,
     0,
     0,
     [](const std::string&, const Before&) { return true; }},
    {{"sessions", "list", "--json"},
     false,
     0,
     0,
     0,
     [](const std::string&, const Before&) { return true; }},
    {{"sessions", "show", main_key, "--json", "--tree"},
     false,
     0,
     4,
     0,
     [](const std::string&, const Before&) { return true; }},
};

// The user's own history is none of a test's business.
Command on(const std::string& home, const std::vector<std::string>& words,
           const std::string& input = {}) {
  Command out = skein_command(home, words, input);
  out.before_exec = [state = state_folder(home).string()] {
    setenv("XDG_STATE_HOME", state.c_str(), 1);
    setenv("XDG_CONFIG_HOME", (state + "/config").c_str(), 1);
  };
  return out;
}

Command command_of(const FaultCase& each, const std::string& home) {
  const Operation& operation = operations[each.operation];
  return on(home, operation.words, operation.takes_batch ? batch_lines() : "");
}

// Nothing acknowledged is missing, no batch is there by halves, nothing is damaged.
std::string lost(const std::string& home, const Before& before, const Operation& operation) {
  store::SessionStore store = store_at(home);
  for (const auto& [session, wanted] : before.acknowledged) {
    if (!fs::exists(transcript(home, session)) && !fs::exists(archive(home, session))) {
      if (operation.empties_trash && session == before.trashed) continue;
      if (!in_trash(home, session)) return "session " + to_string(session) + " is nowhere";
      continue;
    }
    std::vector<model::Entry> there = entries_of(store, session);
    const auto same = [&](const model::Entry& a, const model::Entry& b) {
      return a == b ||
             (operation.scrubs && a.id == b.id && a.payload.find(leaked) != std::string::npos);
    };
    if (there.size() < wanted.size() ||
        !std::equal(wanted.begin(), wanted.end(), there.begin(), same))
      return "acknowledged entries are missing in " + to_string(session);
  }
  for (const store::SessionRecord& each : store.list())
    if (const std::string damage = damage_in(store, each.header.session); !damage.empty())
      return each.key + " has" + damage;
  for (const char* key : {main_key, "main:new:one"})
    if (const std::size_t some = how_many(home, key, batch_ids);
        some != 0 && some != batch_ids.size())
      return std::to_string(some) + " entries of a batch are in " + key;
  for (const auto& stray : value_of(store::home::maintenance::strays(*home_at(home))))
    if (!stray.name.ends_with(".tmp")) return "a stray " + stray.name + ": " + stray.why;
  return {};
}

// What is listed is what there is, and every session can be written to.
std::string not_usable(const std::string& home) {
  store::SessionStore store = store_at(home);
  const std::vector<std::string> listed = listing(store);
  store::SessionStore other = store_at(home);
  value_of(store::home::maintenance::rebuild_index(*home_at(home)));
  if (const std::vector<std::string> rebuilt = listing(other); listed != rebuilt) {
    std::string both = "the list is not what a rebuilt index says:";
    for (const std::string& each : listed) both += "\n  listed  " + each;
    for (const std::string& each : rebuilt) both += "\n  rebuilt " + each;
    return both;
  }
  for (const store::SessionRecord& each : other.list()) {
    append(other, each.header.session, {user_says("on")});
    if (!value_of(other.transcripts().examine(each.header.session)).uncommitted.empty())
      return "a torn tail outlived an append";
  }
  return {};
}

std::vector<std::string> with_strace(const FaultPoint& point, const Fault& fault,
                                     const std::string& log,
                                     const std::vector<std::string>& words) {
  const std::string inject = "inject=" + point.call + ":" + fault.kind +
                             ":when=" + std::to_string(point.number) + (fault.lasting ? "+" : "");
  std::vector<std::string> out{"strace", "-qq", "-o", log, "-e", "trace=" + point.call,
                               "-e",     inject};
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

constexpr std::string_view did_not_strike = "the fault did not strike";

std::string strike_home(const FaultPoint& point, const std::vector<Fault>& faults) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  Before before;
  fault_homes()[point.where.state].make(home, before);
  const std::string log = (dir / "trace").string();
  const Operation& operation = operations[point.where.operation];
  const int at_first = before.empty ? operation.on_empty : operation.at_first;

  // To look is to list, and to list is to repair the index: every other time that is left to the
  // next run.
  const bool looks_between = point.number % 2 == 0;
  for (const Fault& fault : faults) {
    const bool first = &fault == &faults.front();
    Command command = command_of(point.where, home);
    command.words = with_strace(point, fault, log, command.words);
    const Finished finished = run(command);
    const std::string status = std::to_string(finished.status);
    if (finished.timed_out) return "it hangs";
    const bool killed = fault.kind == "signal=KILL" && finished.status == 137;
    if (first && !killed && read_file(log).find("(INJECTED)") == std::string::npos)
      return std::string(did_not_strike) + " (status " + status + "): " + finished.err;
    if (finished.status >= 126 && !killed)
      return "it ended with status " + status + ": " + finished.err;
    if (finished.status == 0 && first && at_first != 0)
      return "it ended with 0 where it cannot succeed";
    if (finished.status == 0 && finished.out.empty() && operation.words[1] != "rename")
      return "it ended with 0 and printed nothing";
    const bool claims = finished.status == 0 || finished.out.find("sessionId") != std::string::npos;
    if (!claims && !looks_between) continue;
    if (std::string trouble = lost(home, before, operation); !trouble.empty()) return trouble;
    if (claims && !operation.done(home, before))
      return "it claims to be done and is not (status " + status + ")";
  }

  // Without having looked, both are right: to do it, and to say that it has been done.
  const bool done = !before.empty && looks_between && operation.done(home, before);
  const Finished again = run(command_of(point.where, home));
  const bool as_expected = again.status == (done ? operation.on_done : at_first) ||
                           (!looks_between && !before.empty && again.status == operation.on_done);
  if (!as_expected)
    return "the second run ended with " + std::to_string(again.status) + ": " + again.err;
  if (!before.empty && !operation.done(home, before)) return "the second run did not finish it";
  if (std::string trouble = lost(home, before, operation); !trouble.empty())
    return "after the second run: " + trouble;
  if (operation.moves_files && !before.empty) {
    const Finished scrubbed = run(on(home, {"redact", main_key, "abcd000000000002", "--scrub"}));
    if (scrubbed.status != 0 || !text_is_gone(home)) {
      std::string where = "after a scrubbing (" + std::to_string(scrubbed.status) + " " +
                          scrubbed.err + ") the text stands in";
      for (const std::string& each : standing(home, leaked)) where += " " + each;
      return where;
    }
  }
  return not_usable(home);
}

bool changes_the_disk(const std::string& call, const std::string& line) {
  static const std::set<std::string> others{"read",       "pread64",   "fstat",      "newfstatat",
                                            "statx",      "lseek",     "fcntl",      "getdents64",
                                            "readlinkat", "faccessat", "faccessat2", "close",
                                            "flock",      "getrandom", "getcwd",     "ioctl"};
  if (call == "openat") return line.find("O_CREAT") != std::string::npos;
  return !others.contains(call);
}

}  // namespace

std::vector<FaultCase> fault_cases() {
  std::vector<FaultCase> out;
  for (std::size_t operation = 0; operation < std::size(operations); ++operation)
    for (std::size_t state = 0; state < fault_homes().size(); ++state)
      if (operations[operation].moves_files || !fault_homes()[state].has_leftovers)
        out.push_back({operation, state});
  return out;
}

std::string name(const FaultCase& each) {
  std::string out;
  for (const std::string& word : operations[each.operation].words) out += word + " ";
  return "`" + out + "` on " + fault_homes()[each.state].name;
}

std::vector<FaultPoint> points_of(const FaultCase& each) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  Before before;
  fault_homes()[each.state].make(home, before);
  const std::string log = (dir / "trace").string();
  Command command = command_of(each, home);
  const std::vector<std::string> strace{
      "strace", "-qq", "-o", log, "-e", "trace=%file,%desc,getrandom,fdatasync,fsync,sync"};
  command.words.insert(command.words.begin(), strace.begin(), strace.end());
  run(command);

  std::vector<FaultPoint> out;
  std::map<std::string, int> counts;
  bool begun = false;
  std::istringstream lines(read_file(log));
  for (std::string line; std::getline(lines, line);) {
    const std::string call = line.substr(0, line.find('('));
    if (call.empty() || call.size() == line.size() || call == "execve") continue;
    begun = begun || line.find(home) != std::string::npos || line.starts_with("read(0,");
    ++counts[call];
    // Memory is not the home's business; an allocation that fails has a test of its own.
    if (begun && call != "mmap" && call != "exit_group")
      out.push_back({each, call, counts[call], changes_the_disk(call, line)});
  }
  return out;
}

std::string strike(const FaultPoint& point, const std::vector<Fault>& faults) {
  std::string trouble;
  // How often a call comes may depend on how long something takes.
  for (int tries = 0; tries < 4; ++tries) {
    try {
      trouble = strike_home(point, faults);
    } catch (const Error& error) {
      trouble = error.what();
    }
    if (!trouble.starts_with(did_not_strike)) break;
  }
  if (trouble.empty()) return {};
  std::string what;
  for (const Fault& fault : faults)
    what += (what.empty() ? "" : ", then ") + fault.kind + (fault.lasting ? " lasting" : "");
  return name(point.where) + ", " + what + " at " + point.call + " number " +
         std::to_string(point.number) + ": " + trouble;
}

}  // namespace skein::test
