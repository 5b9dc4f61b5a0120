// An answer in the form of a JSON schema: the model gives it by calling a tool, whose input is
// checked; a model that ends its turn without that is asked for it a few times.
#pragma once

#include "core/hooks/definition.h"
#include "core/model/tool.h"

namespace skein::app {

class StructuredAnswer {
 public:
  // Throws Error (usage) if skein cannot check answers by this schema.
  explicit StructuredAnswer(JsonText schema);
  StructuredAnswer(const StructuredAnswer&) = delete;
  StructuredAnswer& operator=(const StructuredAnswer&) = delete;

  // Both refer to this.
  model::Tool tool();
  hooks::HookDefinition stop_hook();

  void begin_turn();
  const std::optional<JsonText>& answer() const { return answer_; }  // of this turn

 private:
  model::ToolOutcome take(const JsonText& input);

  JsonText schema_;
  std::optional<JsonText> answer_{};
  int reminders_ = 0, misfits_ = 0;
};

}  // namespace skein::app
