#include "app/application_worker.h"

#include <algorithm>
#include <utility>

#include "app/sub_agents.h"

namespace skein::app {

using model::ModelRef, subagents::Definition, subagents::Order;

namespace {

class ApplicationWorker : public subagents::Worker {
 public:
  ApplicationWorker(const Invocation& invocation, const project::Places& places,
                    const Helper& helper, const Order& order)
      : application_(invocation, places, &helper), order_(order) {}

  store::SessionStore& store() override { return application_.store(); }
  agent::Agent& agent() override { return application_.agent(); }
  const std::string& workspace() const override { return application_.workspace(); }

  agent::Settings settings(const agent::Conversation& conversation) override {
    agent::Settings out = application_.settings_for(conversation, Application::Flags::do_not);
    const agent::Settings& asking = order_.settings;
    const Definition& role = order_.agent;
    if (!order_.goes_on || !role.model.empty()) out.model = asking.model;
    if (const std::optional<ModelRef> own = model_of(role, application_.catalog())) {
      out.model = *own;
      out.model.thinking = asking.model.thinking;
      out.plan_model.reset();
    }
    if (const auto level = model::parse_thinking_level(role.thinking)) out.model.thinking = *level;
    out.rules = asking.rules;
    if (role.mode) out.rules.mode = subagents::stricter(asking.rules.mode, *role.mode);
    out.max_calls =
        role.most_calls > 0 ? std::min(role.most_calls, asking.max_calls) : asking.max_calls;
    return out;
  }

  std::optional<double> cost(const std::string& model, const model::Usage& usage) override {
    const auto cost = application_.catalog().cost(model, usage);
    return cost ? std::optional(cost->dollars) : std::nullopt;
  }

  std::function<void(const model::Event&)> masking(
      std::function<void(const model::Event&)> sink) override {
    return application_.models().masking(std::move(sink));
  }

 private:
  Application application_;
  const Order order_;
};

}  // namespace

std::unique_ptr<subagents::Worker> make_worker(const Invocation& invocation,
                                               const project::Places& places, const Helper& helper,
                                               const Order& order) {
  return std::make_unique<ApplicationWorker>(invocation, places, helper, order);
}

}  // namespace skein::app
