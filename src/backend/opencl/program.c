/* Compiles the kernels for a device, or takes them from the cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/row_kernels.h"
#include "backend/opencl/cache.h"
#include "backend/opencl/opencl.h"
#include "core/embedded.h"

extern const cltomo_embedded cltomo_embedded_kernels[];
extern const size_t cltomo_n_embedded_kernels;

/* The sources, in the order in which they depend on each other: as one list for OpenCL. */
enum { max_sources = 16 };

typedef struct sources {
    const char *text[max_sources];
    size_t length[max_sources];
    char *owned[max_sources]; /* read from CLTOMO_KERNEL_DIR; NULL: embedded */
    size_t n;
} sources;

static void release_sources(const cltomo_context *context, sources *s)
{
    for (size_t i = 0; i < s->n; ++i) {
        cltomo_release(context, s->owned[i]);
    }
}

/* A kernel file from a folder, for development; NULL if it cannot be read, is empty or huge. */
static char *read_source(
    const cltomo_context *context, const char *dir, const char *name, size_t *length)
{
    static const char *const suffixes[] = {"cl", "h"};
    char path[4096];
    for (size_t i = 0; i < 2; ++i) {
        (void)snprintf(path, sizeof path, "%s/%s.%s", dir, name, suffixes[i]);
        FILE *file = fopen(path, "rb");
        if (file == NULL) {
            continue;
        }
        enum { largest = 1 << 20 };
        char *text = cltomo_allocate(context, largest, 1);
        *length = text != NULL ? fread(text, 1, largest, file) : 0;
        (void)fclose(file);
        if (*length == 0 || *length == largest) { /* OpenCL takes the length 0 for another thing */
            cltomo_release(context, text);
            return NULL;
        }
        return text;
    }
    return NULL;
}

static cltomo_status gather_sources(const cltomo_context *context, sources *s, cltomo_error *error)
{
    const char *dir = getenv("CLTOMO_KERNEL_DIR");
    for (size_t i = 0; i < cltomo_n_embedded_kernels && i < max_sources; ++i) {
        const cltomo_embedded *kernel = &cltomo_embedded_kernels[i];
        s->text[i] = (const char *)kernel->data;
        s->length[i] = kernel->size;
        if (dir != NULL) {
            s->owned[i] = read_source(context, dir, kernel->name, &s->length[i]);
            s->text[i] = s->owned[i];
        }
        ++s->n;
        if (s->text[i] == NULL) {
            return cltomo_fail_file(error, CLTOMO_ERROR_IO, dir,
                "cannot read the kernel file \"%s\" of CLTOMO_KERNEL_DIR", kernel->name);
        }
    }
    return CLTOMO_OK;
}

static void write_options(
    const cltomo_opencl *cl, cltomo_precision precision, char *options, size_t size)
{
    char width[48];
    if (cl->quirks.width == 1) {
        (void)snprintf(width, sizeof width, " -DCLTOMO_VK_WIDTH_IS_ONE");
    } else {
        (void)snprintf(width, sizeof width, " -DCLTOMO_VK_WIDTH=%u", cl->quirks.width);
    }
    (void)snprintf(options, size, "-cl-std=CL1.2%s%s%s -DCLTOMO_GAUSSIAN_CUT=%d", width,
        cl->has_double ? " -DCLTOMO_VK_DOUBLE" : "",
        precision == CLTOMO_PRECISION_SINGLE ? " -DCLTOMO_SINGLE" : "", (int)CLTOMO_GAUSSIAN_CUT);
}

static uint64_t hash_device(uint64_t state, cl_device_id device)
{
    static const cl_device_info parts[] = {
        CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION};
    char text[512];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        size_t length = 0;
        if (clGetDeviceInfo(device, parts[i], sizeof text, text, &length) == CL_SUCCESS) {
            state = cltomo_hash(state, text, length);
        }
    }
    return state;
}

