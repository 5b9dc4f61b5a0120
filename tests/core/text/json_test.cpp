#include "core/text/json.h"

#include <doctest/doctest.h>

#include <ctime>

using namespace skein;

TEST_CASE("a line of JSON holds no character that could drive a terminal or end a line") {
  CHECK(json_line("\"\x01\x1b[31m\x7f\"") == R"("\u0001\u001b[31m\u007f")");
  CHECK(json_line("\"\u0080\u009f\u00a0\"") == "\"\\u0080\\u009f\u00a0\"");
  CHECK(json_line("\"\u2028\u2029\uFEFF\u2027\"") == "\"\\u2028\\u2029\\ufeff\u2027\"");
  CHECK(json_line("\"\u00e9\U0001F600\"") == "\"\u00e9\U0001F600\"");
}

TEST_CASE("white space between tokens goes and that within strings stays") {
  CHECK(json_line(" { \"a b\" :\n[ 1 ,\t2 ] }\r\n") == R"({"a b":[1,2]})");
}

TEST_CASE("lone surrogates become the replacement character and pairs stay") {
  CHECK(json_line(R"("\ud800")") == R"("\ufffd")");
  CHECK(json_line(R"("\udc00x")") == R"("\ufffdx")");
  CHECK(json_line(R"("\ud83d\ude00")") == R"("\ud83d\ude00")");
  CHECK(json_line(R"("\ud83d\ud83d\ude00")") == R"("\ufffd\ud83d\ude00")");
  CHECK(json_line(R"("\ud83dA")") == R"("\ufffdA")");
  for (int unit = 0xD800; unit < 0xE000; ++unit) {
    char text[16];
    std::snprintf(text, sizeof text, "\"\\u%04x\"", static_cast<unsigned>(unit));
    REQUIRE(json_line(text) == R"("\ufffd")");
  }
}

TEST_CASE("malformed UTF-8 becomes the replacement character") {
  CHECK(json_line("\"a\xff\"") == "\"a\uFFFD\"");
  CHECK(json_line("\"\xe4\xb8\"") == "\"\uFFFD\"");
  CHECK(json_line("\"\xc0\xaf\"") == "\"\uFFFD\uFFFD\"");
  CHECK(json_line("\"\xed\xa0\x80\"") == "\"\uFFFD\uFFFD\uFFFD\"");  // a surrogate in UTF-8
}

TEST_CASE("an escaped quote or backslash does not end a string") {
  CHECK(json_line(R"({"a":"\"  \\"  ,"b":"  "})") == R"({"a":"\"  \\","b":"  "})");
}

TEST_CASE("numbers and the order of members stay as they were written") {
  CHECK(json_line(R"({"z":1.50,"a":1e400,"m":12345678901234567890123})") ==
        R"({"z":1.50,"a":1e400,"m":12345678901234567890123})");
}

TEST_CASE("what is nested deeper than 256 is not JSON for us") {
  CHECK(parse_json(std::string(256, '[') + std::string(256, ']')));
  CHECK_FALSE(parse_json(std::string(257, '[') + std::string(257, ']')));
  CHECK_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST_CASE("members are read without a throw whatever the value is") {
  const Json object = *parse_json(R"({"s":"x","n":3,"b":true,"o":{"k":[1]}})");
  CHECK(string_at(object, "s") == "x");
  CHECK(string_at(object, "n", "none") == "none");
  CHECK(int_at(object, "n") == 3);
  CHECK(int_at(object, "s", 7) == 7);
  CHECK(bool_at(object, "b"));
  CHECK(text_at(object, "o") == R"({"k":[1]})");
  CHECK(text_at(object, "s").empty());
  CHECK(string_at(Json::array(), "s").empty());
}

TEST_CASE("very many members are read in a moment, in order, the last of equals winning") {
  for (const int count : {31, 32, 33, 400'000}) {  // a line of more than a megabyte too
    std::string text = "{";
    for (int i = 0; i < count; ++i)
      text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
    text += "\"k7\":\"again\"}";
    const std::optional<Json> json = parse_json(text);
    CAPTURE(count);
    REQUIRE(json);
    CHECK(json->size() == static_cast<std::size_t>(count));
    CHECK(string_at(*json, "k7") == "again");
    CHECK(json->begin().key() == "k0");
    CHECK(std::next(json->begin(), 7).key() == "k7");
    CHECK(std::prev(json->end()).key() == "k" + std::to_string(count - 1));
    CHECK(int_at(*json, "k" + std::to_string(count - 1)) == count - 1);
    CHECK(parse_json(dump(*json)) == json);
  }
}

TEST_CASE("what only the slower parser reads is refused if it would take very long") {
  const auto document = [](std::size_t objects, int members) {
    std::string text = "[123456789012345678901234567890";  // the fast one refuses it
    for (; objects > 0; --objects) {
      text += ",{";
      for (int i = 0; i < members; ++i) text += "\"k" + std::to_string(i) + "\":{\"a\":1},";
      text.back() = '}';
    }
    return text + "]";
  };
  CHECK(parse_json(document(1, 10'000)));
  CHECK(parse_json(document(1'000, 50)));
  const std::clock_t start = std::clock();  // of the processor, which others use too
  CHECK_FALSE(parse_json(document(1, 300'000)));
  CHECK_FALSE(parse_json(document(40, 10'000)));
  CHECK_FALSE(parse_json(document(1, 300'000) + "]"));
  CHECK(std::clock() - start < 5 * CLOCKS_PER_SEC);
}

TEST_CASE("text is JSON, and the same value, for both parsers or for none") {
  // What a strict parser of another house says about it.
  const auto judged = [](const std::string& text) -> std::optional<Json> {
    if (text.find('\0') != std::string::npos) return std::nullopt;
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? std::nullopt : std::optional<Json>(std::move(value));
  };
  const std::string sample =
      R"({"role":"user","content":[{"type":"text","text":"a\n\u00e9\ud83d\ude00 日本"},{"n":[0,-0,-1,)"
      R"(18446744073709551615,-9223372036854775808,1.5e-3,1E5,-0.0,true,false,null,"",{},[]]}],)"
      R"("usage":{"input":12,"input":13}})";
  CHECK(parse_json(sample) == judged(sample));
  CHECK(dump(*parse_json(sample)) == dump(*judged(sample)));
  for (const char* text : {"", " ", "1 2", "[1,]", "{\"a\":1,}", "01", "1.", "-", "1e400",
                           "123456789012345678901234567890", "\"\\ud800\"", "\"\\q\"", "\"\x01\"",
                           "\xff", "nul", "\xef\xbb\xbf{}", "[[[]]]", "tru", "\"a"}) {
    CAPTURE(text);
    CHECK(parse_json(text) == judged(text));
    CHECK(is_json_object(text) == (judged(text) && judged(text)->is_object()));
  }
  CHECK(is_json_object(sample));
  CHECK(is_json_object(R"({"n":123456789012345678901234567890})"));  // for the slower one
  std::uint32_t dice = 1;
  const auto roll = [&](std::size_t limit) {
    dice = dice * 1664525 + 1013904223;
    return static_cast<std::size_t>(dice >> 8) % limit;
  };
  const std::string_view letters = "\"\\{}[],:0123456789.eE+-tfnu \n\x80\xff";
  std::size_t good = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = sample;
    for (std::size_t changes = 1 + roll(2); changes > 0; --changes)
      text[roll(text.size())] = letters[roll(letters.size())];
    const auto ours = parse_json(text), theirs = judged(text);
    good += ours.has_value();
    if (ours != theirs || (ours && dump(*ours) != dump(*theirs))) FAIL("not the same: " << text);
    if (is_json_object(text) != (ours && ours->is_object())) FAIL("an object or not: " << text);
  }
  CHECK(good > 1000);
}
