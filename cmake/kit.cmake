# libweirkit: scenes, meshes, results, surfaces, pictures; and the command line.
find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
find_package(embree 3 REQUIRED)
pkg_check_modules(DRAW REQUIRED IMPORTED_TARGET epoxy egl libpng)

set(kit_rooms scene mesh out surface draw)
set(kit_sources)
foreach(room ${kit_rooms})
  file(GLOB room_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.c)
  list(APPEND kit_sources ${room_sources})
endforeach()
add_library(weirkit STATIC ${kit_sources})
target_link_libraries(weirkit PRIVATE weir_flags PUBLIC weir ZLIB::ZLIB PkgConfig::YAML embree
                      PkgConfig::DRAW ${CMAKE_DL_LIBS})
set_target_properties(weirkit PROPERTIES POSITION_INDEPENDENT_CODE ON)

file(GLOB app_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/apps/weir/*.c)
if(app_sources)
  add_executable(weir_app ${app_sources})
  target_link_libraries(weir_app PRIVATE weir_flags weirkit)
  target_include_directories(weir_app PRIVATE ${CMAKE_SOURCE_DIR}/apps/weir)
  set_target_properties(weir_app PROPERTIES
    OUTPUT_NAME weir RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()
