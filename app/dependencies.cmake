# Where each package comes from.
#
# Most are found as the system has them. replxx and cpr are on few systems, so three places are
# tried in turn, each saying in one line why it did not do: the system; the source packages of the
# Debian archive that apt is configured with; upstream's release, pinned by its hash. Sources are
# kept in build/packages, shared by all presets, so they are fetched once.

find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(simdjson REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)  # libpq
find_package(tomlplusplus REQUIRED)
find_package(spdlog 1.10 REQUIRED)

# A library that has no CMake package everywhere, as the target skein_<name>: the first of the further
# arguments that is found.
function(skein_find_library name header debian)
  find_path(${name}_INCLUDE ${header})
  find_library(${name}_LIBRARY NAMES ${ARGN})
  if(NOT ${name}_INCLUDE OR NOT ${name}_LIBRARY)
    message(FATAL_ERROR "${name} could not be found; on Debian it is ${debian}")
  endif()
  add_library(skein_${name} INTERFACE)
  target_include_directories(skein_${name} SYSTEM INTERFACE ${${name}_INCLUDE})
  target_link_libraries(skein_${name} INTERFACE ${${name}_LIBRARY})
endfunction()

# Archives first: a shared library is one more to load at every start. The module that needs
# Zstandard is loaded only when it is needed, so the shared one does.
skein_find_library(utf8proc utf8proc.h libutf8proc-dev libutf8proc.a utf8proc)
skein_find_library(zlib zlib.h zlib1g-dev libz.a z)
skein_find_library(yaml yaml.h libyaml-dev libyaml.a yaml)
skein_find_library(zstd zstd.h libzstd-dev zstd)

# RE2 as an archive too, unless it is one that needs Abseil: its archive would want all of Abseil's.
find_path(re2_INCLUDE re2/re2.h)
if(re2_INCLUDE)
  file(STRINGS ${re2_INCLUDE}/re2/re2.h re2_abseil REGEX "include \"absl/")
endif()
if(NOT re2_abseil)
  set(re2_archive libre2.a)
endif()
skein_find_library(re2 re2/re2.h libre2-dev ${re2_archive} re2)

# spdlog and fmt, which one file includes. As headers where starting matters: as shared libraries
# they cost half a millisecond of every start. As libraries elsewhere: under the sanitizers that file
# takes 39 CPU seconds with the headers and 7 without.
add_library(skein_spdlog INTERFACE)
if(CMAKE_BUILD_TYPE STREQUAL Release)
  get_target_property(spdlog_includes spdlog::spdlog_header_only INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(skein_spdlog SYSTEM INTERFACE ${spdlog_includes})
  target_compile_definitions(skein_spdlog INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY=1)
else()
  target_link_libraries(skein_spdlog INTERFACE spdlog::spdlog)
endif()

# The same for toml++, which one file includes too.
add_library(skein_toml INTERFACE)
if(CMAKE_BUILD_TYPE STREQUAL Release)
  get_target_property(toml_includes tomlplusplus::tomlplusplus INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(skein_toml SYSTEM INTERFACE ${toml_includes})
  target_compile_definitions(skein_toml INTERFACE TOML_HEADER_ONLY=1)
else()
  target_link_libraries(skein_toml INTERFACE tomlplusplus::tomlplusplus)
endif()

set(SKEIN_PACKAGES ${PROJECT_SOURCE_DIR}/build/packages CACHE PATH "where fetched sources are kept")

# Leaves the source of `name` in ${SKEIN_PACKAGES}/<name>: from the Debian source package
# `debian` (of which only the folder `folder`, if given), else from `url` with hash `sha256`.
function(skein_fetch name debian folder url sha256)
  set(dest ${SKEIN_PACKAGES}/${name})
  if(EXISTS ${dest}/CMakeLists.txt)
    return()
  endif()
  message(STATUS "${name}: not installed, fetching its source (Debian source package ${debian})")
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/app/debian-source ${debian} ${dest} ${folder}
                  RESULT_VARIABLE failed)
  if(NOT failed)
    return()
  endif()
  message(STATUS "${name}: no Debian source package to be had, trying upstream's release")
  set(archive ${SKEIN_PACKAGES}/${name}.tar.gz)
  file(DOWNLOAD ${url} ${archive} EXPECTED_HASH SHA256=${sha256} STATUS status INACTIVITY_TIMEOUT 20)
  list(GET status 0 failed)
  if(failed)
    list(GET status 1 why)
    file(REMOVE ${archive})
    message(FATAL_ERROR "${name} could not be had: not installed, no Debian source archive, and "
                        "${url}: ${why}.\nInstall ${name} so that find_package(${name}) finds it, "
                        "or give apt a Debian mirror, and try again.")
  endif()
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${SKEIN_PACKAGES}/${name}.unpack)
  file(GLOB unpacked ${SKEIN_PACKAGES}/${name}.unpack/*)
  file(RENAME ${unpacked} ${dest})
  file(REMOVE_RECURSE ${SKEIN_PACKAGES}/${name}.unpack ${archive})
endfunction()

find_package(replxx QUIET CONFIG)
if(NOT TARGET replxx::replxx)
  skein_fetch(replxx rspamd contrib/replxx
    https://github.com/AmokHuginnsson/replxx/archive/refs/tags/release-0.0.4.tar.gz
    a22988b2184e1d256e2d111b5749e16ffb1accbf757c7b248226d73c426844c4)
  file(GLOB replxx_sources ${SKEIN_PACKAGES}/replxx/src/*.cxx ${SKEIN_PACKAGES}/replxx/src/*.cpp)
  add_library(replxx STATIC ${replxx_sources})
  target_include_directories(replxx SYSTEM PUBLIC ${SKEIN_PACKAGES}/replxx/include)
  target_compile_definitions(replxx PUBLIC REPLXX_STATIC)
  target_compile_options(replxx PRIVATE -w)
  set_target_properties(replxx PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  if(SKEIN_SANITIZE)  # it copies nothing from nowhere, which is undefined and harmless
    target_compile_options(replxx PRIVATE -fno-sanitize=undefined)
  endif()
  add_library(replxx::replxx ALIAS replxx)
endif()

find_package(cpr QUIET CONFIG)
if(NOT TARGET cpr::cpr)
  skein_fetch(cpr cpr ""
    https://github.com/libcpr/cpr/archive/refs/tags/1.12.0.tar.gz
    f64b501de66e163d6a278fbb6a95f395ee873b7a66c905dd785eae107266a709)
  function(skein_add_cpr)  # a function, so that its settings stay its own
    set(CPR_USE_SYSTEM_CURL ON CACHE BOOL "" FORCE)
    set(CPR_CURL_NOSIGNAL ON CACHE BOOL "" FORCE)
    set(CPR_BUILD_TESTS OFF CACHE BOOL "" FORCE)
    set(CPR_ENABLE_CURL_HTTP_ONLY OFF CACHE BOOL "" FORCE)
    set(BUILD_SHARED_LIBS OFF)
    set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
    add_subdirectory(${SKEIN_PACKAGES}/cpr ${CMAKE_BINARY_DIR}/packages/cpr EXCLUDE_FROM_ALL SYSTEM)
  endfunction()
  skein_add_cpr()
  target_compile_options(cpr PRIVATE -w)
  set_target_properties(cpr PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
endif()
