# Installation: the small library with headers and CMake package; library, program, pkg-config file, manual page,
# completion, manual pages of the C interface.
include(cmake/install_encoder.cmake)

install(TARGETS dltf EXPORT dltf-targets)
install(TARGETS dltf_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(static_dependencies ${DLTF_DEPENDENCY_NAMES})
list(TRANSFORM static_dependencies PREPEND " -l")
list(JOIN static_dependencies "" static_dependencies)
configure_file(cmake/dltf.pc.in ${PROJECT_BINARY_DIR}/dltf.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dltf.pc DESTINATION ${pkgconfig_dir})

# Manual page and completion, printed by the program from its option tables. Sanitizer builds are not installed.
if(NOT DLTF_SANITIZE)
  set(manual ${PROJECT_BINARY_DIR}/share/dltf.1)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${manual} COMMAND dltf_cli manual > ${manual} DEPENDS dltf_cli)
  foreach(shell bash fish zsh)
    set(${shell} ${PROJECT_BINARY_DIR}/share/dltf.${shell})
    add_custom_command(OUTPUT ${${shell}} COMMAND dltf_cli completion ${shell} > ${${shell}} DEPENDS dltf_cli)
  endforeach()
  add_custom_target(dltf_documents ALL DEPENDS ${manual} ${bash} ${fish} ${zsh})
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${bash} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dltf)
  install(FILES ${fish} DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${zsh} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _dltf)
endif()

# Manual pages of the C interface, made from the headers.
find_program(DLTF_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(DLTF_PYTHON NAMES python3)
if(DLTF_PYTHON)
  set(reference ${PROJECT_BINARY_DIR}/share/man3)
  file(GLOB headers CONFIGURE_DEPENDS include/*.h include/dltf/*.h)
  add_custom_command(OUTPUT ${reference}/dltf.3 VERBATIM DEPENDS scripts/reference CITATION.cff ${headers}
                     COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference}
                     COMMAND ${DLTF_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/reference ${reference})
  add_custom_target(dltf_reference_pages ALL DEPENDS ${reference}/dltf.3)
  install(DIRECTORY ${reference} DESTINATION ${CMAKE_INSTALL_MANDIR})
else()
  message(STATUS "python3 not found: the manual pages of the C functions are left out")
endif()
