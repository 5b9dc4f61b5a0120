#include "repl/status/status_line.h"

#include <doctest/doctest.h>

#include "repl/layout/width.h"

using namespace skein::status;

TEST_CASE("a status command's colours stay, and everything else is harmless") {
  const auto row = [](std::string_view printed) {
    const std::vector<RowsAbove::Row> rows = safe_rows(printed, 40, true);
    return rows.empty() ? std::string("nothing") : rows.front().text;
  };
  CHECK(row("plain\n") == "plain");
  CHECK(row("\033[1;31mred\033[0m and \033[38;5;200mpink") ==
        "\033[1;31mred\033[0m and \033[38;5;200mpink\033[m");
  CHECK(row("\033[38:2::1:2:3mx") == "\033[38:2::1:2:3mx\033[m");
  CHECK(row("a\033[2Jb\033[10;10Hc\033[?1049hd") == "abcd");
  CHECK(row("\033]0;title\ax\033]8;;http://a.b\033\\link\033]8;;\033\\") == "xlink");
  CHECK(row("\033Pq#0~\033\\y\033cz\033[6n") == "yz");
  CHECK(row("a\033[3") == "a");  // cut short
  CHECK(row("a\033]0;no end") == "a");
  CHECK(row("a\rb\x07") == "a\u240Db\u2407");
  CHECK(row("\u202Eevil").find("\u202E") == std::string::npos);
  CHECK(row("\033[" + std::string(500, '1') + "mx") == "x");
  CHECK(row("\033[2J\033[H") == "nothing");
  CHECK(safe_rows("\033[31mred", 40, false).front().text == "red");
}

TEST_CASE("of a status command's output three lines are shown, each as wide as the terminal") {
  CHECK(safe_rows("1\n2\n3\n4\n5\n", 40, true).size() == 3);
  CHECK(safe_rows("", 40, true).empty());
  CHECK(safe_rows("\n\n\n", 40, true).empty());
  CHECK(safe_rows("one\r\ntwo\r\n", 40, true).at(1).text == "two");
  const std::vector<RowsAbove::Row> wide =
      safe_rows("\033[31m" + std::string(9000, 'x') + "\n日本語日本語", 10, true);
  CHECK(wide.at(0).text == "\033[31mxxxxxxxxx…\033[m");
  CHECK(wide.at(0).columns == 10);
  CHECK(wide.at(1).columns <= 10);
}
