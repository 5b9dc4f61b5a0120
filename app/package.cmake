# What is installed besides programs, and how CPack makes a Debian package of it all: ./app/package.

# Documents as Debian keeps them; those it wants compressed are, in the package (see compress.cmake).
set(package_folder ${PROJECT_SOURCE_DIR}/app/debian)
set(package_documents share/doc/skein)
install(FILES ${package_folder}/copyright ${package_folder}/changelog
              ${PROJECT_SOURCE_DIR}/core/store/FORMAT.md
        DESTINATION ${package_documents})
install(FILES ${package_folder}/lintian-overrides DESTINATION share/lintian/overrides RENAME skein)
# Nothing starts it unless the user asks for it: systemctl --user enable --now skein-watch
install(FILES ${package_folder}/skein-watch.service DESTINATION lib/systemd/user)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME skein)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the skein authors <skein@example.org>")  # or $DEBEMAIL
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${package_folder}/compress.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "git, ripgrep, poppler-utils")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "agent shell that keeps every conversation")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"You talk to a language model at a prompt and let it read, search, edit and
run things in your workspace. You can quit and continue days later exactly
where you were. Conversations branch like git and can switch between models.
Every message is on disk before it is shown as saved.
.
The model's commands run in a sandbox where bubblewrap or Landlock works, and
ask before they change anything. A small model is built in, so that skein can
be tried without a key and without a network.")
include(CPack)
