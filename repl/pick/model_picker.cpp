#include "repl/pick/model_picker.h"

#include <algorithm>

#include "repl/pick/picker.h"

namespace skein::pick {

std::optional<std::string> pick_model(terminal::Keyboard& keyboard, const ModelChoice& choice) {
  std::vector<ModelLine> models;
  const auto fill = [&](PickList& list) {
    models = choice.models();
    const int columns = keyboard.terminal().size().columns;
    list.lines =
        model_rows(models, choice.current, static_cast<std::size_t>(std::max(columns, 20)) - 3);
    list.texts.clear();
    for (const ModelLine& model : models) list.texts.push_back(model.name);
  };
  PickList list{.title = "model", .query = choice.query, .keys = choice.hint};
  fill(list);
  list.preview = [&](std::size_t i) { return model_preview(models[i]); };
  list.refresh = [&](PickList& shown, const model::Ports& ports) {
    if (!choice.refresh || !choice.refresh(ports) || ports.stopped()) return false;
    fill(shown);
    return true;
  };
  const Picked picked = pick(keyboard, list);
  if (!picked.index) return std::nullopt;
  return models[*picked.index].name;
}

}  // namespace skein::pick
