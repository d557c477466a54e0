# dltf_archive(NAME FROM TARGET...): a static library of the objects of the targets, with the dependencies of FROM. For
# programs that use internals: the program itself, tests, benchmarks.
function(dltf_archive name from)
  add_library(${name} STATIC)
  foreach(target ${ARGN})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${target}>)
  endforeach()
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}) # the last: for micro/
  target_link_libraries(${name} PUBLIC $<TARGET_PROPERTY:${from},INTERFACE_LINK_LIBRARIES>)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
endfunction()
