#include "repl/pick/model_picker.h"

#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/pick/picker.h"

namespace skein::pick {

namespace {

constexpr std::size_t wide = 64;  // columns from which on there is room for all of it

std::size_t widest(const std::vector<ModelLine>& models, std::string ModelLine::*text) {
  std::size_t width = 0;
  for (const ModelLine& model : models)
    width = std::max(width, layout::display_width(layout::sanitized(model.*text)));
  return width;
}

}  // namespace

std::vector<ModelLine> ordered_models(std::vector<ModelLine> models,
                                      const std::vector<std::string>& used,
                                      const std::string& current, bool all) {
  std::erase_if(models, [&](const ModelLine& model) {
    return !(all || model.usable || model.name == current);
  });
  const auto rank = [&](const ModelLine& model) {
    const auto found = std::ranges::find(used, model.name);
    return std::pair(found - used.begin(), !model.usable);
  };
  std::ranges::stable_sort(models, {}, rank);  // what is equal stays in the order of the catalog
  return models;
}

std::vector<std::string> model_rows(const std::vector<ModelLine>& models,
                                    const std::string& current, std::size_t columns) {
  const bool roomy = columns >= wide;
  const std::size_t window = widest(models, &ModelLine::window);
  const std::size_t price = widest(models, &ModelLine::price);
  const std::size_t others = 2 + window + (roomy ? 2 + price + 2 + 6 : 0);
  const std::size_t room = std::max<std::size_t>(layout::left_of(columns, others), 10);
  const std::size_t name = std::min(widest(models, &ModelLine::name) + 2, room);
  std::vector<std::string> out;
  for (const ModelLine& model : models) {
    const std::string shown = (model.name == current ? "* " : "") + layout::sanitized(model.name);
    // Names of models differ at their ends.
    std::string line = layout::padded(layout::fit_end(shown, name), name) + "  " +
                       layout::padded(model.window, window);
    if (roomy)
      line += "  " + layout::padded(model.price, price) + (model.images ? "  images" : "        ");
    if (roomy && !model.ends.empty())
      line += "  " + layout::sanitized(model.ends);
    else if (roomy && !model.usable)
      line += "  " + layout::sanitized(model.note);
    out.push_back(std::move(line));
  }
  return out;
}

std::vector<std::string> model_preview(const ModelLine& model) {
  std::vector<std::string> out;
  if (!model.details.empty()) out.push_back(layout::sanitized(model.details));
  std::string more = model.images ? "sees images" : "";
  if (!model.thinks.empty()) more += (more.empty() ? "" : " · ") + layout::sanitized(model.thinks);
  if (!more.empty()) out.push_back(more);
  out.push_back(layout::sanitized(model.ends.empty() ? model.note : model.ends));
  return out;
}

std::optional<std::string> pick_model(terminal::Keyboard& keyboard, const ModelChoice& choice) {
  std::vector<ModelLine> models;
  const auto fill = [&](PickList& list) {
    models = choice.models();
    const std::size_t columns = std::max<std::size_t>(keyboard.terminal().size().columns, 20);
    list.lines = model_rows(models, choice.current, columns - 3);
    list.texts.clear();
    for (const ModelLine& model : models) list.texts.push_back(model.name);
  };
  PickList list{.title = "model", .keys = choice.hint};
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
