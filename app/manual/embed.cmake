# Makes a table of the guide's pages and FORMAT.md: cmake -DSOURCE=… -DOUT=… -P embed.cmake
file(GLOB files ${SOURCE}/app/manual/*.md)
set(rows "")
foreach(file ${files} ${SOURCE}/core/store/FORMAT.md)
  get_filename_component(name ${file} NAME_WE)
  string(TOLOWER ${name} name)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"page(${text})page\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"app/manual/pages.h\"

namespace skein::manual {

constexpr Page table[] = {
${rows}};

std::span<const Page> pages() { return table; }

}  // namespace skein::manual
")
