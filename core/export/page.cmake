# Makes constants of the page's style and script: cmake -DFOLDER=… -DOUT=… -P page.cmake
set(script "")
foreach(part markdown code entries tree view search start)
  file(READ ${FOLDER}/${part}.js text)
  string(APPEND script "${text}")
endforeach()
file(READ ${FOLDER}/style.css style)
file(WRITE ${OUT} "#include \"core/export/html.h\"

namespace skein::exporters {

const std::string_view page_style = R\"page(${style})page\";

const std::string_view page_script = R\"page(\"use strict\";
(() => {
${script}})();
)page\";

}  // namespace skein::exporters
")
