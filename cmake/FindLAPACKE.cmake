# Finds LAPACKE with CBLAS and defines LAPACKE::LAPACKE.
#
# OpenBLAS is preferred; any other BLAS that brings cblas.h and libcblas or libblas serves as well.

find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES openblas lapacke)
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas)
find_library(LAPACKE_LIBRARY NAMES lapacke openblas)
find_library(CBLAS_LIBRARY NAMES openblas cblas blas)

if(LAPACKE_INCLUDE_DIR AND CBLAS_INCLUDE_DIR AND LAPACKE_LIBRARY AND CBLAS_LIBRARY)
    include(CheckSourceCompiles)
    include(CMakePushCheckState)
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_QUIET ON)
    set(CMAKE_REQUIRED_INCLUDES "${LAPACKE_INCLUDE_DIR}" "${CBLAS_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES "${LAPACKE_LIBRARY}" "${CBLAS_LIBRARY}" m)
    if(CMAKE_C_COMPILER_LOADED)
        set(language C)
    else()
        set(language CXX)
    endif()
    check_source_compiles(${language} "
        #include <cblas.h>
        #include <lapacke.h>
        int main(void)
        {
            double a[1] = {4}, c[1] = {0};
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1.0, a, 1, a, 1, 0.0, c, 1);
            return (int)LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', 1, c, 1);
        }" LAPACKE_LINKS)
    cmake_pop_check_state()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE
    REQUIRED_VARS LAPACKE_LIBRARY CBLAS_LIBRARY LAPACKE_INCLUDE_DIR CBLAS_INCLUDE_DIR LAPACKE_LINKS)
mark_as_advanced(LAPACKE_LIBRARY CBLAS_LIBRARY LAPACKE_INCLUDE_DIR CBLAS_INCLUDE_DIR)

if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
    add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
    target_include_directories(LAPACKE::LAPACKE INTERFACE "${LAPACKE_INCLUDE_DIR}" "${CBLAS_INCLUDE_DIR}")
    target_link_libraries(LAPACKE::LAPACKE INTERFACE "${LAPACKE_LIBRARY}" "${CBLAS_LIBRARY}")
endif()
