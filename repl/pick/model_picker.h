// Choosing a model from a list: filter by typing, with what each can take and what it costs.
#pragma once

#include "core/model/event.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

// Models as lines of a list: name, window, price, whether they see images, when they end.
struct ModelLine {
  std::string name;      // provider/model
  bool usable = false;   // there is a key, or a running server
  std::string note{};    // why it can be used, or what is missing
  std::string window{};  // 1M
  std::string price{};   // $2/$10; empty: not known
  bool images = false;
  std::string ends{};     // ends in 15 days, then …
  std::string details{};  // window, longest answer and prices as a sentence
  std::string thinks{};   // thinking: low, medium, high
};

// The models that can be used, and `current`; with `all` the others too. First those in `used`.
std::vector<ModelLine> ordered_models(std::vector<ModelLine> models,
                                      const std::vector<std::string>& used,
                                      const std::string& current, bool all);

// One line each for a list `columns` wide; what a narrow one leaves out is in the preview.
std::vector<std::string> model_rows(const std::vector<ModelLine>& models,
                                    const std::string& current, std::size_t columns);

// The details of one, in at most three lines.
std::vector<std::string> model_preview(const ModelLine& model);

struct ModelChoice {
  std::function<std::vector<ModelLine>()> models{};    // in the order of the list
  std::function<bool(const model::Ports&)> refresh{};  // runs while the list is open
  std::string current{};
  std::string hint{};  // about those that are not in the list
};

// The name of a model; nothing if the user left the list.
std::optional<std::string> pick_model(terminal::Keyboard& keyboard, const ModelChoice& choice);

}  // namespace skein::pick
