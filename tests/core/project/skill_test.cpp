#include "core/project/skill.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "core/project/skill_search.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using project::LoadedSkill, project::Skill, project::SkillPlace;
namespace fs = std::filesystem;

namespace {

Skill skill_of(const std::string& text, const std::string& folder = "pdf-tools") {
  project::MarkdownFile file{.text = text};
  file.front = project::read_front_matter(file.text);
  if (file.front.fault) file.refusal = file.front.fault->reason;
  return project::skill_from(file, folder);
}

struct Tree {
  test::TempDir dir{};
  std::string home = fs::canonical(dir.path()).string();
  std::string skills = home + "/repo/.skein/skills";
  Tree() { fs::create_directories(skills); }

  void add(const std::string& folder, const std::string& text = "---\nname: x\n---\nWords.") const {
    fs::create_directories(skills + "/" + folder);
    test::write_file(skills + "/" + folder + "/SKILL.md", text);
  }
  project::SkillPlaces find(const project::SkillLimits& limits = {}) const {
    const project::Places places = project::places_of(home + "/repo", home, home + "/config");
    return project::find_skills(project::skill_folders(places), places, limits);
  }
  std::string names(const project::SkillLimits& limits = {}) const {
    std::string out;
    for (const SkillPlace& place : find(limits).found)
      out += (out.empty() ? "" : " ") + fs::path(place.folder).filename().string();
    return out;
  }
};

// As if it had been written long ago.
void make_old(const std::string& file) {
  const timespec times[2] = {{1'700'000'000, 0}, {1'700'000'000, 0}};
  utimensat(AT_FDCWD, file.c_str(), times, 0);
}

LoadedSkill loaded(const std::string& name, const std::string& description) {
  return {.skill = {.name = name, .description = description}, .folder = "/s/" + name};
}

}  // namespace

TEST_CASE("a skill with paths is told of with a file that fits, and not in the list") {
  const Skill skill = skill_of(
      "---\nname: pdf-tools\ndescription: Tests.\npaths: [\"*.test.js\", "
      "\"src/**/*.sql\"]\n---\nx");
  CHECK(skill.paths == std::vector<std::string>{"*.test.js", "src/**/*.sql"});
  CHECK(project::is_about(skill, "a.test.js"));
  CHECK(project::is_about(skill, "deep/down/a.test.js"));
  CHECK(project::is_about(skill, "src/db/a.sql"));
  CHECK(!project::is_about(skill, "db/a.sql"));
  CHECK(!project::is_about(skill, "a.js"));
  CHECK(!project::is_about(skill_of("---\ndescription: x\n---\nx"), "a.js"));
  const LoadedSkill loaded{.skill = skill};
  CHECK(project::skill_list(std::vector{loaded}, 1000).empty());
  CHECK(project::skill_offer(loaded).find("- pdf-tools: Tests.") != std::string::npos);
}

TEST_CASE("it is said what of a front matter is not obeyed") {
  const auto notes = [](const std::string& text) {
    project::MarkdownFile file{.text = text};
    file.front = project::read_front_matter(file.text);
    return project::not_obeyed(file).size();
  };
  CHECK(notes("---\ndescription: x\npaths: a\n---\nx") == 0);
  CHECK(notes("---\nmodel: a/b\neffort: high\ncontext: fork\nagent: x\n---\nx") == 2);
  CHECK(notes("---\ncontext: else\nagent: x\n---\nx") == 2);
}

TEST_CASE("a skill that wants an agent of its own gets the one it names, or the general one") {
  const std::vector<std::string> agents{"explore", "general", "Reviewer"};
  const auto agent = [&](const std::string& front) {
    project::MarkdownFile file{.text = "---\n" + front + "---\nx"};
    file.front = project::read_front_matter(file.text);
    return project::agent_for(file, agents);
  };
  CHECK(agent("agent: explore\n").empty());
  CHECK(agent("context: fork\n") == "general");
  CHECK(agent("context: fork\nagent: Explore\n") == "explore");
  CHECK(agent("context: fork\nagent: reviewer\n") == "Reviewer");
  CHECK(agent("context: fork\nagent: general-purpose\n") == "general");
}

