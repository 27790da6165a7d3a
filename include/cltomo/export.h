/* Which symbols the library shows, and how. Included by every other public header. */
#ifndef CLTOMO_EXPORT_H
#define CLTOMO_EXPORT_H

/*
 * CLTOMO_API marks a public function. Define CLTOMO_STATIC when linking the static library on
 * Windows; CLTOMO_BUILD is defined only while the library itself is compiled.
 */
#if defined(_WIN32) && !defined(CLTOMO_STATIC)
#ifdef CLTOMO_BUILD
#define CLTOMO_API __declspec(dllexport)
#else
#define CLTOMO_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define CLTOMO_API __attribute__((visibility("default")))
#else
#define CLTOMO_API
#endif

/* CLTOMO_MUST_CHECK makes the compiler warn when the caller ignores the returned value. */
#if defined(__GNUC__)
#define CLTOMO_MUST_CHECK __attribute__((warn_unused_result))
#else
#define CLTOMO_MUST_CHECK
#endif

#endif
