# What strangers get: shared and static libraries that show only weir_*, headers, CMake and
# pkg-config files, the program with manual pages and completions, scenes. The prefix may be moved.
#
# libweirkit holds the core: a program links libweir or libweirkit. Inside, the kit uses parts of
# the core that no other program may see, so that it cannot stand on libweir.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(install_dir ${PROJECT_BINARY_DIR}/install)
file(RELATIVE_PATH pc_to_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
set(core_threads "")
set(kit_threads "")
if(WEIR_THREADS)
  set(core_threads "-pthread")
  set(kit_threads "-pthread")
endif()
if(OpenMP_C_FOUND)
  string(REPLACE ";" " -l" openmp_names "${OpenMP_C_LIB_NAMES}")
  set(kit_threads "-l${openmp_names}")
endif()

# The shared library `target`, called lib`name` and weir::`public_name`, and a static one of the
# given archives in which all other symbols are local.
function(weir_install_library target name public_name archives)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} EXPORT_NAME ${public_name} VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${target} EXPORT weir-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set(files)
  foreach(archive ${archives})
    list(APPEND files $<TARGET_FILE:${archive}>)
  endforeach()
  set(out ${install_dir}/lib${name}.a)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${install_dir}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${out}
    COMMAND ${CMAKE_LINKER} -r -o ${install_dir}/${name}.o --whole-archive ${files}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${install_dir}/${name}.o
    COMMAND ${CMAKE_AR} qcs ${out} ${install_dir}/${name}.o
    DEPENDS ${archives} VERBATIM COMMENT "Static library of ${name} with its own symbols only")
  add_custom_target(${name}_archive ALL DEPENDS ${out})
  install(FILES ${out} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${install_dir}/${name}.pc @ONLY)
  install(FILES ${install_dir}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

add_library(weir_shared SHARED ${core_objects})
target_link_libraries(weir_shared PRIVATE m)
if(WEIR_THREADS)
  target_link_libraries(weir_shared PRIVATE Threads::Threads)
endif()
weir_install_library(weir_shared weir weir weir)
install(FILES include/weir/weir.h include/weir/types.h include/weir/id.h include/weir/shape.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir)

if(WEIR_KIT)
  add_library(weirkit_shared SHARED ${core_objects} ${kit_lane_objects} $<TARGET_OBJECTS:weirkit>)
  target_link_libraries(weirkit_shared PRIVATE m ${kit_packages})
  if(WEIR_THREADS)
    target_link_libraries(weirkit_shared PRIVATE Threads::Threads)
  endif()
  if(OpenMP_C_FOUND)
    target_link_libraries(weirkit_shared PRIVATE OpenMP::OpenMP_C)
  endif()
  weir_install_library(weirkit_shared weirkit kit "weirkit;weir")
  install(FILES include/weir/kit.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir)
endif()

# Sources that a game with another physics engine takes along, and the manual, beside each other as
# in the repository: its pages name them.
install(DIRECTORY adapters DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)
install(DIRECTORY docs/manual DESTINATION ${CMAKE_INSTALL_DATADIR}/weir/docs)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)

if(TARGET weir_app)
  install(TARGETS weir_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY scenes studies schema DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)
  # From the tables of the commands themselves.
  add_custom_command(OUTPUT ${install_dir}/man/weir.1 ${install_dir}/completions/weir.bash
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${install_dir}/man
    COMMAND $<TARGET_FILE:weir_app> help --man ${install_dir}/man
            --completions ${install_dir}/completions
    DEPENDS weir_app VERBATIM COMMENT "Manual pages and completions")
  add_custom_target(weir_manual ALL DEPENDS ${install_dir}/man/weir.1)
  install(DIRECTORY ${install_dir}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${install_dir}/completions/weir.bash RENAME weir
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${install_dir}/completions/_weir
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${install_dir}/completions/weir.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(cmake_files ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
configure_package_config_file(cmake/weir-config.cmake.in ${install_dir}/weir-config.cmake
                              INSTALL_DESTINATION ${cmake_files}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${install_dir}/weir-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(EXPORT weir-targets NAMESPACE weir:: DESTINATION ${cmake_files})
install(FILES ${install_dir}/weir-config.cmake ${install_dir}/weir-config-version.cmake
        DESTINATION ${cmake_files})
