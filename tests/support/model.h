/* A system with what its covariances need, and the covariances as matrices. Each function ends the
 * test if something fails. */
#ifndef MODEL_H
#define MODEL_H

#include "covariance/covariance.h"

typedef struct model {
    const cltomo_context *context; /* not owned */
    cltomo_geometry *geometry;
    cltomo_covariance covariance;
} model;

/* accuracy: of separable covariances; 0: the best. */
model model_create(const cltomo_context *context, const cltomo_system *system, double accuracy);
void model_destroy(model *m);

/* C_ss with both triangles. */
cltomo_matrix *model_c_ss(const model *m, cltomo_precision precision);
cltomo_matrix *model_c_ps(const model *m, cltomo_precision precision);

/* n rows of C_ps, from covariance.first_phase on. */
cltomo_matrix *model_c_ps_rows(const model *m, cltomo_precision precision, size_t n);

/* ||a - b||_F / ||b||_F; infinite if the shapes differ. */
double model_difference(const cltomo_matrix *a, const cltomo_matrix *b);

#endif
