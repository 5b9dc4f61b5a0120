#include "core/agent/kept_files.h"

#include <utility>

#include "core/model/pause.h"

namespace skein::agent {

namespace {

// It says which file it is about to write, and lets it be kept; everything else may change any.
bool writes_one_file(const model::Tool& tool) {
  return tool.effect == model::Effect::writes && tool.argument.kind == model::Argument::Kind::file;
}

model::FileKeeper::Moment moment_of(const Turn& turn) {
  return {.session = turn.conversation.session(),
          .prompt = turn.prompt,
          .run_id = turn.run_id,
          .stopped = model::stop_check(turn.ports)};
}

}  // namespace

std::string KeptFiles::take_in(Turn& turn, model::FileKeeper::Kept kept) const {
  for (model::Entry& entry : kept.entries) {
    entry.payload = parts_.clean(std::move(entry.payload));
    entry.run_id = turn.run_id;
  }
  if (!kept.entries.empty()) turn.commit(std::move(kept.entries));
  for (std::string& text : kept.notices) turn.tell(model::Notice::Level::warning, std::move(text));
  if (!kept.refusal.empty()) turn.tell(model::Notice::Level::error, kept.refusal);
  return kept.refusal;
}

std::string KeptFiles::before_call(Turn& turn, const model::Tool& tool) const {
  if (parts_.files == nullptr || tool.effect == model::Effect::reads || writes_one_file(tool))
    return {};
  return take_in(turn, parts_.files->before_command(moment_of(turn)));
}

std::function<std::string(const model::FileBefore&)> KeptFiles::before_write(
    Turn& turn, const model::Tool& tool) const {
  if (parts_.files == nullptr || !writes_one_file(tool)) return {};
  return [this, &turn](const model::FileBefore& file) {
    return take_in(turn, parts_.files->before_write(moment_of(turn), file));
  };
}

void KeptFiles::after_turn(Turn& turn) const {
  if (parts_.files == nullptr) return;
  model::FileKeeper::Moment moment = moment_of(turn);
  // A turn that was stopped has changed files all the same.
  moment.stopped = model::next_stop_check(turn.ports);
  take_in(turn, parts_.files->after_turn(moment));
}

}  // namespace skein::agent
