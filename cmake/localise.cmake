# dltf_localise(VARIABLE TARGET...): links the objects of the targets to one object file, in which only the functions of
# dltf.h are global: names of internals cannot clash with those of a program. Each function has its own section, so that
# a program linked with --gc-sections contains only what it uses. VARIABLE becomes the path of the object file. The
# compiler links, because the flags that select a machine are its flags. The objects are never those of link-time
# optimisation: names in them cannot be made local, and only the same compiler could link them.
function(dltf_localise variable)
  set(objects "")
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections -fno-lto)
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endforeach()
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_C_FLAGS}")
  if(CMAKE_C_COMPILER_TARGET)
    list(APPEND flags ${CMAKE_C_COMPILE_OPTIONS_TARGET}${CMAKE_C_COMPILER_TARGET})
  endif()
  set(object ${PROJECT_BINARY_DIR}/${variable}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER} ${flags} -fno-lto -r -nostdlib -o ${object} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
    DEPENDS ${ARGN} ${objects} COMMAND_EXPAND_LISTS VERBATIM COMMENT "Linking C object ${variable}.o")
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(${variable} ${object} PARENT_SCOPE)
endfunction()
