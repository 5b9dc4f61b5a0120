#include "core/insights/svg.h"

#include <algorithm>
#include <cstdio>

namespace skein::insights {

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

constexpr double width = 720, height = 120, label_room = 16;

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (static_cast<unsigned char>(c) >= ' ' || c == '\n')
      out += c;
  }
  return out;
}

std::string bar_chart(const std::vector<Bar>& bars) {
  if (bars.empty()) return {};
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.value);
  const double step = width / static_cast<double>(bars.size());
  std::string out = "<svg role=\"img\" viewBox=\"0 0 " + number(width) + " " +
                    number(height + label_room) + "\">";
  double x = 0;
  for (const Bar& bar : bars) {
    // What is there at all can be seen.
    const double tall = bar.value <= 0 ? 0 : std::max(1.5, height * bar.value / most);
    out += "<rect x=\"" + number(x + step * 0.1) + "\" y=\"" + number(height - tall) +
           "\" width=\"" + number(step * 0.8) + "\" height=\"" + number(tall) + "\"><title>" +
           escaped_html(bar.name) + "</title></rect>";
    x += step;
  }
  const auto label = [&](const std::string& name, const char* anchor, double at) {
    const std::string day = name.substr(0, name.find(':'));
    out += "<text x=\"" + number(at) + "\" y=\"" + number(height + label_room - 3) +
           "\" text-anchor=\"" + anchor + "\">" + escaped_html(day) + "</text>";
  };
  label(bars.front().name, "start", 0);
  if (bars.size() > 1) label(bars.back().name, "end", width);
  return out + "</svg>";
}

std::string share_bar(double share) {
  const double wide = std::clamp(share, 0.0, 1.0) * 100;
  return "<svg class=\"share\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\"><rect x=\"0\" "
         "y=\"0\" height=\"8\" width=\"" +
         number(wide) + "\"/></svg>";
}

}  // namespace skein::insights
