// Several processes on one home, one call each at a time in random order, against a model that is a
// plain list of entries: who may append what, what a conflict shows, what everyone sees afterwards.
#include <algorithm>
#include <cerrno>
#include <random>

#include "tests/support/long_run.h"
#include "tests/support/store_samples.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Model {  // of one session
  struct Line {
    Id id{};
    std::optional<Id> parent{};
    bool marginal = false;
    std::string text{};
  };
  std::vector<Line> lines{};
  std::optional<Id> head{}, tail{};
  bool trashed = false;

  const Line* find(Id id) const {
    const auto found = std::ranges::find(lines, id, &Line::id);
    return found == lines.end() ? nullptr : &*found;
  }
};

using Kind = store::Failure::Kind;

class World {
 public:
  World(Sweep& sweep, std::uint64_t seed) : sweep_(sweep), random_(seed), seed_(seed) {
    for (auto& each : backends_) each = std::make_unique<store::home::FileBackend>(disk_.process());
    for (const Id session : {Id{0x51}, Id{0x52}}) {
      (void)pick().create(header_of(session, "main:cli:" + to_string(session)), {});
      models_[session];
    }
  }

  void step() {
    sweep_.count();
    ++steps_;
    switch (random_() % 16) {
      case 0: return trash_or_restore();
      case 1: return restart();
      case 2: return look();
      case 3: return move_head();
      case 4: return create_again();
      case 5: return tear();
      case 6: return take_back();
      default: return append();
    }
  }
  void end() {
    for (int i = 0; i < 6; ++i) look();
    for (auto& each : backends_) each.reset();
    check(disk_.open_handles() == 0, "a handle leaked");
  }

 private:
  store::home::FileBackend& pick() { return *backends_[random_() % std::size(backends_)]; }
  std::pair<const Id, Model>& some_session() {
    return *std::next(models_.begin(), static_cast<std::ptrdiff_t>(random_() % models_.size()));
  }
  bool check(bool right, const std::string& what) {
    return sweep_.check(right, [&] {
      return what + " (seed " + std::to_string(seed_) + ", step " + std::to_string(steps_) + ")";
    });
  }

  void append() {
    auto& [session, model] = some_session();
    std::vector<store::NewEntry> batch;
    std::vector<Model::Line> lines;
    std::optional<Id> previous = model.head;
    std::optional<Kind> refusal;
    const std::size_t count = 1 + random_() % 3;
    while (batch.size() < count && !refusal) {
      const std::string text = "text " + std::to_string(random_() % 1000);
      store::NewEntry entry = random_() % 5 == 0
                                  ? notes(++number_, R"({"kind":"label","text":")" + text + "\"}")
                                  : says(++number_, text);
      Model::Line line{entry.entry.id, previous, model::is_marginal(entry.entry.type),
                       entry.entry.payload};
      const auto choice = random_() % 12;
      if (choice == 0 && !model.lines.empty()) {  // an old entry as the parent
        const Model::Line& parent = model.lines[random_() % model.lines.size()];
        entry.follows = false;
        entry.entry.parent = line.parent = parent.id;
        if (parent.marginal) refusal = Kind::refused;
      } else if (choice == 1) {  // nobody's parent
        entry.follows = false;
        entry.entry.parent = Id{0xdead};
        refusal = Kind::refused;
      } else if (choice == 2) {  // a new root
        entry.follows = false;
        line.parent = std::nullopt;
      } else if (choice == 3 && !model.lines.empty()) {  // an id that is taken, by another text
        entry = says(number_, "taken");
        entry.entry.id = model.lines[random_() % model.lines.size()].id;
        refusal = Kind::id_conflict;
      }
      if (!line.marginal) previous = line.id;
      batch.push_back(entry);
      lines.push_back(line);
    }
    store::AppendOptions options{.check_all_ids = random_() % 2 == 0};
    const auto wanted = random_() % 4;
    if (wanted == 0 && model.tail) options.expected_tail = model.tail;
    if (wanted == 1 && !model.lines.empty())
      options.expected_tail = model.lines[random_() % model.lines.size()].id;
    if (!refusal && options.expected_tail && options.expected_tail != model.tail)
      refusal = Kind::conflict;
    if (model.trashed) refusal = Kind::gone;

