# Write OUT: a C file with the text of every YAML file below ROOT, sorted by name, as the table that
# src/api/library.c reads. Texts go out as escaped string literals, a line each, so the file can be read.
# "name:" and "summary:" (one line each, in double quotes or bare) are picked out, so that listing parses nothing.
cmake_minimum_required(VERSION 3.20)

# The value of the top-level key KEY in TEXT as the inside of a C string literal.
function(pick key text result)
  set(value "")
  if("\n${text}" MATCHES "\n${key}: *(\"([^\"\n]*)\"|[^\"\n][^\n]*)[ \r]*\n")
    set(value "${CMAKE_MATCH_1}")
    if(NOT "${CMAKE_MATCH_2}" STREQUAL "")
      set(value "${CMAKE_MATCH_2}")
    endif()
  endif()
  string(REPLACE "\\" "\\\\" value "${value}")
  string(REPLACE "\"" "\\\"" value "${value}")
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE names RELATIVE ${ROOT} ${ROOT}/*.yaml)
list(TRANSFORM names REPLACE "\\.yaml$" "")
list(SORT names)
set(table "")
set(texts "")
set(index 0)
foreach(name IN LISTS names)
  file(READ ${ROOT}/${name}.yaml text)
  pick(name "${text}" title)
  pick(summary "${text}" summary)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n\"" text "${text}")
  string(APPEND texts "static const char text_${index}[] =\n\"${text}\";\n")
  string(APPEND table
    "    {\"${name}\", \"${title}\", \"${summary}\", text_${index}, sizeof text_${index} - 1},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT} "/* Made from library/ by tools/embed.cmake. */
#include \"api/library.h\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

${texts}
const struct sator_library_file sator_library_files[] = {
${table}    {0, 0, 0, 0, 0}
};
const int sator_library_file_count = ${index};
")
