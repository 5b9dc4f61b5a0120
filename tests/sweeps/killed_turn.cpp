// Ends a turn with two tools before its system calls: by kill -9, ^C, SIGTERM and SIGHUP, each
// before each of 200 calls spread over the turn. Afterwards nothing that was told as saved is
// missing, no command has run twice, the transcript can be sent to every provider, and an empty
// prompt goes on to the end.
//   killed_turn [points]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "core/context/history.h"
#include "core/handover/normalize.h"
#include "core/text/json.h"
#include "tests/support/handover_rules.h"
#include "tests/support/homes.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

constexpr const char* key = "main:cli:turn";
constexpr const char* script = R"([
  [{"say": "I look. "}, {"call": {"id": "r", "name": "read", "input": {"path": "note.txt"}}}],
  [{"call": {"id": "b", "name": "bash", "input": {"command": "echo ran >> log.txt"}}}],
  "done", "nothing more", "nothing more"])";

// How often the calls that wait or only manage memory come depends on the machine's mood: a place
// that is not there the next time is no place to strike.
const std::set<std::string> unsteady{"ppoll", "poll",   "read",  "wait4",  "waitid",
                                     "mmap",  "munmap", "futex", "mremap", "exit_group"};

struct Point {
  std::string call;
  int number = 0;  // among the calls of that name
};

// A home and a workspace of their own for one blow.
class Place {
 public:
  Place() {
    std::filesystem::create_directory(dir_ / "ws");
    write_file(dir_ / "ws/note.txt", "a note\n");
    write_file(dir_ / "script.json", script);
  }
  std::string home() const { return (dir_ / "home").string(); }
  std::string trace() const { return (dir_ / "trace").string(); }

  Command turn(const std::string& prompt) const {
    std::vector<std::string> words{"-p",
                                   "-y",
                                   "-C",
                                   (dir_ / "ws").string(),
                                   "-m",
                                   "scripted/" + (dir_ / "script.json").string(),
                                   "-s",
                                   key,
                                   "--output-format",
                                   "stream-json"};
    if (!prompt.empty()) words.push_back(prompt);
    Command command = skein_command(home(), words);
    command.before_exec = [folder = dir_.path().string()] {
      setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
      setenv("XDG_STATE_HOME", folder.c_str(), 1);
    };
    return command;
  }
  // The turn under strace, which is told more by `words`.
  Command traced(const std::vector<std::string>& words) const {
    Command command = turn("go");
    std::vector<std::string> all{"strace", "-qq", "-o", trace()};
    all.insert(all.end(), words.begin(), words.end());
    command.words.insert(command.words.begin(), all.begin(), all.end());
    return command;
  }
  std::size_t times_run() const {
    const std::string log = read_file(dir_ / "ws/log.txt");
    return static_cast<std::size_t>(std::ranges::count(log, '\n'));
  }

 private:
  TempDir dir_;
};

// Every system call of a turn that can be counted on, from the first that has to do with the home.
std::vector<Point> points_of_a_turn() {
  const Place place;
  const Finished finished = run(place.traced({"-e", "trace=all"}));
  if (finished.status != 0) throw Error("the turn itself fails: " + finished.err);
  std::vector<Point> out;
  std::map<std::string, int> counts;
  bool begun = false;
  std::istringstream lines(read_file(place.trace()));
  for (std::string line; std::getline(lines, line);) {
    const std::string call = line.substr(0, line.find('('));
    if (call.empty() || call.size() == line.size() || call == "execve") continue;
    begun = begun || line.find(place.home()) != std::string::npos;
    ++counts[call];
    if (begun && !unsteady.contains(call)) out.push_back({call, counts[call]});
  }
  return out;
}

// What a program that read the events before the blow was told to be on disk.
std::set<std::string> told_as_saved(const std::string& out) {
  std::set<std::string> ids;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);)
    if (const auto event = parse_json(line); event && string_at(*event, "type") == "entry")
      ids.insert(string_at(at(*event, "entry"), "id"));
  return ids;
}