TEST_CASE("a skill says what it is for") {
  const Skill skill = skill_of(
      "---\nname: pdf-tools\ndescription: Extract text: from \"PDF\" files.\n"
      "when_to_use: Use when asked.\nargument-hint: FILE\n---\nbody");
  CHECK(skill.refusal.empty());
  CHECK(skill.remarks.empty());
  CHECK(skill.description == "Extract text: from \"PDF\" files. Use when asked.");
  CHECK(skill.hint == "FILE");
  CHECK(skill.for_model);
  CHECK(skill.for_user);
  CHECK(skill.bytes == 4);
}

TEST_CASE("a name that breaks the rules is remarked on, and the folder's counts") {
  CHECK(skill_of("---\nname: PDF\ndescription: d\n---\n").remarks.size() == 1);
  CHECK(skill_of("---\nname: other\ndescription: d\n---\n").name == "pdf-tools");
  CHECK(skill_of("---\nname: a--b\ndescription: d\n---\n").remarks.size() == 1);
  CHECK(skill_of("---\nname: " + std::string(65, 'a') + "\ndescription: d\n---\n").remarks.size() ==
        1);
  CHECK(skill_of("---\ndescription: d\n---\n").remarks.size() == 1);
  CHECK(skill_of("---\nname: My-Skill\ndescription: d\n---\n", "My-Skill").refusal.empty());
  CHECK(!skill_of("---\nname: a\ndescription: d\n---\n", "a b").refusal.empty());
}

TEST_CASE("without a description the first paragraph counts, without both nothing") {
  CHECK(skill_of("---\nname: pdf-tools\n---\n# Title\n\nDoes it.\n").description == "Does it.");
  CHECK(!skill_of("---\nname: pdf-tools\n---\n").refusal.empty());
  CHECK(!skill_of("---\nname: pdf-tools\n").refusal.empty());
}

TEST_CASE("a long description is cut between characters") {
  std::string wide;
  for (int i = 0; i < 2000; ++i) wide += "\xE4\xB8\xAD";
  const Skill skill = skill_of("---\nname: pdf-tools\ndescription: " + wide + "\n---\n");
  CHECK(skill.description.size() == 1024 * 3 + 3);
  CHECK(skill.description.ends_with("\xE4\xB8\xAD…"));
  CHECK(skill.remarks.size() == 1);
}

TEST_CASE("who may call it") {
  CHECK(!skill_of("---\nname: pdf-tools\ndescription: d\ndisable-model-invocation: yes\n---\n")
             .for_model);
  CHECK(!skill_of("---\nname: pdf-tools\ndescription: d\nuser-invocable: off\n---\n").for_user);
}

TEST_CASE("skills are found four folders deep, and not inside of others") {
  const Tree tree;
  tree.add("one");
  tree.add("one/inner");
  tree.add("group/two");
  tree.add("a/b/c/deep");
  tree.add("a/b/c/d/deeper");
  tree.add("node_modules/no");
  tree.add(".git/no");
  CHECK(tree.names() == "deep two one");
}

TEST_CASE("links that lead out, in circles or to the same place add nothing") {
  const Tree tree;
  tree.add("one");
  fs::create_directories(tree.home + "/out/evil");
  test::write_file(tree.home + "/out/evil/SKILL.md", "Words.");
  fs::create_directory_symlink(tree.home + "/out/evil", tree.skills + "/evil");
  fs::create_directory_symlink(tree.skills, tree.skills + "/circle");
  fs::create_directory_symlink(tree.skills + "/one", tree.skills + "/same");
  fs::create_directories(tree.skills + "/linked");
  fs::create_symlink(tree.home + "/out/evil/SKILL.md", tree.skills + "/linked/SKILL.md");
  fs::create_directories(tree.skills + "/pipe");
  mkfifo((tree.skills + "/pipe/SKILL.md").c_str(), 0600);
  CHECK(tree.names() == "one");
}

