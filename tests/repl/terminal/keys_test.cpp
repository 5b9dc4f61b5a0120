#include "repl/terminal/keys.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace skein;
using namespace skein::terminal;
using Code = Key::Code;

namespace {

std::vector<Key> decoded(std::string_view bytes, std::size_t piece = 1 << 20) {
  KeyDecoder decoder;
  std::vector<Key> out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    decoder.feed(bytes.substr(at, piece));
    while (auto next = decoder.next()) out.push_back(std::move(*next));
  }
  while (decoder.waiting())
    if (auto last = decoder.flush()) out.push_back(std::move(*last));
  return out;
}

Key with(Key key, bool ctrl, bool alt, bool shift) {
  key.ctrl = ctrl;
  key.alt = alt;
  key.shift = shift;
  return key;
}

Key pasted(std::string text) {
  Key out = key(Code::paste);
  out.text = std::move(text);
  return out;
}

Key report(char end, std::string text) {
  Key out{.code = Code::report, .point = static_cast<unsigned char>(end)};
  out.text = std::move(text);
  return out;
}

Key function(char32_t number) { return {.code = Code::function, .point = number}; }

struct Sample {
  std::string_view bytes;
  std::vector<Key> keys;
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"a", {character('a')}},
      {"\r", {key(Code::enter)}},
      {"\n", {ctrl('j')}},
      {"\x03", {ctrl('c')}},
      {"\x1f", {ctrl('_')}},
      {"\x7f", {key(Code::backspace)}},
      {"\x1b", {key(Code::escape)}},
      {"\x1b\x1b", {key(Code::escape), key(Code::escape)}},
      {"\x1bx", {alt('x')}},
      {"\x1b\x03", {key(Code::escape), ctrl('c')}},
      {"\x1b\x04", {key(Code::escape), ctrl('d')}},
      {"\x1b\r", {with(key(Code::enter), false, true, false)}},
      {"\x1b[A", {key(Code::up)}},
      {"\x1bOA", {key(Code::up)}},
      {"\x1bOM", {key(Code::enter)}},
      {"\x1b\x1b[A", {with(key(Code::up), false, true, false)}},
      {"\x1b[1;5C", {with(key(Code::right), true, false, false)}},
      {"\x1b[3~", {key(Code::del)}},
      {"\x1b[Z", {with(key(Code::tab), false, false, true)}},
      {"\x1b[13;2u", {with(key(Code::enter), false, false, true)}},
      {"\x1b[27;2;13~", {with(key(Code::enter), false, false, true)}},
      {"\x1b[97;5u", {ctrl('a')}},
      {"\x1b[99;9~", {Key{}}},
      {"\x1b[<0;10;20M", {report('M', "<0;10;20")}},
      {"\x1b[?62;4cx", {report('c', "?62;4"), character('x')}},
      {"\x1b[24;80Rx", {Key{}, character('x')}},
      {"\x1bOP", {function(1)}},
      {"\x1b[1;5S", {with(function(4), true, false, false)}},
      {"\x1b[15~", {function(5)}},
      {"\x1b[24;2~", {with(function(12), false, false, true)}},
      {"\x1b[13;5u", {ctrl(Code::enter)}},
      {"\x1b[27;5;13~", {ctrl(Code::enter)}},
      {"\x1b[99;5u", {ctrl('c')}},
      {"\x1b[27u", {key(Code::escape)}},
      {"\x1b[105;5u", {key(Code::tab)}},
      {"\x1b[45;6u", {ctrl('_')}},
      {"\x1b[102;4u", {alt('F')}},
      {"\x1b[120;6u", {with(ctrl('x'), true, false, true)}},
      {"\x1b[M !!x", {Key{}, character('x')}},
      {"\x1b]11;rgb:0000/0000/0000\x07y", {report(']', "rgb:0000/0000/0000"), character('y')}},
      {"\x1b]11;rgb:f/f/f\x1b\\y", {report(']', "rgb:f/f/f"), character('y')}},
      {"\x1b]11;rgb:00\rx", {Key{}, key(Code::enter), character('x')}},
      {"\x1b]11;rgb:00\x1b[Ax", {Key{}, key(Code::up), character('x')}},
      {"\x1b]10;rgb:0000/0000/0000\x07y", {Key{}, character('y')}},
      {"\x1b]112\x07y", {Key{}, character('y')}},
      {"\x1bP1+r\x1b\\z", {Key{}, character('z')}},
      {"\xC3\xA9", {character(U'é')}},
      {"\xF0\x9F\xAB\xA0", {character(U'\U0001FAE0')}},
      {"\xC3(", {character(0xFFFD), character('(')}},
      {"\xED\xA0\x80", {character(0xFFFD), character(0xFFFD), character(0xFFFD)}},
      {"\x1b[200~two\nlines\x1b[201~", {pasted("two\nlines")}},
      {"\x1b[200~\x1b[A\x03\x1b[201~q", {pasted("\x1b[A\x03"), character('q')}},
      {"\x1b[12\rx", {Key{}, key(Code::enter), character('x')}},
  };
  return all;
}

}  // namespace

