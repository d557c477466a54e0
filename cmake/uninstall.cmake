# Removes the files of the last installation from a build folder, below DESTDIR if set; then folders called dltf, and those in
# them, that are empty. Usage: [DESTDIR=...] cmake -DMANIFEST=BUILD_DIR/install_manifest.txt -P uninstall.cmake
if(NOT EXISTS ${MANIFEST})
  message(FATAL_ERROR "${MANIFEST} not found: nothing was installed from this build folder")
endif()
file(STRINGS ${MANIFEST} files)
set(folders "")
foreach(file ${files})
  file(REMOVE $ENV{DESTDIR}${file})
  get_filename_component(folder ${file} DIRECTORY)
  while(folder MATCHES "/dltf(/|$)")
    list(APPEND folders $ENV{DESTDIR}${folder})
    get_filename_component(folder ${folder} DIRECTORY)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING) # inner folders first
foreach(folder ${folders})
  execute_process(COMMAND rmdir ${folder} OUTPUT_QUIET ERROR_QUIET) # fails if it is not empty
endforeach()
