# What `make install` puts where: library, header, program, pkg-config file, CMake package, manual page, completion.
# All paths inside installed files are relative, so that a tree installed with DESTDIR or moved later still works.
include(CMakePackageConfigHelpers)

# The program looks for the library where it lies relative to itself.
file(RELATIVE_PATH library_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(dltf_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_program}")

install(TARGETS dltf EXPORT dltf-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS dltf_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES include/dltf.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# find_package(dltf) gives the target dltf::dltf.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dltf)
install(EXPORT dltf-targets NAMESPACE dltf:: FILE dltf-config.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dltf-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dltf-config-version.cmake DESTINATION ${package_dir})

# pkg-config.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH library_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH include_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/dltf.pc.in ${PROJECT_BINARY_DIR}/dltf.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dltf.pc DESTINATION ${pkgconfig_dir})

# Manual page and completion: the program prints them from its option tables. Instrumented builds are not installed.
if(NOT DLTF_SANITIZE)
  set(manual ${PROJECT_BINARY_DIR}/share/dltf.1)
  set(completion ${PROJECT_BINARY_DIR}/share/dltf.bash)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${manual} COMMAND dltf_cli manual > ${manual} DEPENDS dltf_cli)
  add_custom_command(OUTPUT ${completion} COMMAND dltf_cli completion bash > ${completion} DEPENDS dltf_cli)
  add_custom_target(dltf_documents ALL DEPENDS ${manual} ${completion})
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dltf)
endif()
