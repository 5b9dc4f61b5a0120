# Where each package comes from.
#
# Most are found as the system has them. replxx and cpr are on few systems, so three places are
# tried in turn, each saying in one line why it did not do: the system; the source packages of the
# Debian archive that apt is configured with; upstream's release, pinned by its hash. Sources are
# kept in build/packages, shared by all presets, so they are fetched once.
#
# What users get links its C++ library, GCC's and simdjson as archives: it starts in less time, and on
# systems that have others. Modules may, since nothing of theirs crosses (core/text/module.h).
if(CMAKE_BUILD_TYPE STREQUAL Release)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

# What is missing is named all at once.
set(missing "")
macro(skein_need package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND missing "${package} ${ARGN} (on Debian ${debian})")
  endif()
endmacro()
skein_need(nlohmann_json nlohmann-json3-dev 3.11)
skein_need(CLI11 libcli11-dev 2.1)
skein_need(PostgreSQL libpq-dev)  # libpq
skein_need(tomlplusplus libtomlplusplus-dev)
skein_need(spdlog libspdlog-dev 1.10)
skein_need(simdjson libsimdjson-dev)
if(SKEIN_PORTABLE)  # its curl is built here
  set(OPENSSL_USE_STATIC_LIBS ON)
else()
  skein_need(CURL libcurl4-openssl-dev)
endif()
skein_need(OpenSSL libssl-dev)

# A library that has no CMake package everywhere, as the target skein_<name>: the first of the further
# arguments that is found.
function(skein_find_library name header debian)
  find_path(${name}_INCLUDE ${header})
  find_library(${name}_LIBRARY NAMES ${ARGN})
  if(NOT ${name}_INCLUDE OR NOT ${name}_LIBRARY)
    list(APPEND missing "${name} (on Debian ${debian})")
    set(missing "${missing}" PARENT_SCOPE)
    return()
  endif()
  add_library(skein_${name} INTERFACE)
  target_include_directories(skein_${name} SYSTEM INTERFACE ${${name}_INCLUDE})
  target_link_libraries(skein_${name} INTERFACE ${${name}_LIBRARY})
endfunction()

# Archives first: a shared library is one more to load at every start. The module with Zstandard and
# SQLite is loaded only when it is needed, so shared ones do, unless it is for every Linux.
if(SKEIN_PORTABLE)
  set(zstd_archive libzstd.a)
  set(sqlite_archive libsqlite3.a)
endif()
skein_find_library(utf8proc utf8proc.h libutf8proc-dev libutf8proc.a utf8proc)
skein_find_library(zlib zlib.h zlib1g-dev libz.a z)
skein_find_library(yaml yaml.h libyaml-dev libyaml.a yaml)
skein_find_library(zstd zstd.h libzstd-dev ${zstd_archive} zstd)
skein_find_library(sqlite sqlite3.h libsqlite3-dev ${sqlite_archive} sqlite3)

# RE2 as an archive too, unless it is one that needs Abseil: its archive would want all of Abseil's.
find_path(re2_INCLUDE re2/re2.h)
if(re2_INCLUDE)
  file(STRINGS ${re2_INCLUDE}/re2/re2.h re2_abseil REGEX "include \"absl/")
endif()
if(NOT re2_abseil)
  set(re2_archive libre2.a)
endif()
skein_find_library(re2 re2/re2.h libre2-dev ${re2_archive} re2)
if(missing)
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "skein needs these libraries with their headers; please install them:\n  ${missing}")
endif()

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
# `debian` (of which only the folder `folder`, if given), else from `url` with hash `sha256`. Without
# these it may be missing.
function(skein_fetch name debian folder)
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
  if(NOT ARGN)
    return()
  endif()
  list(POP_FRONT ARGN url sha256)
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

# Debian has no archive of simdjson: one file of its source is compiled, for the kinds of processors
# that are common. Elsewhere than in a release the shared library does.
if(CMAKE_BUILD_TYPE STREQUAL Release)
  skein_fetch(simdjson simdjson "")
endif()
if(CMAKE_BUILD_TYPE STREQUAL Release AND EXISTS ${SKEIN_PACKAGES}/simdjson/src/simdjson.cpp)
  add_library(skein_simdjson STATIC ${SKEIN_PACKAGES}/simdjson/src/simdjson.cpp)
  target_include_directories(skein_simdjson SYSTEM PUBLIC ${SKEIN_PACKAGES}/simdjson/include)
  target_include_directories(skein_simdjson PRIVATE ${SKEIN_PACKAGES}/simdjson/src)
  target_compile_options(skein_simdjson PRIVATE -w -O2)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_definitions(skein_simdjson PUBLIC SIMDJSON_IMPLEMENTATION_ICELAKE=0 SIMDJSON_IMPLEMENTATION_WESTMERE=0)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    target_compile_definitions(skein_simdjson PUBLIC SIMDJSON_IMPLEMENTATION_FALLBACK=0)
  endif()
else()
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    message(STATUS "simdjson: no source to be had, linking the shared library")
  endif()
  add_library(skein_simdjson ALIAS simdjson::simdjson)
endif()

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

# For every Linux: a curl that knows HTTP alone, with OpenSSL in it, and no place for authorities.
if(SKEIN_PORTABLE)
  skein_fetch(curl curl "")
  # Debian's archive of nghttp2 cannot be part of a module.
  skein_fetch(nghttp2 nghttp2 "")
  enable_language(C)
  file(GLOB nghttp2_sources ${SKEIN_PACKAGES}/nghttp2/lib/*.c)
  add_library(skein_nghttp2 STATIC ${nghttp2_sources})
  target_include_directories(skein_nghttp2 SYSTEM PRIVATE ${SKEIN_PACKAGES}/nghttp2/lib/includes)
  target_compile_definitions(skein_nghttp2 PRIVATE HAVE_ARPA_INET_H HAVE_NETINET_IN_H HAVE_TIME_H)
  function(skein_add_curl)  # a function, so that its settings stay its own
    set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
    set(CURL_CA_BUNDLE none CACHE STRING "" FORCE)
    set(CURL_CA_PATH none CACHE STRING "" FORCE)
    set(ZLIB_LIBRARY ${zlib_LIBRARY})
    set(NGHTTP2_LIBRARY ${CMAKE_BINARY_DIR}/libskein_nghttp2.a)
    foreach(wanted HTTP_ONLY USE_NGHTTP2 CURL_DISABLE_NTLM CURL_DISABLE_OPENSSL_AUTO_LOAD_CONFIG)
      set(${wanted} ON)
    endforeach()
    foreach(unwanted BUILD_CURL_EXE BUILD_SHARED_LIBS BUILD_TESTING CURL_USE_LIBPSL
                     CURL_USE_LIBSSH2 ENABLE_MANUAL PICKY_COMPILER USE_LIBIDN2)
      set(${unwanted} OFF)
    endforeach()
    set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
    add_subdirectory(${SKEIN_PACKAGES}/curl ${CMAKE_BINARY_DIR}/packages/curl EXCLUDE_FROM_ALL SYSTEM)
    # What cpr finds when it looks for curl.
    file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/curl-config.cmake "set(CURL_VERSION_STRING 8)\n")
  endfunction()
  skein_add_curl()
else()
  find_package(cpr QUIET CONFIG)
endif()
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
