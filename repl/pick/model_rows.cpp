#include "repl/pick/model_rows.h"

#include <algorithm>

#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::pick {

namespace {

constexpr std::size_t wide = 64;  // columns from which on there is room for all of it

std::size_t widest(const std::vector<ModelLine>& models, std::string ModelLine::*text) {
  std::size_t width = 0;
  for (const ModelLine& model : models)
    width = std::max(width, layout::display_width(layout::sanitized(model.*text)));
  return width;
}

// Names of models differ at their ends.
std::string end_of(const std::string& name, std::size_t columns) {
  const std::size_t width = layout::display_width(name);
  if (width <= columns || columns < 2) return layout::fit(name, columns);
  std::size_t at = 0;
  // One character at a time, whatever its width.
  while (at < name.size() && layout::display_width(name.substr(at)) > columns - 1) do
      ++at;
    while (at < name.size() && (static_cast<unsigned char>(name[at]) & 0xC0) == 0x80);
  return "…" + name.substr(at);
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
  std::vector<std::pair<decltype(rank(ModelLine{})), std::size_t>> order;
  for (std::size_t i = 0; i < models.size(); ++i) order.emplace_back(rank(models[i]), i);
  std::ranges::sort(order);  // what is equal stays in the order of the catalog
  std::vector<ModelLine> out;
  for (const auto& each : order) out.push_back(std::move(models[each.second]));
  return out;
}

std::vector<std::string> model_rows(const std::vector<ModelLine>& models,
                                    const std::string& current, std::size_t columns) {
  const bool roomy = columns >= wide;
  const std::size_t window = widest(models, &ModelLine::window);
  const std::size_t price = widest(models, &ModelLine::price);
  const std::size_t beside = 2 + window + (roomy ? 2 + price + 2 + 6 : 0);
  const std::size_t room = columns > beside + 10 ? columns - beside : 10;
  const std::size_t name = std::min(widest(models, &ModelLine::name) + 2, room);
  std::vector<std::string> out;
  for (const ModelLine& model : models) {
    const std::string shown = (model.name == current ? "* " : "") + layout::sanitized(model.name);
    std::string line =
        layout::padded(end_of(shown, name), name) + "  " + layout::padded(model.window, window);
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
  const auto add = [&](const std::string& part) {
    if (!part.empty()) more += (more.empty() ? "" : " · ") + layout::sanitized(part);
  };
  add(model.thinks);
  if (!more.empty()) out.push_back(more);
  out.push_back(layout::sanitized(model.ends.empty() ? model.note : model.ends));
  return out;
}

}  // namespace skein::pick
