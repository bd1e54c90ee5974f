# Fuzz targets: everywhere a short run of fixed length; with WEIR_FUZZ (clang, preset "fuzz") the
# program for libFuzzer, which `make fuzz` runs.
set(fuzz_dir ${PROJECT_SOURCE_DIR}/tests/fuzz)
set(fuzz_sources ${fuzz_dir}/fuzz_targets.c ${fuzz_dir}/fuzz_files.c ${fuzz_dir}/fuzz_checkpoint.c
    ${fuzz_dir}/fuzz_api.c)

function(weir_fuzz_program name)
  add_executable(${name} ${fuzz_sources} ${ARGN})
  target_link_libraries(${name} PRIVATE weir_flags weirkit)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${fuzz_dir})
endfunction()

if(WEIR_FUZZ)
  weir_fuzz_program(weir_fuzz ${fuzz_dir}/fuzz_libfuzzer.c)
  # Only the libraries that the targets reach: the program travels.
  target_link_options(weir_fuzz PRIVATE -fsanitize=fuzzer -Wl,--as-needed)
endif()
if(WEIR_TESTS)
  weir_fuzz_program(fuzz_replay ${fuzz_dir}/fuzz_replay.c)
  foreach(target scene checkpoint mesh lcp study api)
    set(changes 500)
    if(target STREQUAL "checkpoint")
      set(changes 100)
    endif()
    add_test(NAME fuzz_${target}
             COMMAND fuzz_replay ${target} ${changes} ${fuzz_dir}/corpus/${target})
    set_tests_properties(fuzz_${target} PROPERTIES TIMEOUT 300)
  endforeach()
endif()
