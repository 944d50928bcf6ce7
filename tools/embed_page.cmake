# Write OUT: a C file with what is before and after the data in the page IN, as two strings.
cmake_minimum_required(VERSION 3.20)

file(READ ${IN} page)
string(FIND "${page}" "@SATOR_DATA@" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${IN} has no place for the data")
endif()
string(SUBSTRING "${page}" 0 ${at} head)
math(EXPR after "${at} + 12")
string(SUBSTRING "${page}" ${after} -1 tail)
foreach(part head tail)
  string(REPLACE "\\" "\\\\" ${part} "${${part}}")
  string(REPLACE "\"" "\\\"" ${part} "${${part}}")
  string(REPLACE "??" "?\\?" ${part} "${${part}}") # no trigraphs
  string(REPLACE "\n" "\\n\"\n\"" ${part} "${${part}}")
endforeach()
file(WRITE ${OUT} "/* Made from report/bundle/page.html by tools/embed_page.cmake. */
#include \"report/page.h\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

const char report_page_head[] =
\"${head}\";
const char report_page_tail[] =
\"${tail}\";
")
