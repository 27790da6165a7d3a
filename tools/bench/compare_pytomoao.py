#!/usr/bin/env python3
"""Times pyTomoAO 2.0.0 and cltomo on the same configurations, by turns in one run.

    python3 tools/bench/compare_pytomoao.py --examples kapa revolt

Installs pyTomoAO from PyPI into a virtual environment (build/peer unless --venv says otherwise), and
builds pyTomoAO's own example configurations with both programs: R alone, and R with FR.

pyTomoAO runs its CPU path, on all cores as it does by default. Its time is that of
build_reconstructor(), and of assemble_reconstructor_and_fitting() for FR; imports, reading the
configuration and numba's compilation, which a tiny system warms up, are not counted. cltomo's time is
that of the build as `cltomo build --json` states it, in a process of its own each time and without any
warm-up; reading the configuration and writing files are not counted. Half of cltomo's runs come before
pyTomoAO's, half after; all times are medians. Memory is the peak of the process that builds R and FR.

Difference is the relative distance in the Frobenius norm from pyTomoAO's matrix. pyTomoAO's Bessel
function is good to 4e-8, so differences of that size say nothing about cltomo. FR is taken in the one
slope order, "inverted", in which pyTomoAO's columns are those of its R.

With --interaction-matrix both build the reconstructor of a made-up interaction matrix instead, with
the actuators where pyTomoAO has them.

kapa takes pyTomoAO some 15 seconds on two cores, revolt a second or two, keck several minutes.
"""

import argparse
import concurrent.futures
import ctypes
import datetime
import gc
import json
import multiprocessing
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER_VERSION = "2.0.0"
EXAMPLES = ("kapa", "kapa-single-channel", "keck", "revolt")
PRECISIONS = ("double", "single")

# What is built, with the options of `cltomo build`; the last word is the name of the matrix compared.
MODEL = {"R": ("--lenslet-order", "column", "--product", "wavefront"),
         "R and FR": ("--lenslet-order", "column", "--product", "all")}
INTERACTION = {"R_IM": ("--grid", "pytomoao", "--alpha", "10")}

TINY = """
lgs_wfs_parameters:
  D: 2.0
  nLenslet: 4
  nPx: 8
  fieldStopSize: 4
  validLLMap: [[0, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1], [0, 1, 1, 0]]
  wfsLensletsRotation: [0, 0]
  wfsLensletsOffset: [[0, 0], [0, 0]]
dm_parameters:
  dmHeights: [0.0]
  dmPitch: [0.5]
  dmCrossCoupling: 0.15
  nActuators: [5]
  validActuators: [[0, 1, 1, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 0]]
atmosphere_parameters:
  nLayer: 2
  zenithAngleInDeg: 30.0
  altitude: [0, 5.0]
  L0: 25.0
  r0: 0.15
  fractionnalR0: [0.6, 0.4]
  wavelength: 5.0e-7
  windDirection: [0, 90]
  windSpeed: [5.0, 10.0]
lgs_asterism:
  radiusAst: 10.0
  LGSwavelength: 5.89e-7
  baseLGSHeight: 90000.0
  nLGS: 2
noise_parameters:
  iNoiseVar: 1.0e+14
tomography_parameters:
  fovOptimization: %s
  nFitSrc: %s
"""


# ---- getting started ----------------------------------------------------------------------------


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", nargs="+", choices=EXAMPLES, default=EXAMPLES, metavar="NAME",
                        help=f"of {', '.join(EXAMPLES)} (default: all)")
    parser.add_argument("--runs", type=positive, default=6, help="of cltomo (default: 6)")
    parser.add_argument("--peer-runs", type=positive, default=1, help="of pyTomoAO (default: 1)")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument("--interaction-matrix", action="store_const", dest="products", const=INTERACTION,
                        default=MODEL, help="compare R_IM in place of R and FR")
    parser.add_argument("--venv", type=pathlib.Path, default=ROOT / "build" / "peer",
                        help="virtual environment to use or make (default: build/peer)")
    parser.add_argument("--cltomo", type=pathlib.Path, help="the tool (default: the one in build/)")
    arguments = parser.parse_args()
    arguments.cltomo = arguments.cltomo or find_cltomo(parser)
    return arguments


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def find_cltomo(parser):
    for build in ("build/release", "build"):
        path = ROOT / build / "tools" / "cltomo" / "cltomo"
        if path.is_file():
            return path
    found = shutil.which("cltomo")
    if found is None:
        parser.error("cltomo is not built; build it, or say where it is with --cltomo")
    return pathlib.Path(found)


def enter_environment(directory):
    """Goes on in the virtual environment, which is made if need be."""
    python = directory / "bin" / "python"
    if pathlib.Path(sys.prefix).resolve() == directory.resolve():
        return
    if not python.exists():
        say(f"making a virtual environment in {directory}")
        venv.create(directory, with_pip=True)
    probe = f"import pyTomoAO; raise SystemExit(pyTomoAO.__version__ != '{PEER_VERSION}')"
    if subprocess.run([python, "-c", probe], capture_output=True, check=False).returncode != 0:
        say(f"installing pyTomoAO {PEER_VERSION}")
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"pytomoao=={PEER_VERSION}"],
                       check=True, stdout=sys.stderr)
    os.execv(python, [str(python), *sys.argv])


