"""Builds the wheel for pip (PEP 517) with CMake alone, so that nothing has to be downloaded.

The wheel is for the stable ABI of Python 3.11: one of it serves all later versions.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = re.search(r"project\(sator VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
PLATFORM = sysconfig.get_platform().replace("-", "_").replace(".", "_")
TAG = f"cp311-abi3-{PLATFORM}"
METADATA = f"""Metadata-Version: 2.1
Name: sator
Version: {VERSION}
Summary: An exact model of tensor computations on spatial accelerators
License: MIT
Requires-Python: >=3.11
Provides-Extra: tables
Requires-Dist: numpy; extra == "tables"
Requires-Dist: pandas; extra == "tables"
"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: sator\nRoot-Is-Purelib: false\nTag: {TAG}\n"


def get_requires_for_build_wheel(config_settings=None):
    return []


def _build(directory, is_configured):
    """The package as the target "python" leaves it in "directory"."""
    headers = sysconfig.get_paths()["include"]
    python = [f"-DPython3_EXECUTABLE={sys.executable}"] if os.path.exists(os.path.join(headers, "Python.h")) else []
    if not is_configured:
        subprocess.run(["cmake", "-S", ROOT, "-B", directory, "-DCMAKE_BUILD_TYPE=Release", "-DSATOR_TESTS=OFF",
                        "-DSATOR_MPI=OFF", *python], check=True)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", directory, "--target", "python", "-j", jobs], check=True)
    return pathlib.Path(directory) / "python" / "sator"


def _write(archive, records, name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))  # equal inputs, equal wheels
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
    archive.writestr(entry, data)
    records.append(f"{name},sha256={digest},{len(data)}")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """--config-settings builddir=DIR goes on in a build directory that there is."""
    given = (config_settings or {}).get("builddir")
    name = f"sator-{VERSION}-{TAG}.whl"
    info = f"sator-{VERSION}.dist-info"
    records = []
    with tempfile.TemporaryDirectory() as work:
        package = _build(given or work, given is not None)
        with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as archive:
            for path in sorted(package.iterdir()):
                if path.suffix in (".py", ".pyi", ".so", ".typed") or path.name == "py.typed":
                    _write(archive, records, f"sator/{path.name}", path.read_bytes())
            _write(archive, records, f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
            _write(archive, records, f"{info}/METADATA", METADATA.encode())
            _write(archive, records, f"{info}/WHEEL", WHEEL.encode())
            record = "\n".join([*records, f"{info}/RECORD,,", ""])
            _write(archive, [], f"{info}/RECORD", record.encode())
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The source tree as git has it."""
    name = f"sator-{VERSION}"
    path = os.path.join(sdist_directory, f"{name}.tar.gz")
    subprocess.run(["git", "-C", ROOT, "archive", f"--prefix={name}/", "-o", path, "HEAD"], check=True)
    return os.path.basename(path)
