# find_package(sator) gives sator::sator, the shared library, and sator::static, which needs what it is made of.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(PkgConfig)
pkg_check_modules(ISL QUIET IMPORTED_TARGET isl)
pkg_check_modules(YAML QUIET IMPORTED_TARGET yaml-0.1)
pkg_check_modules(CJSON QUIET IMPORTED_TARGET libcjson)
pkg_check_modules(SQLITE QUIET IMPORTED_TARGET sqlite3)
include(${CMAKE_CURRENT_LIST_DIR}/satorTargets.cmake)