    const store::Result<store::AppendResult> outcome = pick().append(session, batch, options);
    if (!outcome) {
      const store::Failure& failure = outcome.error();
      check(refusal == failure.kind, "refused otherwise than expected: " + failure.text);
      if (failure.kind == Kind::conflict) check_arrived(model, failure, *options.expected_tail);
      return;
    }
    if (!check(!refusal, "an append that should be refused went through")) return;
    const store::AppendResult& result = *outcome;
    check(result.appended == batch.size() && result.last == batch.back().entry.id,
          "the result of an append is wrong");
    for (std::size_t i = 0; i < lines.size() && i < result.entries.size(); ++i)
      check(result.entries[i].parent == lines[i].parent, "an entry has another parent");
    for (const Model::Line& line : lines) {
      model.lines.push_back(line);
      if (!line.marginal) model.head = model.tail = line.id;
    }
    // The same once more, from anyone, changes nothing.
    if (random_() % 3 == 0) {
      const store::Result<store::AppendResult> again = pick().append(session, batch, {});
      check(ok(again) && again->appended == 0, "a repeated batch counts");
    }
  }

  void check_arrived(const Model& model, const store::Failure& failure, Id expected) {
    std::vector<Id> since, arrived;
    for (const Model::Line& line : model.lines) {
      since.push_back(line.id);
      if (line.id == expected) since.clear();
    }
    for (const model::Entry& entry : failure.arrived) arrived.push_back(entry.id);
    if (since.size() > 100) since.erase(since.begin(), since.end() - 100);
    check(failure.tail == model.tail && arrived == since, "a conflict tells something else");
  }

  void look() {
    auto& [session, model] = some_session();
    store::home::FileBackend& backend = pick();
    const store::Result<store::SessionRecord> opened = backend.open(session);
    if (!check(ok(opened) != model.trashed, "a session is not where it should be")) return;
    std::size_t live = 0;
    for (const auto& [id, each] : models_) live += each.trashed ? 0 : 1;
    check(backend.list()->size() == live, "the list is wrong");
    if (model.trashed) return;
    const model::SessionState& state = opened->state;
    check(state.head == model.head && state.tail == model.tail &&
              state.entries == static_cast<std::int64_t>(model.lines.size()),
          "head, tail or count are not up to date");
    std::vector<Id> expected;
    for (const Model::Line& line : model.lines) expected.push_back(line.id);
    check(ids_of(backend, session) == expected, "the entries are others");
    std::vector<Id> backward;
    (void)backend.load_back(session, std::nullopt, [&](const store::StoredEntry& placed) {
      if (placed.entry.type != model::type::session_header)
        backward.insert(backward.begin(), placed.entry.id);
      return true;
    });
    check(backward == expected, "backward the entries are others");
  }

  void trash_or_restore() {
    auto& [session, model] = some_session();
    if (model.trashed)
      check(ok(pick().restore(to_string(session))), "cannot be restored");
    else
      check(bool(pick().erase(session)), "cannot be thrown away");
    model.trashed = !model.trashed;
  }

  // A process ends, some write down the index before, and another begins.
  void restart() {
    auto& backend = backends_[random_() % std::size(backends_)];
    if (random_() % 2 == 0) backend->remember(some_session().first, "/w");
    backend = std::make_unique<store::home::FileBackend>(disk_.process());
    backend->last_used("/w");
  }

  void move_head() {
    auto& [session, model] = some_session();
    if (model.trashed || model.lines.empty()) return;
    const Model::Line target = model.lines[random_() % model.lines.size()];
    if (target.marginal) return;
    const store::NewEntry entry =
        notes(++number_, R"({"kind":"head","entryId":")" + to_string(target.id) + "\"}");
    check(ok(pick().append(session, std::span(&entry, 1), {})), "the head cannot be moved");
    model.lines.push_back({entry.entry.id, model.head, true, {}});
    model.head = target.id;
  }

  void create_again() {
    auto& [session, model] = some_session();
    if (model.trashed) return;
    const auto outcome =
        pick().create(header_of(Id{++number_ << 20}, "main:cli:" + to_string(session)), {});
    check(ok(outcome) && !outcome->made && outcome->record.header.session == session,
          "one key, two sessions");
  }

  // Somebody dies in the middle of a write.
  void tear() {
    auto& [session, model] = some_session();
    const auto files = disk_.process();
    const int handle =
        files->open(store::log::transcript_path(session), store::files::OpenAs::appender);
    if (handle < 0) return;
    files->write(handle, std::string_view(R"({"id":"0000000000000bad","parentId":null,"ty)")
                             .substr(0, 1 + random_() % 40));
    files->close(handle);
  }

  // A batch is written, another process sees it, the sync fails, it is taken back.
  void take_back() {
    auto& [session, model] = some_session();
    store::home::FileBackend& reader = pick();
    bool looking = false;
    disk_.fault = [&, id = session](const char* call) {
      if (looking || std::string_view(call) != "sync") return 0;
      looking = true;
      (void)reader.open(id);
      looking = false;
      return EIO;
    };
    const std::vector<store::NewEntry> batch{says(++number_, std::string(random_() % 300, 'x'))};
    store::home::FileBackend writer(disk_.process());
    check(!ok(writer.append(session, batch, {})), "an append that was not synced is acknowledged");
    disk_.fault = {};
  }

  Sweep& sweep_;
  std::mt19937_64 random_;
  std::uint64_t seed_, steps_ = 0, number_ = 0;
  CrashDisk disk_{};
  std::unique_ptr<store::home::FileBackend> backends_[3]{};
  std::map<Id, Model> models_{};
};

}  // namespace

int main() {
  Sweep sweep("model_sweep");
  for (std::uint64_t seed = 1; seed <= (long_run() ? 200'000 : 1'500); ++seed) {
    World world(sweep, seed);
    for (int step = 0; step < 60; ++step) world.step();
    world.end();
  }
  return sweep.end("steps");
}
