# libdltf, shared or static: only the functions of dltf.h are global.
if(BUILD_SHARED_LIBS)
  # Programs ask for the version of the interface that they were linked with: the one in the soname.
  set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(map ${PROJECT_BINARY_DIR}/dltf.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "DLTF_@soversion@ { global: dltf_*; local: *; };\n" @ONLY)
  add_library(dltf SHARED)
  target_link_libraries(dltf PRIVATE dltf_objects ${DLTF_CORE})
  # nodelete: worker threads sleep in the library until the process ends, also after dlclose.
  target_link_options(dltf PRIVATE LINKER:--version-script=${map} LINKER:-z,nodelete)
  set_target_properties(dltf PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${soversion} LINK_DEPENDS ${map})
else()
  dltf_localise(library_object dltf_objects ${DLTF_CORE})
  add_library(dltf STATIC ${library_object})
  set_target_properties(dltf PROPERTIES LINKER_LANGUAGE C)
  # Programs must link its dependencies: in this build where they were found, installed by name.
  set(DLTF_DEPENDENCIES ${LAPACKE_LIBRARY} ${OPENBLAS_LIBRARY} ${PNG_LIBRARIES} ${JPEG_LIBRARIES} ${ZLIB_LIBRARIES}
                        ${JANSSON_LINK_LIBRARIES} ${KISSFFT_LINK_LIBRARIES} pthread ${CMAKE_DL_LIBS} m)
  list(REMOVE_DUPLICATES DLTF_DEPENDENCIES)
  list(TRANSFORM DLTF_DEPENDENCIES REPLACE "^.*/lib([^/.]*)\\.[^/]*$" "\\1" OUTPUT_VARIABLE DLTF_DEPENDENCY_NAMES)
  target_link_libraries(dltf INTERFACE "$<BUILD_INTERFACE:${DLTF_DEPENDENCIES}>" "$<INSTALL_INTERFACE:${DLTF_DEPENDENCY_NAMES}>")
endif()
add_library(dltf::dltf ALIAS dltf)
target_include_directories(dltf PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                       $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