static uint64_t cache_key(const cltomo_opencl *cl, const sources *s, const char *options)
{
    uint64_t state = CLTOMO_HASH_START;
    state = hash_device(state, cl->device);
    state = cltomo_hash(state, options, strlen(options));
    for (size_t i = 0; i < s->n; ++i) {
        state = cltomo_hash(state, s->text[i], s->length[i]);
    }
    return state;
}

static cl_program build_cached(const cltomo_context *context, uint64_t key, const char *options)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    size_t size = 0;
    cl_int code = CL_SUCCESS;
    if (cl->cache_dir == NULL) {
        return NULL;
    }
    unsigned char *data = cltomo_cache_read(context, cl->cache_dir, key, &size);
    if (data == NULL) {
        return NULL;
    }
    const unsigned char *binary = data;
    cl_program program =
        clCreateProgramWithBinary(cl->context, 1, &cl->device, &size, &binary, NULL, &code);
    cltomo_release(context, data);
    if (code != CL_SUCCESS) {
        return NULL;
    }
    if (clBuildProgram(program, 1, &cl->device, options, NULL, NULL) != CL_SUCCESS) {
        (void)clReleaseProgram(program);
        return NULL;
    }
    return program;
}

static void save(const cltomo_context *context, cl_program program, uint64_t key)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    size_t size = 0;
    if (cl->cache_dir == NULL ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0) {
        return;
    }
    unsigned char *data = cltomo_allocate(context, size, 1);
    if (data != NULL &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) == CL_SUCCESS) {
        cltomo_cache_write(context, cl->cache_dir, key, data, size);
    }
    cltomo_release(context, data);
}

/* Logs a text line by line, which takes it apart. */
static void log_lines(const cltomo_context *context, char *text)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        cltomo_log(context, CLTOMO_LOG_WARNING, "%s", line);
    }
}

/* The compiler's words go to the log whole, and as far as they fit into the error. */
static cltomo_status build_failed(
    const cltomo_context *context, cl_program program, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    size_t size = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) ==
        CL_SUCCESS) {
        log = cltomo_allocate_zero(context, size + 1, 1);
    }
    if (log != NULL) {
        (void)clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    }
    cltomo_status status = cltomo_fail(error, CLTOMO_ERROR_DEVICE,
        "the OpenCL kernels do not build on this device: %s", log != NULL ? log : "no log");
    if (log != NULL) {
        log_lines(context, log);
    }
    cltomo_release(context, log);
    return status;
}

static cltomo_status build(const cltomo_context *context, cl_program *program,
    cltomo_precision precision, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    char options[256];
    sources s = {.n = 0};
    cl_int code = CL_SUCCESS;
    cltomo_status status = gather_sources(context, &s, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    write_options(cl, precision, options, sizeof options);
    uint64_t key = cache_key(cl, &s, options);
    *program = build_cached(context, key, options);
    if (*program != NULL) {
        goto done;
    }
    *program = clCreateProgramWithSource(cl->context, (cl_uint)s.n, s.text, s.length, &code);
    if (code != CL_SUCCESS) {
        *program = NULL;
        status = cltomo_opencl_fail(error, code, "the kernels");
        goto done;
    }
    code = clBuildProgram(*program, 1, &cl->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        status = code == CL_BUILD_PROGRAM_FAILURE
                     ? build_failed(context, *program, error)
                     : cltomo_opencl_fail(error, code, "building the kernels");
        (void)clReleaseProgram(*program);
        *program = NULL;
        goto done;
    }
    save(context, *program, key);
done:
    release_sources(context, &s);
    return status;
}

cltomo_status cltomo_opencl_program(const cltomo_context *context, cl_program *program,
    cltomo_precision precision, cltomo_error *error)
{
    cltomo_opencl *cl = cltomo_opencl_of(context);
    cltomo_status status = CLTOMO_OK;
    (void)pthread_mutex_lock(&cl->lock);
    if (cl->program[precision] == NULL) {
        status = build(context, &cl->program[precision], precision, error);
    }
    *program = cl->program[precision];
    (void)pthread_mutex_unlock(&cl->lock);
    return status;
}
