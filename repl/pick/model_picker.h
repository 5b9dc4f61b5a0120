// Choosing a model from a list: filter by typing, with what each can take and what it costs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "repl/pick/model_rows.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

struct ModelChoice {
  std::function<std::vector<ModelLine>()> models{};    // in the order of the list
  std::function<bool(const model::Ports&)> refresh{};  // goes on while the list is open
  std::string current{};
  std::string query{};  // to begin with
  std::string hint{};   // about those that are not in the list
};

// The name of a model; nothing if the user left the list.
std::optional<std::string> pick_model(terminal::Keyboard& keyboard, const ModelChoice& choice);

}  // namespace skein::pick