def say(text):
    print(f"compare_pytomoao: {text}", file=sys.stderr, flush=True)


# ---- the two programs ---------------------------------------------------------------------------


class Peer:
    """pyTomoAO's CPU path."""

    def __init__(self, scratch):
        import pyTomoAO

        self.module = pyTomoAO
        for directions, field in ((1, 0.0), (2, 10.0)):
            path = scratch / f"tiny{directions}.yaml"
            path.write_text(TINY % (field, directions), encoding="utf-8")
            for _ in range(2):
                self.build(path)

    def config(self, name):
        return pathlib.Path(self.module.example_config(name))

    def interaction_blocks(self, path):
        """What each sensor might see: the gradients of Gaussians about the actuators, of a width and
        height of its own for each."""
        import numpy as np

        system = self.module.tomographicReconstructor(str(path), force_cpu=True)
        sensors, mirror = system.lgsWfsParams, system.dmParams
        lenslets = np.argwhere(np.array(sensors.validLLMap, dtype=bool)) - (sensors.nLenslet - 1) / 2
        valid = np.array(mirror.validActuators, dtype=bool)
        spacing = (sensors.nLenslet + 4) / (valid.shape[0] - 1)
        actuators = (np.argwhere(valid) - (valid.shape[0] - 1) / 2) * spacing
        blocks = []
        for sensor in range(system.nLGS):
            away = (lenslets[:, None, :] - actuators[None, :, :]) / spacing
            width = 0.8 + 0.05 * sensor + 1e-4 * np.arange(len(actuators))
            height = (1 + 0.1 * sensor) * np.exp(-(away**2).sum(axis=2) / (2 * width**2))
            blocks.append(np.vstack([-away[:, :, 1] * height, -away[:, :, 0] * height]))
        return blocks

    def build_interaction(self, path, blocks):
        """As build."""
        import scipy.linalg

        gc.collect()
        reset_peak_memory()
        system = self.module.tomographicReconstructor(str(path), force_cpu=True)
        diagonal = scipy.linalg.block_diag(*blocks)
        start = time.perf_counter()
        matrix = system.build_reconstructor(IM=diagonal, alpha=10)
        end = time.perf_counter()
        return {"seconds": {"R_IM": end - start}, "matrices": {"R_IM": matrix}, "memory": peak_memory()}

    def build(self, path):
        """One measurement: seconds and matrices by product, peak memory in bytes."""
        gc.collect()
        reset_peak_memory()
        system = self.module.tomographicReconstructor(str(path), force_cpu=True)
        start = time.perf_counter()
        system.build_reconstructor()
        wavefront_end = time.perf_counter()
        command = system.assemble_reconstructor_and_fitting(
            nChannels=system.nLGS, slopesOrder="inverted")
        end = time.perf_counter()
        return {"seconds": {"R": wavefront_end - start, "R and FR": end - start},
                "matrices": {"R": system.R, "FR": command}, "memory": peak_memory()}


