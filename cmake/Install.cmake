# What `cmake --install` brings: headers, both libraries, the tool, cltomoConfig.cmake and cltomo.pc.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cltomo")

install(DIRECTORY include/cltomo DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(TARGETS cltomo EXPORT cltomoTargets)
install(TARGETS cltomo_static EXPORT cltomoStaticTargets)
install(TARGETS cltomo_cli)
install(EXPORT cltomoTargets NAMESPACE cltomo:: DESTINATION "${package_dir}")
install(EXPORT cltomoStaticTargets NAMESPACE cltomo:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/cltomoConfig.cmake.in cltomoConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(cltomoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/cltomoConfig.cmake"
    "${PROJECT_BINARY_DIR}/cltomoConfigVersion.cmake"
    cmake/FindLAPACKE.cmake
    DESTINATION "${package_dir}")

# The prefix is written relative to the file, so that the installed tree may be moved.
file(RELATIVE_PATH pc_prefix
    "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
# Not as Requires.private: libcltomo.a goes with the shared cfitsio, without which pkg-config would ask
# for all that a static cfitsio needs.
get_target_property(pc_libraries LAPACKE::LAPACKE INTERFACE_LINK_LIBRARIES)
list(APPEND pc_libraries ${OPENCL_LDFLAGS} ${CLBLAST_LDFLAGS} ${CFITSIO_LDFLAGS} ${YAML_LDFLAGS})
list(JOIN pc_libraries " " pc_libraries)
configure_file(cmake/cltomo.pc.in cltomo.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cltomo.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