// What any of the four wires would refuse.
std::string refused(const std::vector<model::Entry>& path) {
  const std::vector<model::Message> messages = context::messages_of(path, {});
  for (const handover::WireFormat wire :
       {handover::WireFormat::anthropic, handover::WireFormat::openai_chat,
        handover::WireFormat::openai_responses, handover::WireFormat::google}) {
    const handover::Target target = handover::target_for(wire, "p", "m");
    for (const std::string& broken : violations(handover::normalize(messages, target), target))
      return broken;
  }
  return {};
}

struct Found {
  std::vector<model::Entry> entries{};
  std::size_t prompts = 0, commands = 0;  // commands: that have a result which is no failure
};

std::string look(const Place& place, const std::set<std::string>& told, Found& found) {
  store::SessionStore store = store_at(place.home());
  if (const store::Result<store::SessionRecord> session = store.find(key)) {
    const Id id = session->header.session;
    if (std::string damage = damage_in(store, id); !damage.empty()) return "damage:" + damage;
    found.entries = entries_of(store, id);
  }
  std::set<std::string> there;
  for (const model::Entry& entry : found.entries) {
    there.insert(to_string(entry.id));
    const auto message =
        entry.type == model::type::message ? model::message_from_json(entry.payload) : std::nullopt;
    if (!message) continue;
    found.prompts += message->role == model::Role::user && !message->continuation;
    for (const model::Block& block : message->content)
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        found.commands += result->tool_use_id == "b" && !result->is_error;
  }
  if (!std::ranges::includes(there, told)) return "what was told as saved is missing";
  if (found.prompts > 1) return "a prompt is there twice";
  if (place.times_run() > 1) return "the command ran twice";
  if (found.commands > place.times_run()) return "a result of a command that never ran";
  return refused(found.entries);
}

// A complaint, or nothing. `struck`: the turn came as far as the call.
std::string strike(const Point& point, const std::string& signal, bool& struck) {
  const Place place;
  const Finished finished = run(place.traced(
      {"-e", "trace=" + point.call, "-e",
       "inject=" + point.call + ":signal=" + signal + ":when=" + std::to_string(point.number)}));
  const std::set<std::string> told = told_as_saved(finished.out);
  struck = finished.status == 137 || read_file(place.trace()).find("--- SIG") != std::string::npos;
  if (finished.timed_out) return "it hangs";
  if (finished.status != 0 && finished.status != (signal == "KILL" ? 137 : 130))
    return "it ended with status " + std::to_string(finished.status) + ": " + finished.err;

  Found before, after;
  if (std::string trouble = look(place, told, before); !trouble.empty()) return trouble;
  const Finished again = run(place.turn(""));
  if (again.status != (before.prompts == 0 ? 2 : 0))
    return "the next run ended with " + std::to_string(again.status) + ": " + again.err;
  if (std::string trouble = look(place, told, after); !trouble.empty())
    return "after the next run: " + trouble;
  if (!store::unanswered_calls(after.entries).empty()) return "a call has no answer";
  if (before.prompts != after.prompts) return "going on made a prompt";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  use_memory_disk();
  if (!is_installed("strace")) {
    std::puts("killed_turn: skipped, strace is not installed");
    return 0;
  }
  const std::size_t wanted = argc > 1     ? std::strtoul(argv[1], nullptr, 10)
                             : long_run() ? 5'000
                                          : 200;
  constexpr std::array signals{"KILL", "INT", "TERM", "HUP"};
  const std::vector<Point> all = points_of_a_turn();
  const std::size_t points = std::min(wanted, all.size());
  const std::size_t complaints = complaints_of(points * signals.size(), 2, [&](std::size_t i) {
    const Point& point = all[i / signals.size() * all.size() / points];
    const std::string signal = signals[i % signals.size()];
    bool struck = false;
    std::string complaint;
    // How often a call comes may depend on how long something takes.
    for (int tries = 0; tries < 4 && complaint.empty() && !struck; ++tries)
      complaint = strike(point, signal, struck);
    if (complaint.empty() && !struck) complaint = "the turn never made this call";
    if (complaint.empty()) return complaint;
    return "SIG" + signal + " before " + point.call + " number " + std::to_string(point.number) +
           ": " + complaint;
  });
  std::printf("killed_turn: %zu signals before each of %zu calls out of %zu, %zu complaints\n",
              signals.size(), points, all.size(), complaints);
  return complaints == 0 && points == std::min<std::size_t>(wanted, all.size()) && points > 0 ? 0
                                                                                              : 1;
}