def build_with_cltomo(tool, path, options, precision, directory):
    """Seconds, peak memory in bytes and the report; the matrices are left in the directory."""
    command = [str(tool), "build", str(path), "--json", "--precision", precision, "--format", "npy",
               "-o", str(directory), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        output = process.stdout.read()
        messages = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{messages.decode()}")
    report = json.loads(output)
    return report["build_seconds"], usage.ru_maxrss * 1024, report


def reset_peak_memory():
    try:
        pathlib.Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        pass  # the peak is then that of the process so far


def peak_memory():
    for line in pathlib.Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


# ---- measuring ----------------------------------------------------------------------------------


def relative_difference(candidate, reference):
    import numpy as np

    reference = np.asarray(reference, dtype=float)
    return float(np.linalg.norm(candidate - reference) / np.linalg.norm(reference))


def measure(name, peer, launcher, arguments, scratch):
    import numpy as np

    path = peer.config(name)
    products = dict(arguments.products)
    blocks = peer.interaction_blocks(path) if "R_IM" in products else None
    if blocks is not None:
        np.save(scratch / "D.npy", np.vstack(blocks))
        products["R_IM"] += ("--interaction-matrix", str(scratch / "D.npy"))
    samples = {(precision, product): [] for precision in PRECISIONS for product in products}
    memory = {}
    blas = {}

    def run_cltomo(count):
        for _ in range(count):
            for precision, product in samples:
                seconds, peak, report = launcher.submit(
                    build_with_cltomo, arguments.cltomo, path, products[product], precision, scratch / precision).result()
                samples[precision, product].append(seconds)
                memory[precision] = peak  # the last is that of all products
                blas.update(report["blas"])

    runs = []
    left = arguments.runs
    for i in range(arguments.peer_runs):
        count = left // (arguments.peer_runs + 1 - i)
        left -= count
        run_cltomo(count)
        say(f"{name}: pyTomoAO, run {i + 1} of {arguments.peer_runs}")
        runs.append(peer.build(path) if blocks is None else peer.build_interaction(path, blocks))
    run_cltomo(left)

    reference = runs[-1]["matrices"]
    first = next(iter(reference.values()))
    result = {"name": name, "rows": int(first.shape[0]), "slopes": int(first.shape[1]),
              "peer": {"runs": len(runs), "memory_bytes": max(run["memory"] for run in runs),
                       "seconds": {p: statistics.median(run["seconds"][p] for run in runs) for p in products}},
              "cltomo": {}, "blas": blas}
    for precision in PRECISIONS:
        seconds = {product: statistics.median(samples[precision, product]) for product in products}
        difference = {key: relative_difference(np.load(scratch / precision / f"{key}.npy"), reference[key])
                      for key in reference}
        result["cltomo"][precision] = {
            "runs": arguments.runs, "seconds": seconds, "memory_bytes": memory[precision],
            "faster": {p: result["peer"]["seconds"][p] / seconds[p] for p in products},
            "difference": difference}
    return result


def numpy_core():
    """Name of the processor that numpy's OpenBLAS runs kernels for; "" if unknown."""
    import numpy as np

    for library in (pathlib.Path(np.__file__).parent.parent / "numpy.libs").glob("lib*openblas*"):
        for symbol in ("scipy_openblas_get_corename64_", "openblas_get_corename64_", "openblas_get_corename"):
            function = getattr(ctypes.CDLL(str(library)), symbol, None)
            if function is not None:
                function.restype = ctypes.c_char_p
                return function().decode()
    return ""


def cpu_model():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def describe(arguments):
    import numba
    import numpy
    import scipy

    version = subprocess.run([arguments.cltomo, "--version"], capture_output=True, text=True, check=True)
    return {"cpu": cpu_model(), "cores": len(os.sched_getaffinity(0)), "load_before": os.getloadavg(),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "cltomo": version.stdout.split()[-1], "pyTomoAO": PEER_VERSION,
            "python": platform.python_version(), "numpy": numpy.__version__, "scipy": scipy.__version__,
            "numba": numba.__version__, "numpy_blas_core": numpy_core()}


# ---- printing -----------------------------------------------------------------------------------


def seconds_text(seconds):
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.0f} ms"


def table_rows(results):
    header = ["system", "result", "pyTomoAO"]
    for precision in PRECISIONS:
        header += [f"cltomo, {precision}", "factor", "difference"]
    rows = [header]
    for result in results:
        for product in result["peer"]["seconds"]:
            row = [result["name"], product, seconds_text(result["peer"]["seconds"][product])]
            for precision in PRECISIONS:
                own = result["cltomo"][precision]
                row += [seconds_text(own["seconds"][product]), f"{own['faster'][product]:.0f} x",
                        f"{own['difference'][product.split()[-1]]:.1e}"]
            rows.append(row)
        row = [result["name"], "memory", f"{1e-6 * result['peer']['memory_bytes']:.0f} MB"]
        for precision in PRECISIONS:
            own = result["cltomo"][precision]["memory_bytes"]
            row += [f"{1e-6 * own:.0f} MB", f"{result['peer']['memory_bytes'] / own:.0f} x", ""]
        rows.append(row)
    return rows


def machine_lines(machine, results, arguments):
    blas = results[-1]["blas"]
    loads = [", ".join(f"{load:.1f}" for load in machine[key]) for key in ("load_before", "load_after")]
    return [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['date']}",
        f"load average (1, 5, 15 min) {loads[0]} before, {loads[1]} after",
        f"cltomo {machine['cltomo']}, {blas['library']}, running kernels for {blas['core']}, "
        f"{blas['threads']} threads; median of {arguments.runs} runs, each a new process",
        f"pyTomoAO {machine['pyTomoAO']}, CPU path, Python {machine['python']}, numpy {machine['numpy']} "
        f"(OpenBLAS kernels for {machine['numpy_blas_core'] or 'unknown'}), scipy {machine['scipy']}, numba "
        f"{machine['numba']}, all cores; median of {arguments.peer_runs} run(s) after numba's compilation",
    ]


def print_text(rows, lines):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.ljust(width) if i < 2 else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
    print()
    print("\n".join(lines))


def print_markdown(rows, lines):
    print("| " + " | ".join(rows[0]) + " |")
    print("| --- | --- |" + " ---: |" * (len(rows[0]) - 2))
    for row in rows[1:]:
        print("| " + " | ".join(row) + " |")
    print()
    print("\n".join(f"- {line}" for line in lines))


def main():
    arguments = parse_arguments()
    enter_environment(arguments.venv)
    machine = describe(arguments)
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        say("warming up pyTomoAO")
        peer = Peer(scratch)
        # A process counts the memory of the one that started it, at that time, as its own: start from a small one.
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as launcher:
            results = [measure(name, peer, launcher, arguments, scratch) for name in arguments.examples]
    machine["load_after"] = os.getloadavg()
    if arguments.format == "json":
        print(json.dumps({"machine": machine, "results": results}, indent=2))
        return
    lines = machine_lines(machine, results, arguments)
    (print_text if arguments.format == "text" else print_markdown)(table_rows(results), lines)


if __name__ == "__main__":
    main()
