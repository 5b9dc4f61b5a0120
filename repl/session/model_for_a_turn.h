// A model that answers for as long as this lives.
#pragma once

#include <utility>

#include "core/model/provider.h"

namespace skein::session {

class ModelForATurn {
 public:
  ModelForATurn(model::ModelRef& used, model::ModelRef wanted)
      : used_(used), usual_(std::exchange(used, std::move(wanted))) {}
  ~ModelForATurn() { used_ = usual_; }
  ModelForATurn(const ModelForATurn&) = delete;
  ModelForATurn& operator=(const ModelForATurn&) = delete;

 private:
  model::ModelRef& used_;
  model::ModelRef usual_;
};

}  // namespace skein::session
