# SPDX-License-Identifier: Apache-2.0
"""Waits in every Python below `stoker run` until the script imports torch.

This folder is put in front of PYTHONPATH, so that Python runs this file as its sitecustomize. It
takes the folder out of sys.path again, and lets the sitecustomize that Python would have found run
in its place. An error in here costs the script nothing: it is noted in faults.jsonl.
"""

import os
import sys

_FILE_OF_IMPORTS = "<frozen importlib._bootstrap>"


def _note_fault(where, error):
    try:
        import json

        line = json.dumps({"where": where, "error": error, "pid": os.getpid()}) + "\n"
        path = os.path.join(os.environ["STOKER_RUN_DIR"], "faults.jsonl")
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)
    except Exception:  # a run folder that cannot be written has nowhere to say so
        pass


def _leave_path(folder):
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    sys.path_importer_cache.pop(folder, None)


class _Waiter:
    """A finder that finds nothing itself, and calls back once an awaited module has run.

    The module's spec and loader are those that the other finders gave.
    """

    def __init__(self):
        self._awaited = {}

    def when_imported(self, name, callback):
        """Call `callback()` after module `name` has run: now, if it has already."""
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if name in sys.modules and not getattr(spec, "_initializing", False):
            callback()
        else:
            self._awaited[name] = callback
            if self not in sys.meta_path:
                sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name not in self._awaited:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                self._watch(name, spec.loader)
                return spec
        return None

    def _watch(self, name, loader):
        try:
            run = loader.exec_module

            def exec_module(module):
                del loader.exec_module  # the module must see its loader as it is
                run(module)
                self._ran(name)

            # Python leaves frames of its import system out of a traceback, and so this one too.
            code = exec_module.__code__
            if hasattr(code, "replace"):  # Python 3.7 has it not
                exec_module.__code__ = code.replace(co_filename=_FILE_OF_IMPORTS)
            loader.exec_module = exec_module
        except Exception as error:
            _note_fault("import of " + name, repr(error))

    def _ran(self, name):
        callback = self._awaited.pop(name, None)
        if not self._awaited and self in sys.meta_path:
            sys.meta_path.remove(self)
        if callback is not None:
            try:
                callback()
            except Exception as error:
                _note_fault("import of " + name, type(error).__name__ + ": " + str(error))


def _check_whole(path):
    """Raise ImportError where a library is shorter than its header says: loading it would end the
    process by SIGBUS."""
    import struct

    with open(path, "rb") as file:
        header = file.read(64)
        if header[:5] != b"\x7fELF\x02":
            return  # the loader refuses it
        table, each, count = struct.unpack_from("<Q14xHH", header.ljust(64, b"\0"), 32)
        file.seek(table)
        segments = [file.read(each).ljust(56, b"\0") for _ in range(count)]
        bytes_there = file.seek(0, 2)
    ends = [sum(struct.unpack_from("<8xQ16xQ", segment)) for segment in segments]
    if max(ends, default=0) > bytes_there:
        raise ImportError(os.path.basename(path) + " is cut short")


def _check_build(package):
    """Raise ImportError where the extension was built for another Python, or is not whole."""
    from importlib.machinery import EXTENSION_SUFFIXES

    built = sorted(name for name in os.listdir(package) if name.startswith("_core."))
    built = [name for name in built if name.endswith(".so")]
    for name in built:
        _check_whole(os.path.join(package, name))
    if built and not any(name[len("_core") :] in EXTENSION_SUFFIXES for name in built):
        tag = built[0].split(".")[1].split("-")
        version = tag[1] if len(tag) > 1 else "?"
        built_for = version[:1] + "." + version[1:]
        this = "%d.%d" % sys.version_info[:2]  # noqa: UP031  (parses in any Python)
        raise ImportError(
            "built for Python " + built_for + ", this is " + this + ": the script runs unwatched"
        )


def _load_package(package):
    """The stoker package beside this folder, whether this interpreter has it installed or not."""
    if "stoker" not in sys.modules:
        from importlib.util import module_from_spec, spec_from_file_location

        _check_build(package)
        spec = spec_from_file_location(
            "stoker", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        module = module_from_spec(spec)
        sys.modules["stoker"] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules["stoker"]
            raise
    import stoker.watch

    return stoker.watch


def _install(folder):
    package = os.path.dirname(folder)
    waiter = _Waiter()
    waiter.when_imported("torch", lambda: _load_package(package).attach(waiter.when_imported))


try:
    _folder = os.path.dirname(__file__)
    _leave_path(_folder)
    if os.environ.get("STOKER_RUN_DIR") and os.environ.get("STOKER_DISABLE") != "1":
        _install(os.path.abspath(_folder))
except Exception as _error:
    _note_fault("start", repr(_error))

# Whatever this raises, ImportError where there is none included, Python's site module handles as
# if this file did not exist.
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402, F401
