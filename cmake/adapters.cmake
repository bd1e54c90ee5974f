# Samples of engines that own the bodies, where their packages are there. The adapters themselves
# are source files that a game takes along.
set(adapter_tests)
find_package(Threads)
find_path(CHIPMUNK_INCLUDE chipmunk/chipmunk.h)
find_library(CHIPMUNK_LIBRARY chipmunk)
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  find_package(box2d QUIET CONFIG)
endif()

function(weir_adapter name target)
  add_executable(${target} ${PROJECT_SOURCE_DIR}/adapters/samples/five_boxes.c ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/adapters/samples
                             ${PROJECT_SOURCE_DIR}/adapters/${name})
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  target_link_libraries(${target} PRIVATE weir)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/samples
                        CXX_STANDARD 17)
  set(adapter_tests ${adapter_tests} ${target} PARENT_SCOPE)
endfunction()

if(CHIPMUNK_INCLUDE AND CHIPMUNK_LIBRARY AND Threads_FOUND)
  weir_adapter(chipmunk five_boxes_chipmunk adapters/samples/five_boxes_chipmunk.c
               adapters/chipmunk/weir_chipmunk.c)
  target_include_directories(five_boxes_chipmunk SYSTEM PRIVATE ${CHIPMUNK_INCLUDE})
  target_link_libraries(five_boxes_chipmunk PRIVATE ${CHIPMUNK_LIBRARY} Threads::Threads)
endif()
if(TARGET box2d::box2d)
  weir_adapter(box2d five_boxes_box2d adapters/samples/five_boxes_box2d.cpp
               adapters/box2d/weir_box2d.cpp)
  target_link_libraries(five_boxes_box2d PRIVATE box2d::box2d)
endif()

# At the spacing of Sjöström's own particles.
if(WEIR_TESTS)
  foreach(sample ${adapter_tests})
    foreach(method constraint pbf)
      add_test(NAME adapter_${sample}_${method} COMMAND ${sample} ${method} 0.141)
      set_tests_properties(adapter_${sample}_${method} PROPERTIES TIMEOUT 300)
    endforeach()
  endforeach()
endif()
