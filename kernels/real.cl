/* Types and helpers that the other kernels share; compiled in front of them.
 *
 *   CLTOMO_SINGLE     defined: matrices are float, otherwise double
 *   CLTOMO_VK_DOUBLE  defined: the device has double precision, which sums are then computed in
 *   CLTOMO_VK_WIDTH   points that a work-item of the covariance kernels handles at a time; not
 *                     defined: one */
#ifdef CLTOMO_VK_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double wide;
typedef cltomo_vk_double wide_vector;
#define VON_KARMAN cltomo_vk_f_double
#define VON_KARMAN_A_TAIL CLTOMO_VK_A_TAIL_DOUBLE
#define VON_KARMAN_B CLTOMO_VK_B_DOUBLE
#define VON_KARMAN_F_ZERO CLTOMO_VK_F_ZERO_DOUBLE
#define VON_KARMAN_SWITCH CLTOMO_VK_SWITCH_DOUBLE
#else
typedef float wide;
typedef cltomo_vk_single wide_vector;
#define VON_KARMAN cltomo_vk_f_single
#define VON_KARMAN_A_TAIL CLTOMO_VK_A_TAIL_SINGLE
#define VON_KARMAN_B CLTOMO_VK_B_SINGLE
#define VON_KARMAN_F_ZERO CLTOMO_VK_F_ZERO_SINGLE
#define VON_KARMAN_SWITCH CLTOMO_VK_SWITCH_SINGLE
#endif

#define INLINE CLTOMO_VK_INLINE

#ifdef CLTOMO_SINGLE
typedef float real;
typedef cltomo_vk_single real_vector;
#else
typedef double real;
typedef cltomo_vk_double real_vector;
#endif

#ifdef CLTOMO_VK_WIDTH_IS_ONE
#define WIDTH 1
#define LOAD(pointer) (*(pointer))
#define STORE(value, pointer) (*(pointer) = (value))
#define COUNT_UP ((wide_vector)(0))
#else
#define WIDTH CLTOMO_VK_WIDTH
#define LOAD(pointer) CLTOMO_VK_JOIN(vload, CLTOMO_VK_WIDTH)(0, pointer)
#define STORE(value, pointer) CLTOMO_VK_JOIN(vstore, CLTOMO_VK_WIDTH)(value, 0, pointer)
#if CLTOMO_VK_WIDTH == 8
#define COUNT_UP ((wide_vector)(0, 1, 2, 3, 4, 5, 6, 7))
#elif CLTOMO_VK_WIDTH == 16
#define COUNT_UP ((wide_vector)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#endif
#endif
