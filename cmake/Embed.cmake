# weir_embed(TARGET HEADER FUNCTION FOLDER file...)
#
# Puts files into TARGET as they are: FUNCTION() of HEADER gives their names below FOLDER, and their bytes. The assembler
# takes them in (.incbin), so a change of a file makes this one source anew and nothing else.
function(weir_embed TARGET HEADER FUNCTION FOLDER)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${FUNCTION}.cpp)
  set(symbols "")
  set(blocks "")
  set(rows "")
  set(number 0)
  foreach(file IN LISTS ARGN)
    file(RELATIVE_PATH name ${FOLDER} ${file})
    string(APPEND blocks "asm(\".section .rodata\\n${FUNCTION}_${number}: .incbin \\\"${file}\\\"\\n\"\n"
                         "    \"${FUNCTION}_${number}_end: .byte 0\\n.previous\\n\");\n")
    string(APPEND symbols "extern const char ${FUNCTION}_${number}[], ${FUNCTION}_${number}_end[];\n")
    string(APPEND rows "      {\"${name}\", {${FUNCTION}_${number}, static_cast<std::size_t>(${FUNCTION}_${number}_end - "
                       "${FUNCTION}_${number})}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(GENERATE OUTPUT ${source} CONTENT
"// Made by cmake/Embed.cmake.
#include <cstddef>

#include \"${HEADER}\"

${blocks}
extern \"C\" {
${symbols}}

namespace weir::web {
const std::vector<EmbeddedFile>& ${FUNCTION}() {
  static const std::vector<EmbeddedFile> files = {
${rows}  };
  return files;
}
}  // namespace weir::web
")
  set_source_files_properties(${source} PROPERTIES GENERATED ON OBJECT_DEPENDS "${ARGN}" SKIP_PRECOMPILE_HEADERS ON
                              COMPILE_OPTIONS -fno-lto)
  target_sources(${TARGET} PRIVATE ${source})
endfunction()
