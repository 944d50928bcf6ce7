# Write OUT: a C file with the text of every YAML file below ROOT, sorted by name, as the table that
# src/api/library.c reads. Texts go out as escaped string literals, a line each, so the file can be read.
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/*.yaml)
list(SORT files)
set(table "")
set(texts "")
set(index 0)
foreach(file IN LISTS files)
  file(READ ${ROOT}/${file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n\"" text "${text}")
  string(REGEX REPLACE "\\.yaml$" "" name ${file})
  string(APPEND texts "static const char text_${index}[] =\n\"${text}\";\n")
  string(APPEND table "    {\"${name}\", text_${index}, sizeof text_${index} - 1},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT} "/* Made from library/ by tools/embed.cmake. */
#include \"api/library.h\"
${texts}
const struct sator_library_file sator_library_files[] = {
${table}    {0, 0, 0}
};
const int sator_library_file_count = ${index};
")
