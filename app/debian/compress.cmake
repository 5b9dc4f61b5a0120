# Runs on the tree that becomes the package: manual pages and the changelog are compressed there, with
# nothing in the files that tells when.
file(GLOB_RECURSE found ${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/*.[1-9]
                        ${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/skein/changelog)
foreach(file ${found})
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
