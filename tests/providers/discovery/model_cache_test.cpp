#include "providers/discovery/model_cache.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "providers/catalog/catalog.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::discovery;
using namespace skein::test;

namespace {

const catalog::ServiceModel full{.name = "a",
                                 .window = 4'096,
                                 .max_output = 100,
                                 .images = true,
                                 .input = 0.1,
                                 .output = 0.5,
                                 .cache_read = 0,
                                 .ends = "2026-12-11"};

}  // namespace

TEST_CASE("what services said is there for the next process, for the user alone") {
  const TempDir folder;
  const std::string file = (folder / "deep/models.json").string();
  ModelCache(file).keep("x http://a", {7, {full}});
  ModelCache(file).keep("y http://b", {8, {{.name = "b"}}});
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  ModelCache cache(file);
  REQUIRE(cache.find("x http://a") != nullptr);
  CHECK(cache.find("x http://a")->models == std::vector{full});
  CHECK(cache.find("x http://a")->fetched == 7);
  CHECK(cache.find("y http://b")->models == std::vector<catalog::ServiceModel>{{.name = "b"}});
  CHECK(cache.find("x http://other") == nullptr);
}

TEST_CASE("a damaged cache, or none, is only an empty one") {
  const TempDir folder;
  const std::string file = (folder / "models.json").string();
  for (const char* bytes :
       {"", "{", "[]", R"({"services":{}})", R"({"services":[null,1,{}]})",
        R"({"services":[{"place":"p","models":[{"name":"\u001b"},{"window":5}]}]})"}) {
    write_file(file, bytes);
    ModelCache cache(file);
    CHECK((cache.find("p") == nullptr || cache.find("p")->models.empty()));
  }
  ModelCache none("");
  none.keep("p", {1, {{.name = "m"}}});
  CHECK(none.find("p")->models.size() == 1);
  ModelCache unwritable("/proc/nowhere/models.json");
  unwritable.keep("p", {1, {{.name = "m"}}});
  CHECK(unwritable.find("p")->models.size() == 1);
}

TEST_CASE("a configuration outweighs a service, and a service outweighs the table") {
  catalog::Catalog catalog;
  int asked = 0;
  catalog.ask_for_service_models([&](const catalog::ProviderRow& row) {
    ++asked;
    if (row.name != "openai") return std::vector<catalog::ServiceModel>{};
    return std::vector<catalog::ServiceModel>{{.name = "gpt-6-sol",
                                               .window = 500'000,
                                               .max_output = 9'000,
                                               .images = false,
                                               .input = 1,
                                               .output = 3},
                                              {.name = "gpt-4o", .ends = "2026-12-01"}};
  });
  const catalog::ModelRow row = catalog.find_model({"openai", "gpt-6-sol"});
  CHECK(row.window == 500'000);
  CHECK(row.max_output == 9'000);
  CHECK_FALSE(row.images);
  CHECK(row.prices.input == 1);
  CHECK(row.tiers[0].above == 0);
  CHECK(catalog.find_model({"openai", "gpt-4o"}).ends == "2026-12-01");
  CHECK(catalog.find_model({"openai", "gpt-6-luna"}).window == 272'000);
  CHECK(asked == 1);  // once, however often it is needed

  catalog::ModelRow mine = catalog.find_model({"openai", "gpt-6-sol"});
  mine.provider = "openai";
  mine.name = "gpt-6-sol";
  mine.window = 7;
  mine.given = catalog::Given::window;
  catalog.add(mine);
  CHECK(catalog.find_model({"openai", "gpt-6-sol"}).window == 7);
  CHECK_FALSE(catalog.find_model({"openai", "gpt-6-sol"}).images);

  catalog.learn("ollama", {{.name = "z", .window = 1}, {.name = "a", .window = 4'096}});
  CHECK(catalog.find_model({"ollama", "a"}).window == 4'096);
  CHECK(catalog.find_model({"ollama", "other"}).window == 32'768);
}
