// Models as lines of a list: name, window, price, whether they see images, when they end.
#pragma once

#include <string>
#include <vector>

namespace skein::pick {

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

// The models that can be used, and `current` in any case; with `all` the others too. Those used
// last come first, as in `used`.
std::vector<ModelLine> ordered_models(std::vector<ModelLine> models,
                                      const std::vector<std::string>& used,
                                      const std::string& current, bool all);

// One line each for a list `columns` wide. Where it is narrow, what is not shown here is shown for
// the chosen one.
std::vector<std::string> model_rows(const std::vector<ModelLine>& models,
                                    const std::string& current, std::size_t columns);

// What there is to say of one, in at most three lines.
std::vector<std::string> model_preview(const ModelLine& model);

}  // namespace skein::pick
