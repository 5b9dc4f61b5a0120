#include "core/model/attachments.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <map>

#include "core/model/entry.h"
#include "core/model/state.h"
#include "core/text/encoding.h"
#include "core/workspace/root.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::model;
using namespace skein::test;

namespace {

const std::string png = "\x89PNG\r\n\x1a\n and so on";

struct Workspace {
  TempDir dir{};
  workspace::Root root{dir.path().string(), {}};
  bool may = true;
  std::vector<std::string> asked{}, remarks{};
  std::map<std::string, std::string> blobs{};

  PromptWithFiles taken(const std::string& prompt) { return taken(prompt, prompt); }
  PromptWithFiles taken(const std::string& prompt, const std::string& typed) {
    AttachPorts ports;
    ports.locate = [&](std::string_view path) { return root.located(path); };
    ports.may = [&](const std::string& name, const Located& place) {
      asked.push_back(name + (place.below.empty() ? " outside" : " is " + place.below));
      return may;
    };
    ports.tell = [&](const std::string& remark) { remarks.push_back(remark); };
    ports.keep_blob = [&](std::string_view bytes) {
      const std::string name = "blob" + std::to_string(blobs.size());
      blobs[name] = bytes;
      return name;
    };
    ports.fetch = [](const std::string& name) -> std::optional<Fetched> {
      if (name != "docs:guide://1") return std::nullopt;
      return Fetched{"from afar", {{.mime_type = "image/png", .blob = "b"}}};
    };
    ports.document = [](std::string_view bytes) {
      if (bytes.ends_with("broken")) throw Error("it is damaged");
      return "[page 1]\n" + std::to_string(bytes.size()) + " bytes";
    };
    return with_files(prompt, typed, ports);
  }
};

}  // namespace

TEST_CASE("a name that is no file may lead elsewhere, unless it was pasted") {
  Workspace here;
  const auto [message, files] = here.taken("see @docs:guide://1, and @docs:guide://2");
  REQUIRE(message.content.size() == 4);
  CHECK(std::get<Text>(message.content[1]).text == "\n\n[docs:guide://1]\n```\nfrom afar\n```\n");
  CHECK(std::get<Image>(message.content[3]).blob == "b");
  CHECK(files.size() == 2);
  CHECK(here.taken("see @docs:guide://1", "see").files.empty());
}

TEST_CASE("a text file comes along in a block of its own") {
  Workspace here;
  write_file(here.dir / "main.c", "int main() {}\n");
  const auto [message, files] = here.taken("read @main.c, and @main.c again");
  REQUIRE(message.content.size() == 2);
  CHECK(std::get<Text>(message.content[0]).text == "read @main.c, and @main.c again");
  CHECK(std::get<Text>(message.content[1]).text == "\n\n[main.c]\n```\nint main() {}\n```\n");
  REQUIRE(files.size() == 1);
  CHECK(files[0].what == "1 line");
  CHECK(words_alone(message) == "read @main.c, and @main.c again");
  CHECK(attached_names(message) == std::vector<std::string>{"main.c"});
  CHECK(attached_names(*message_from_json(to_json(message))) == attached_names(message));
}

TEST_CASE("titles and previews tell the words, not the files") {
  Workspace here;
  write_file(here.dir / "main.c", "int main() {}\n");
  const Message message = here.taken("see @main.c").message;
  CHECK(preview(message_entry(message), 60) == "see @main.c");
  SessionState state;
  fold(state, facts_of(message_entry(message), 0));
  CHECK(state.title == "see @main.c");
  const Message odd = user_message("\n\n[not a file]\nbut words");
  CHECK(words_alone(odd) == plain_text(odd));
  CHECK(attached_names(odd).empty());
}

TEST_CASE("an image comes along as an image, its bytes beside the transcript") {
  Workspace here;
  write_file(here.dir / "a picture.png", png);
  const auto [message, files] = here.taken("what is @\"a picture.png\"?");
  REQUIRE(message.content.size() == 3);
  const auto& image = std::get<Image>(message.content[2]);
  CHECK(image.mime_type == "image/png");
  CHECK(image.bytes.empty());
  CHECK(here.blobs.at(image.blob) == png);
  CHECK(attached_names(message) == std::vector<std::string>{"a picture.png"});
  CHECK(files[0].what == "image/png, 18 bytes");
  CHECK(to_json(message).find("and so on") == std::string::npos);
}

