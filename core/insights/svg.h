// The few drawings a page of insights has. Texts may be anybody's: they are escaped here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::insights {

std::string escaped_html(std::string_view text);

struct Bar {
  std::string name;  // what is told when a pointer rests on it
  double value = 0;
};
// Bars beside each other, one for each day, with a title of their own and the first and the last
// name below.
std::string bar_chart(const std::vector<Bar>& bars);
// One bar of a row in a table, of `share` of its room.
std::string share_bar(double share);

}  // namespace skein::insights
