#define _GNU_SOURCE
#include "xxdev/mpi/mpidev_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct library_kind {
    const char *name, *told, *package; /* what Debian calls its headers */
    const char *variables[2];          /* its launcher sets one of them */
} library_kind;

static const library_kind library_kinds[] = {
    {"openmpi", "Open MPI", "libopenmpi-dev", {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"}},
    {"mpich", "MPICH", "libmpich-dev", {"PMI_FD", "PMI_RANK"}},
};

enum { LIBRARY_AUTO, LIBRARY_KINDS = sizeof library_kinds / sizeof *library_kinds };

#define LIBRARY_FIELD(field) offsetof(cor_mpidev_config, field)

static const cor_knob library_knob_rows[] = {
    {"mpi.library", COR_KNOB_CHOICE, LIBRARY_FIELD(library), "auto", "auto|openmpi|mpich", 0, 0,
     "the MPI that mpidev sends messages through; auto takes the one whose launcher has started this process, else "
     "the "
     "first that there is"},
    {"mpi.eager_max", COR_KNOB_SIZE, LIBRARY_FIELD(eager_max_bytes), "8k", NULL, 64, 1 << 20,
     "messages up to this many bytes go at once, through a buffer; longer ones when a receive is there, without"},
};

const cor_knob_table cor_mpidev_knobs = {library_knob_rows, sizeof library_knob_rows / sizeof *library_knob_rows};

/* ---- where the bridges are -------------------------------------------------------------------------------------- */

/* Beside this library, or where libraries are beside this program: in the build tree and in the installation. */
static const char *const library_places[] = {"", "../lib/", "../" COR_LIBDIR "/"};

enum { LIBRARY_PLACES = sizeof library_places / sizeof *library_places };

/* The file of the bridge; 0: there is none. */
static int library_find(const library_kind *kind, char *out, size_t out_bytes)
{
    Dl_info self;
    char real[PATH_MAX];
    if (!dladdr(library_knob_rows, &self) || !realpath(self.dli_fname, real))
        return 0;
    int directory = (int)(strrchr(real, '/') - real) + 1;
    for (int i = 0; i < LIBRARY_PLACES; i++) {
        snprintf(out, out_bytes, "%.*s%slibcorunna_mpi_%s.so", directory, real, library_places[i], kind->name);
        if (access(out, R_OK) == 0)
            return 1;
    }
    return 0;
}

/* Load it from where it is, else from where the system looks for libraries. */
static int library_load(const library_kind *kind, void **handle_p, cor_fault *fault)
{
    char path[PATH_MAX + 64];
    int is_found = library_find(kind, path, sizeof path);
    if (!is_found)
        snprintf(path, sizeof path, "libcorunna_mpi_%s.so", kind->name);
    /* Deep: the MPI functions it calls are those of its own library, before any that the program has. */
    *handle_p = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND | RTLD_NODELETE);
    if (*handle_p)
        return COR_OK;
    if (is_found)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "mpidev cannot use %s: %.200s", kind->told, dlerror());
    return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                         "mpidev cannot use %s, because there is no %s: it is built with Corunna where the headers of "
                         "%s are installed (Debian package %s)",
                         kind->told, path, kind->told, kind->package);
}

/* ---- which one -------------------------------------------------------------------------------------------------- */

/* The one whose launcher has started this process, or NULL. */
static const library_kind *library_by_launcher(void)
{
    for (int i = 0; i < LIBRARY_KINDS; i++)
        for (int k = 0; k < 2; k++)
            if (getenv(library_kinds[i].variables[k]))
                return &library_kinds[i];
    return NULL;
}

/* The one that is meant, or NULL. */
static const library_kind *library_choose(const cor_mpidev_config *config, const char **why_p)
{
    char path[PATH_MAX + 64];
    const library_kind *kind = library_by_launcher();
    if (config->library != LIBRARY_AUTO) {
        *why_p = "the setting mpi.library says so";
        return &library_kinds[config->library - 1];
    }
    *why_p = "its launcher has started this process";
    for (int i = 0; !kind && i < LIBRARY_KINDS; i++)
        if (library_find(&library_kinds[i], path, sizeof path)) {
            *why_p = "no launcher has started this process, and it is there";
            kind = &library_kinds[i];
        }
    return kind;
}

static int library_none(cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                         "mpidev needs an MPI library, and this Corunna was built without any: build it where the "
                         "headers of Open MPI or MPICH are installed (Debian packages libopenmpi-dev, libmpich-dev)");
}

int mpidev_library_open(const cor_mpidev_config *config, const cor_log *log, const cor_bridge_ops **ops_p,
                        cor_fault *fault)
{
    const char *why;
    const library_kind *kind = library_choose(config, &why);
    if (!kind)
        return library_none(fault);
    COR_LOG(log, DEBUG, "mpidev: %s, because %s", kind->told, why);
    void *handle;
    int rc = library_load(kind, &handle, fault);
    if (rc != COR_OK)
        return rc;
    const cor_bridge_ops *ops = dlsym(handle, COR_BRIDGE_SYMBOL);
    if (!ops || ops->version != COR_BRIDGE_VERSION)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "mpidev cannot use %s: libcorunna_mpi_%s.so is not of this build of Corunna", kind->told,
                             kind->name);
    *ops_p = ops;
    return COR_OK;
}

const char *cor_mpidev_launcher(const cor_mpidev_config *config, cor_fault *fault)
{
    const char *why;
    const library_kind *kind = library_choose(config, &why);
    if (!kind)
        library_none(fault);
    return kind ? kind->name : NULL;
}
