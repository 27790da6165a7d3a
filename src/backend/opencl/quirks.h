/* What the backend does differently from device to device. */
#ifndef CLTOMO_BACKEND_OPENCL_QUIRKS_H
#define CLTOMO_BACKEND_OPENCL_QUIRKS_H

#include <cltomo/device.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum cltomo_opencl_blas {
    CLTOMO_BLAS_HOST,   /* CBLAS and LAPACKE; in place where buffers lie over host memory */
    CLTOMO_BLAS_CLBLAST /* CLBlast, and solves made of its products */
} cltomo_opencl_blas;

typedef struct cltomo_quirks {
    bool host_memory; /* buffers are laid over host matrices */
    cltomo_opencl_blas blas;
    bool blas_is_forced; /* by the environment */
    bool large_trial;    /* CLBlast is tried on a large product too, as a GPU has time for it */
    unsigned width;      /* points that a work-item of the covariance kernels handles */
    double launch_covariances; /* values of the von Karman covariance in one launch */
    double launch_flops;       /* of one matrix product */
} cltomo_quirks;

/* The one place where devices are told apart. CLTOMO_BLAS in the environment (clblast or host)
 * overrides the choice of the linear algebra; *unknown_blas: it says something else. */
cltomo_quirks cltomo_opencl_quirks(const cltomo_device *device, const char **unknown_blas);

#endif
