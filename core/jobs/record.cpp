#include "core/jobs/record.h"

#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::jobs {

namespace {

constexpr std::size_t most_bytes = 1u << 20;

using State = Record::State;
constexpr std::string_view states[] = {"running", "ended", "stopped", "lost"};

std::string_view name_of(State state) { return states[static_cast<std::size_t>(state)]; }

}  // namespace

void add_undone(Record& record, std::string undone) {
  if (undone.empty()) return;
  record.taken_back += (record.taken_back.empty() ? "" : "; ") + std::move(undone);
}

std::uint64_t process_birth(pid_t process) {
  // The 22nd field; the second, a name in brackets, may hold anything.
  const std::string stat = read_small_file("/proc/" + std::to_string(process) + "/stat", 4096);
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 > stat.size()) return 0;
  const auto fields = split(std::string_view(stat).substr(name_end + 2), ' ');
  if (fields.size() <= 19 || fields[0] == "Z") return 0;
  return parse_number<std::uint64_t>(fields[19]).value_or(0);
}

void set_watcher(Record& record, pid_t process) {
  record.watcher = process;
  record.born = process_birth(process);
}

bool watcher_lives(const Record& record) {
  return record.watcher > 1 && record.born != 0 && process_birth(record.watcher) == record.born;
}

std::optional<Record> load_record(const std::string& file) {
  const std::optional<Json> json = parse_json(read_small_file(file, most_bytes));
  if (!json || !json->is_object()) return std::nullopt;
  Record record{.id = static_cast<int>(int_at(*json, "job")),
                .command = string_at(*json, "command"),
                .signal = static_cast<int>(int_at(*json, "signal")),
                .started = int_at(*json, "started"),
                .ended = int_at(*json, "ended"),
                .kept = bool_at(*json, "kept"),
                .watcher = static_cast<pid_t>(int_at(*json, "keeper")),
                .born = static_cast<std::uint64_t>(int_at(*json, "born")),
                .taken_back = string_at(*json, "taken_back")};
  const std::string state = string_at(*json, "state");
  const auto found = std::ranges::find(states, state);
  if (record.id < 1 || found == std::end(states)) return std::nullopt;
  record.state = static_cast<State>(found - std::begin(states));
  if (json->contains("exit")) record.exit_status = static_cast<int>(int_at(*json, "exit"));
  return record;
}

bool save_record(const std::string& file, const Record& record) {
  Json json{
      {"job", record.id},          {"command", record.command}, {"state", name_of(record.state)},
      {"started", record.started}, {"keeper", record.watcher},  {"born", record.born}};
  if (record.kept) json["kept"] = true;
  if (record.ended != 0) json["ended"] = record.ended;
  if (record.exit_status) json["exit"] = *record.exit_status;
  if (record.signal != 0) json["signal"] = record.signal;
  if (!record.taken_back.empty()) json["taken_back"] = record.taken_back;
  return replace_small_file(file, dump(json));
}

bool remove_records(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored))
    if (entry->path().extension() == ".json") {
      const std::optional<Record> record = load_record(entry->path());
      if (record && record->runs() && watcher_lives(*record)) return false;
    }
  fs::remove_all(folder, ignored);
  return true;
}

std::string state_text(const Record& record, std::int64_t now) {
  const std::string time = short_duration(
      std::max<std::int64_t>(0, (record.ended != 0 ? record.ended : now) - record.started));
  switch (record.state) {
    case State::running: return std::string("running for ") + time;
    case State::stopped: return "stopped after " + time;
    case State::lost: return "ended together with skein";
    case State::ended: break;
  }
  if (record.signal != 0)
    return "ended by signal " + std::to_string(record.signal) + ", " + strsignal(record.signal) +
           ", after " + time;
  return record.exit_status
             ? "ended, exit status " + std::to_string(*record.exit_status) + ", after " + time
             : "ended, exit status unknown";
}

JsonText meta_of(const Record& record) {
  Json job{{"id", record.id}, {"state", name_of(record.state)}};
  if (record.exit_status) job["exit"] = *record.exit_status;
  if (record.signal != 0) job["signal"] = record.signal;
  if (record.ended != 0) job["ms"] = record.ended - record.started;
  return dump({{"job", std::move(job)}});
}

bool tells_end(const JsonText& meta, int id) {
  if (meta.find("\"job\"") == JsonText::npos) return false;
  const Json json = parse_json(meta).value_or(Json());
  const Json& job = at(json, "job");
  return int_at(job, "id") == id && string_at(job, "state") != name_of(State::running);
}

std::string report(const Record& record, std::string_view last_lines) {
  std::string out = "[job " + std::to_string(record.id) +
                    " has ended: " + state_text(record, record.ended) + "]\n" +
                    fenced(record.command, "bash");
  if (!record.taken_back.empty()) out += "[" + record.taken_back + "]\n";
  return out + (last_lines.empty() ? "It printed nothing more."
                                   : "Its last lines:\n" + fenced(last_lines));
}

}  // namespace skein::jobs
