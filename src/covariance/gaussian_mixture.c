#include "covariance/gaussian_mixture.h"

#include "covariance/gaussian_mixture_table.h"

#include <stdio.h>

cltomo_status cltomo_gaussian_mixture_select(
    cltomo_gaussian_mixture *mixture, double accuracy, cltomo_error *error)
{
    if (accuracy <= 1.0) {
        for (size_t i = 0; i < sizeof mixtures / sizeof mixtures[0]; ++i) {
            if (mixtures[i].accuracy <= accuracy) {
                *mixture = mixtures[i];
                return CLTOMO_OK;
            }
        }
    }
    char value[32];
    snprintf(value, sizeof value, "%g", accuracy);
    return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "accuracy", value, "1e-14 to 1",
        "the accuracy of the covariances is out of range");
}