TEST_CASE("very many folders are cut") {
  const Tree tree;
  for (int i = 0; i < 30; ++i) tree.add("s" + std::to_string(i));
  CHECK(tree.find().found.size() == 30);
  CHECK(!tree.find().cut);
  CHECK(tree.find({.folders = 20}).found.size() < 20);
  CHECK(tree.find({.folders = 20}).cut);
  CHECK(tree.find({.skills = 10}).found.size() == 10);
  CHECK(tree.find({.skills = 10}).cut);
}

TEST_CASE("what a skill said is kept until its file changes") {
  const Tree tree;
  tree.add("one", "---\nname: one\ndescription: tab\there \\ and\n  more\n---\nbody");
  const std::string file = tree.skills + "/one/SKILL.md", cache = tree.home + "/cache/skills";
  make_old(file);
  SkillPlace place = tree.find().found.front();
  place.file.changed -= 100'000'000'000;  // the time of a change cannot be set
  project::SkillCache first(cache);
  const Skill skill = first.get(place);
  CHECK(skill.name == "one");
  first.save();
  REQUIRE(fs::exists(cache));

  test::write_file(file, "---\nname: one\ndescription: other\n---\n");
  project::SkillCache second(cache);
  CHECK(second.get(place) == skill);  // by what the walk saw, it is the same
  SkillPlace changed = tree.find().found.front();
  project::SkillCache third(cache);
  CHECK(third.get(changed).description == "other");
  third.save();  // too fresh to be kept
  project::SkillCache fourth(cache);
  CHECK(fourth.get(place) == skill);
}

TEST_CASE("a damaged cache is no cache") {
  const Tree tree;
  tree.add("one");
  const std::string cache = tree.home + "/skills";
  for (const char* text : {"", "skein skills 2\nx\ty\n",
                           "skein skills 2\n\t\t\t\t\t\t\t\t\t\t\t\t\t\n", "something else"}) {
    test::write_file(cache, text);
    project::SkillCache known(cache);
    CHECK(known.get(tree.find().found.front()).description == "Words.");
  }
}

TEST_CASE("the list of skills is sorted, and shorter where there are many") {
  CHECK(project::skill_list({}, 1000).empty());
  std::vector<LoadedSkill> skills{loaded("b", "Does b."), loaded("a", "Does a.")};
  skills.push_back(loaded("hidden", "x"));
  skills.back().skill.for_model = false;
  CHECK(project::skill_list(skills, 1000).ends_with("continue.\n- a: Does a.\n- b: Does b.\n"));

  std::vector<LoadedSkill> many;
  for (int i = 100; i < 200; ++i)
    many.push_back(loaded("s" + std::to_string(i), std::string(500, 'x')));
  const std::string shorter = project::skill_list(many, 20'000);
  CHECK(shorter.find("- s100: " + std::string(120, 'x') + "…\n") != std::string::npos);
  const std::string names = project::skill_list(many, 1000);
  CHECK(names.ends_with("- s198\n- s199\n"));
  CHECK(project::skill_list(many, 100).ends_with(" more\n"));
}

TEST_CASE("a skill is given with the names of its files, not their content") {
  const Tree tree;
  tree.add("one",
           "---\nname: one\ndescription: d\n---\nRun $SKEIN_X ${SKEIN_SKILL_DIR}/x.sh\n"
           "!`reboot`\n");
  const std::string folder = tree.skills + "/one";
  fs::create_directories(folder + "/scripts");
  test::write_file(folder + "/scripts/x.sh", "secret");
  for (int i = 10; i < 60; ++i) test::write_file(folder + "/f" + std::to_string(i), "");
  const LoadedSkill skill{.skill = {.name = "one"}, .folder = folder};
  const std::string text =
      project::skill_text(skill, project::read_markdown(skill.file()), "/project");
  CHECK(text.starts_with("<skill name=\"one\" folder=\"" + folder + "\">\nRun $SKEIN_X " + folder +
                         "/x.sh\n`reboot` (run it"));
  CHECK(text.find("(11 more)\n</skill>") != std::string::npos);
  CHECK(text.find("SKILL.md") == std::string::npos);
  CHECK(project::files_of(folder, 100).names.back() == "scripts/x.sh");
}
