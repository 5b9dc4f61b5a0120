# Makes a constant of the format's description: cmake -DDOCUMENT=… -DOUT=… -P format.cmake
file(READ ${DOCUMENT} text)
file(WRITE ${OUT} "#include \"app/manual/pages.h\"

namespace skein::manual {

const std::string_view format_document = R\"format(${text})format\";

}  // namespace skein::manual
")