TEST_CASE("every key a terminal sends is known, and nothing unknown becomes text") {
  for (const Sample& sample : samples()) {
    CAPTURE(std::string(sample.bytes));
    CHECK(decoded(sample.bytes) == sample.keys);
  }
}

TEST_CASE("the same keys come out wherever the bytes are split") {
  std::mt19937 random(7);
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const Sample& sample = samples()[random() % samples().size()];
    all += sample.bytes;
  }
  const std::vector<Key> whole = decoded(all);
  REQUIRE(whole.size() > 200);
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 64u}) CHECK(decoded(all, piece) == whole);
}

TEST_CASE("random bytes are decoded to the end, whatever they are") {
  std::mt19937 random(11);
  for (int run = 0; run < 2000; ++run) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      constexpr std::string_view likely = "\x1b[;~0123O\x9B\xC3\xF0M";
      bytes += random() % 2 ? likely[random() % likely.size()] : static_cast<char>(random());
    }
    bytes += "\x1b[201~";  // should a paste have begun
    const std::vector<Key> keys = decoded(bytes);
    REQUIRE(keys == decoded(bytes, 1));
    REQUIRE(!keys.empty());
  }
}

TEST_CASE("a typed character is its UTF-8 and nothing else types") {
  CHECK(typed(character(U'ß')) == "ß");
  CHECK(typed(character(U'€')) == "€");
  CHECK(typed(character(U'\U0001F600')) == "😀");
  CHECK(typed(ctrl('a')).empty());
  CHECK(typed(key(Code::enter)).empty());
}

TEST_CASE("a report of the window's focus is no key, and is remembered") {
  KeyDecoder decoder;
  CHECK_FALSE(decoder.in_front().has_value());
  decoder.feed("a\x1b[Ob\x1b[");
  CHECK(decoder.next() == character('a'));
  CHECK(decoder.next() == character('b'));
  CHECK(decoder.in_front() == false);
  CHECK_FALSE(decoder.next().has_value());
  decoder.feed("I");
  CHECK_FALSE(decoder.next().has_value());
  CHECK(decoder.in_front() == true);
  CHECK(decoder.empty());
  CHECK(decoded("\x1b[I\x1b[O\x1b[Ix") == std::vector<Key>{character('x')});
}

TEST_CASE("a late rest of the answer about the background is no text") {
  constexpr std::string_view answer = "\x1b]11;rgb:ffff/ffff/ffff\x07";
  for (std::size_t cut = 3; cut < answer.size(); ++cut) {
    CAPTURE(cut);
    KeyDecoder decoder;
    decoder.feed("a" + std::string(answer.substr(0, cut)));
    CHECK(decoder.next() == character('a'));
    CHECK_FALSE(decoder.next().has_value());
    CHECK_FALSE(decoder.waiting());
    CHECK_FALSE(decoder.flush().has_value());
    decoder.feed(std::string(answer.substr(cut)) + "b");
    CHECK(decoder.next() == report(']', "rgb:ffff/ffff/ffff"));
    CHECK(decoder.next() == character('b'));
    CHECK(decoder.empty());
  }
  KeyDecoder endless;
  endless.feed("\x1b]11;" + std::string(64, '0') + "ab");
  CHECK(endless.next() == Key{});
  CHECK(endless.next() == character('a'));
  CHECK(decoded("\x1b]") == std::vector<Key>{alt(']')});
}