TEST_CASE("a PDF or a notebook comes along as its text") {
  Workspace here;
  write_file(here.dir.path() / "a.pdf", std::string("%PDF-1.7\0....", 13));
  write_file(here.dir.path() / "b.ipynb", "{}");
  const PromptWithFiles out = here.taken("compare @a.pdf and @b.ipynb");
  REQUIRE(out.files.size() == 2);
  CHECK(std::get<Text>(out.message.content[1]).text ==
        "\n\n[a.pdf]\n```\n[page 1]\n13 bytes\n```\n");
  CHECK(std::get<Text>(out.message.content[2]).text ==
        "\n\n[b.ipynb]\n```\n[page 1]\n2 bytes\n```\n");
  write_file(here.dir.path() / "c.pdf", "%PDF-1.7 broken");
  CHECK_THROWS_WITH(here.taken("read @c.pdf"), "c.pdf: it is damaged");
  write_file(here.dir.path() / "d.zip", std::string("PK\3\4\0", 5));
  CHECK_THROWS_WITH(
      here.taken("read @d.zip"),
      "d.zip is a ZIP archive or office document; models take text, images (png, jpeg, "
      "gif, webp), PDF and notebooks");
}

TEST_CASE("what names no file stays as it was said") {
  Workspace here;
  write_file(here.dir / "name", "x");
  for (const char* prompt : {"mail me@name", "@", "@ name", "@nobody", "@\"", "@\"nobody\"", "@.",
                             "@..", "@/", "name"}) {
    CAPTURE(prompt);
    CHECK(here.taken(prompt).message == user_message(prompt));
  }
}

TEST_CASE("what a paste mentions does not come along") {
  Workspace here;
  write_file(here.dir / "name", "x");
  const auto [message, files] = here.taken("see a log with @name in it", "see [Pasted text #1]");
  CHECK(files.empty());
  CHECK(message == user_message("see a log with @name in it"));
}

TEST_CASE("what cannot be taken along is said before anything is sent") {
  Workspace here;
  write_file(here.dir / "program", std::string("\x7f"
                                               "ELF\0\0",
                                               6));
  write_file(here.dir / "huge.png", png + std::string(most_image_bytes, 'x'));
  CHECK_THROWS_AS(here.taken("run @program"), Error);
  CHECK_THROWS_AS(here.taken("see @huge.png"), Error);
  CHECK(here.blobs.empty());
}

TEST_CASE("of a long text the beginning comes along, and backticks in it end no fence") {
  Workspace here;
  write_file(here.dir / "long", std::string(1'000'000, 'x'));
  write_file(here.dir / "README.md", "```\ncode\n```\n");
  const auto [message, files] = here.taken("@long @README.md");
  CHECK(std::get<Text>(message.content[1]).text.size() < 300'000);
  CHECK(std::get<Text>(message.content[1]).text.ends_with("the read tool shows the rest]"));
  CHECK(files[0].what == "1 line, the beginning");
  CHECK(std::get<Text>(message.content[2]).text == "\n\n[README.md]\n````\n```\ncode\n```\n````\n");
}

TEST_CASE("a mention names the path it was made from") {
  Workspace here;
  for (const char* name : {"plain.txt", "two words.txt", "comma,.txt"}) {
    write_file(here.dir / name, "x");
    CHECK(attached_names(here.taken("see " + mention(name)).message) ==
          std::vector<std::string>{name});
  }
}

TEST_CASE("a file that cannot be read is a reason, not an empty attachment") {
  Workspace here;
  // Even root cannot read the page at address zero.
  const std::string memory = "/proc/" + std::to_string(getpid()) + "/mem";
  CHECK_THROWS_WITH_AS(here.taken("see @" + memory),
                       ("cannot read " + memory + "; nothing was sent").c_str(), Error);
}

TEST_CASE("every file is asked about by the place it leads to") {
  Workspace here;
  const TempDir outside;
  write_file(outside / "secret", "s");
  write_file(here.dir / "name", "x");
  std::filesystem::create_symlink("name", here.dir / "link");
  std::filesystem::create_symlink(outside / "secret", here.dir / "out");
  const std::string absolute = (outside / "secret").string();

  here.taken("@name @link @out @" + absolute + " @" + (here.dir / "name").string());
  CHECK(here.asked == std::vector<std::string>{"name is name", "link is name", "out outside",
                                               absolute + " outside",
                                               (here.dir / "name").string() + " is name"});
  here.may = false;
  const std::string prompt = "see @name and @out";
  CHECK(here.taken(prompt).message == user_message(prompt));
}

TEST_CASE("a name that looks like a file's and brings nothing along is remarked upon") {
  Workspace here;
  write_file(here.dir / "src/main.cpp", "x");
  here.taken(
      "@src/nope.cpp, @src/ @nope.txt @alice @angular/core @v1.2@x me@nope.txt @src/main.cpp");
  CHECK(here.remarks ==
        std::vector<std::string>{"there is no file src/nope.cpp, so nothing is attached",
                                 "src/ is a folder and is not attached",
                                 "there is no file nope.txt, so nothing is attached"});
}
