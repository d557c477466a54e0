# The headers, the small library, its pkg-config file, the CMake package, and the documents. All paths in installed files are relative,
# so that a tree installed with DESTDIR or moved later still works.
include(CMakePackageConfigHelpers)

install(TARGETS dltf_encoder EXPORT dltf-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/dltf.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/dltf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Licence, documents and examples, in the folders that they have here: links between documents work.
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE)

add_custom_target(uninstall VERBATIM COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                                             -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)

# find_package(dltf) defines the targets dltf::encoder and, in a full build, dltf::dltf.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dltf)
install(EXPORT dltf-targets NAMESPACE dltf:: FILE dltf-config.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dltf-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dltf-config-version.cmake DESTINATION ${package_dir})

# pkg-config.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH library_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH include_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/dltf-encoder.pc.in ${PROJECT_BINARY_DIR}/dltf-encoder.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dltf-encoder.pc DESTINATION ${pkgconfig_dir})
