/* cltomo: minimum-mean-square-error tomographic reconstructors for laser-guide-star adaptive
 * optics.
 *
 * Rules that hold for every function:
 *  - Order of arguments: context, outputs, inputs, options, error. A count follows its array.
 *  - A handle returned through T **out is the caller's: release it with cltomo_T_destroy, which
 *    accepts NULL. A const pointer returned by a getter lives as long as its parent.
 *  - Every fallible function returns a cltomo_status. On failure the output handle is NULL, and the
 *    cltomo_error (last argument, may be NULL) says what is wrong.
 *  - Matrices are row-major. A map is indexed [row][column] = [y][x]; y grows with the row.
 *  - Lengths in metres, angles in radians, phase in metres of optical path difference, unless a
 *    function says otherwise.
 *  - A context may be shared by threads; other objects are immutable once returned. */
#ifndef CLTOMO_CLTOMO_H
#define CLTOMO_CLTOMO_H

#include <cltomo/blas.h>
#include <cltomo/context.h>
#include <cltomo/controller.h>
#include <cltomo/device.h>
#include <cltomo/diagnostics.h>
#include <cltomo/export.h>
#include <cltomo/file.h>
#include <cltomo/geometry.h>
#include <cltomo/interaction.h>
#include <cltomo/matrix.h>
#include <cltomo/reconstructor.h>
#include <cltomo/status.h>
#include <cltomo/system.h>
#include <cltomo/turbulence.h>
#include <cltomo/version.h>

#endif
