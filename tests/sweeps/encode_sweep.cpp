// Makes requests of random transcripts for every model of the catalog: each must pass the strict
// grammar of its wire, and be the same bytes when it is made twice.
//   encode_sweep [count [first seed]]
#include <cstdlib>

#include "providers/request.h"
#include "tests/support/long_run.h"
#include "tests/support/random_transcript.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;

namespace {

constexpr handover::WireFormat wires[] = {
    handover::WireFormat::anthropic, handover::WireFormat::openai_chat,
    handover::WireFormat::openai_responses, handover::WireFormat::google};

const std::string systems[] = {"", "be brief", "caf\u00e9 \"quoted\"\n", "bad\xff"};

std::vector<model::ToolSpec> random_tools(Dice& dice) {
  std::vector<model::ToolSpec> tools;
  for (const char* name : {"bash", "read", "list"})
    if (dice.chance(60))
      tools.push_back({name, "does it",
                       R"({"type":"object","properties":{"path":{"type":"string"}},)"
                       R"("required":["path"]})"});
  return tools;
}

struct Row {
  catalog::ProviderRow provider;
  catalog::ModelRow model;
  std::string name;
};

// Models of no row get cautious values and the rules their names tell, and must work as well.
constexpr const char* unheard_of[] = {"unheard-of",   "claude-opus-5-5", "claude-opus-4-8",
                                      "gemini-4-pro", "kimi-k3",         "deepseek-v4-pro"};

std::vector<Row> rows_of(const catalog::Catalog& catalog, handover::WireFormat wire) {
  std::vector<Row> rows;
  for (const catalog::ModelRow& model : catalog.models())
    if (const catalog::ProviderRow* provider = catalog.find_provider(model.provider);
        provider && provider->wire == wire)
      rows.push_back({*provider, model, std::string(model.name)});
  for (const catalog::ProviderRow& provider : catalog.providers())
    for (const char* name : unheard_of)
      if (provider.wire == wire)
        rows.push_back({provider, catalog.find_model({std::string(provider.name), name}), name});
  return rows;
}

// Some of the transcript was written by the very model it goes back to.
void sign_some(Dice& dice, const model::ModelRef& model, std::vector<model::Message>& messages) {
  for (model::Message& message : messages)
    if (message.role == model::Role::assistant && dice.chance(40)) {
      message.provider = model.provider;
      message.model = model.model;
    }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1     ? std::strtoull(argv[1], nullptr, 10)
                              : long_run() ? 25'000
                                           : 10'000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const catalog::Catalog catalog;
  Sweep sweep("encode_sweep");
  for (const handover::WireFormat wire : wires) {
    const std::vector<Row> rows = rows_of(catalog, wire);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      Dice dice(seed * 4 + static_cast<std::uint64_t>(wire));
      const Row& row = rows[dice.below(rows.size())];
      const model::ModelRef model{
          std::string(row.provider.name), row.name,
          static_cast<model::ThinkingLevel>(dice.below(model::thinking_levels))};
      model::Context context{systems[dice.below(std::size(systems))], random_transcript(dice),
                             random_tools(dice)};
      sign_some(dice, model, context.messages);
      context.messages.push_back(model::user_message("go on"));

      const providers::CheckedRequest request =
          providers::make_request(context, model, row.provider, row.model);
      sweep.count();
      sweep.check(request.faults.empty(), [&] {
        return "seed " + std::to_string(seed) + ", " + model::to_string(model) + ": " +
               request.faults.front() + (count == 1 ? "\n" + request.wire.body : "");
      });
      sweep.check(providers::make_request(context, model, row.provider, row.model).wire.body ==
                      request.wire.body,
                  [&] { return "seed " + std::to_string(seed) + ": not the same twice"; });
    }
  }
  return sweep.end("requests");
}
