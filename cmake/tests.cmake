# Each tests/**/test_*.c is a cmocka program of its own.
find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/test_*.c
     ${PROJECT_SOURCE_DIR}/tests/physics/test_*.c)
if(NOT WEIR_KIT)
  list(FILTER test_sources EXCLUDE REGEX "/tests/unit/(scene|mesh|out|surface|draw|study)/")
endif()
foreach(source ${test_sources})
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/tests ${source})
  string(REGEX REPLACE "\\.c$" "" name ${path})
  string(REPLACE "/" "_" name ${name})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE weir_flags PkgConfig::CMOCKA weir)
  if(WEIR_KIT)
    target_link_libraries(${name} PRIVATE weirkit)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endforeach()

# Mesa's driver loses some bytes when it is unloaded, and then has no name that the leak sanitizer
# could be told to pass over; cli_test_render looks for leaks of our own drawing.
if(TARGET unit_draw_test_canvas)
  set_tests_properties(unit_draw_test_canvas PROPERTIES ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
endif()

# Each tests/cli/test_*.sh drives the program; it prints a line per check.
if(TARGET weir_app)
  file(GLOB cli_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli/test_*.sh)
  foreach(script ${cli_tests})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME cli_${name} COMMAND bash ${script} $<TARGET_FILE:weir_app>)
    set_tests_properties(cli_${name} PROPERTIES TIMEOUT 300)
  endforeach()
endif()

# A stranger's programs, from the installed tree; they know nothing of sanitizers.
if(TARGET weir_app AND WEIR_INSTALL AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
  add_test(NAME install COMMAND bash ${PROJECT_SOURCE_DIR}/tests/install/test_install.sh
           ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND})
  set_tests_properties(install PROPERTIES TIMEOUT 900)
endif()

# The same bits for every number of threads and instruction set; scripts/compare-builds compares
# what different compilers make of the same program.
add_executable(golden_hashes tests/golden/hashes.c)
target_link_libraries(golden_hashes PRIVATE weir_flags weir)
target_include_directories(golden_hashes PRIVATE ${PROJECT_SOURCE_DIR}/tests)
add_test(NAME golden_hashes COMMAND golden_hashes --all)
set_tests_properties(golden_hashes PROPERTIES TIMEOUT 600)

# A long life, shortened; `make soak` runs a million steps.
add_executable(soak tests/soak/soak.c)
target_link_libraries(soak PRIVATE weir_flags weir m)
target_include_directories(soak PRIVATE ${PROJECT_SOURCE_DIR}/tests)
set_target_properties(soak PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_test(NAME soak COMMAND soak 6000 pbf)
set_tests_properties(soak PROPERTIES TIMEOUT 300)
