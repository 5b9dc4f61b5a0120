#include "tests/support/file_scene.h"

#include <cstdlib>

#include "core/model/tool.h"
#include "core/sandbox/sandbox.h"
#include "core/store/home/file_backend.h"
#include "tests/support/homes.h"
#include "tests/support/workbench.h"

namespace skein::test {

namespace fs = std::filesystem;

namespace {

store::SessionStore in_memory() {
  return store::SessionStore(
      std::make_unique<store::home::FileBackend>(store::files::memory_files()));
}

}  // namespace

FileScene::FileScene(Folder folder, checkpoints::ScanLimits given)
    : FileScene(folder, in_memory(), given) {}

FileScene::FileScene(Folder folder, store::SessionStore on, checkpoints::ScanLimits given)
    : store(std::move(on)), limits(given) {
  fs::create_directories(work());
  session = session_called(store, "main:test:files");
  if (folder == Folder::repository) {
    write_file(work() / "kept.txt", "as committed\n");
    write_file(work() / "src/main.c", "int main() {\n  return 0;\n}\n");
    write_file(work() / "src/other.c", "int other;\n");
    write_file(work() / ".gitignore", "ignored/\n*.o\n");
    by_hand(
        "git init -q . && git config user.name x && git config user.email x@y && git add -A && "
        "git commit -q -m first && git branch other");
  }
  reopen();
}

void FileScene::reopen() {
  keeper_ = std::make_unique<checkpoints::Checkpointer>([this] {
    return std::make_unique<checkpoints::WorkspaceFiles>(
        store, contents(), work().string(), std::vector<std::string>{}, sandbox::best_sandbox(),
        memory, limits, notes());
  });
  tools_ = std::make_unique<model::Tools>(
      tools::standard_tools({.root = work().string(), .unfinished = notes()}));
}

void FileScene::by_hand(const std::string& shell) {
  const std::string command = "cd '" + work().string() + "' && { " + shell + "\n} >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) throw Error("it failed: " + shell);
}

std::string FileScene::git(const std::string& arguments) {
  by_hand("git " + arguments + " > ../said");
  return read_file(dir_.path() / "said");
}

model::FileKeeper::Moment FileScene::moment() const {
  return {.session = session, .prompt = prompt_, .run_id = run_, .stopped = stopped};
}

void FileScene::take_in(model::FileKeeper::Kept kept, std::string& refusal) {
  std::vector<store::NewEntry> entries;
  for (model::Entry& entry : kept.entries) entries.push_back({std::move(entry)});
  if (!entries.empty()) append(store, session, entries);
  notices_.insert(notices_.end(), kept.notices.begin(), kept.notices.end());
  refusal = kept.refusal;
}

Id FileScene::begin(const std::string& prompt) {
  prompt_ = random_id();
  run_ = to_string(random_id());
  append(store, session, {user_says(prompt, prompt_)});
  return prompt_;
}

std::string FileScene::command(const std::string& shell) {
  std::string refusal;
  take_in(keeper_->before_command(moment()), refusal);
  if (refusal.empty()) by_hand(shell);
  return refusal;
}

std::string FileScene::write(const std::string& path, const std::string& content) {
  model::ToolPorts ports;
  ports.before_write = [this](const model::FileBefore& file) {
    std::string refusal;
    take_in(keeper_->before_write(moment(), file), refusal);
    return refusal;
  };
  const model::ToolOutcome outcome =
      model::find_tool(*tools_, "write")
          ->run(json_of({{"path", path}, {"content", content}}), ports);
  return outcome.is_error ? text_of(outcome) : "";
}

void FileScene::end() {
  std::string refusal;
  take_in(keeper_->after_turn(moment()), refusal);
}

Id FileScene::turn(const std::string& shell) {
  const Id prompt = begin("do: " + shell);
  if (const std::string refusal = command(shell); !refusal.empty()) throw Error(refusal);
  end();
  return prompt;
}

checkpoints::RestorePlan FileScene::plan(Id entry) {
  return value_of(checkpoints::plan_to(workspace(), session, entry));
}

checkpoints::RestoreReport FileScene::restore(Id entry, bool overwrite) {
  return value_of(checkpoints::restore(workspace(), plan(entry),
                                       {.session = session, .to = entry, .overwrite = overwrite}));
}

checkpoints::RestoreReport FileScene::redo() {
  const auto step = value_of(checkpoints::last_step_back(store.transcripts(), session));
  if (!step) throw Error("there is nothing to redo");
  const checkpoints::RestorePlan found =
      value_of(checkpoints::plan_before(workspace(), session, *step));
  return value_of(
      checkpoints::restore(workspace(), found, {.session = session, .to = step->to, .redo = true}));
}

std::map<std::string, std::string> FileScene::files() const {
  std::map<std::string, std::string> all = snapshot(work());
  std::erase_if(all, [](const auto& each) {
    return each.first == ".git" || each.first.starts_with(".git/");
  });
  return all;
}

std::map<std::string, std::string> FileScene::repository() const {
  return snapshot(work() / ".git");
}

std::vector<model::payload::Checkpoint> FileScene::checkpoints() {
  std::vector<model::payload::Checkpoint> out;
  for (const model::Entry& entry : entries_of(store, session))
    if (auto checkpoint = model::read_as<model::payload::Checkpoint>(entry))
      out.push_back(*std::move(checkpoint));
  return out;
}

}  // namespace skein::test
