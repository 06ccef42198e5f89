"""The library behind the package: loading it, checking that it is the one the package was made for, errors, options."""
import ctypes
import os
import signal
import threading
import weakref
from ctypes import byref, c_char_p, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, Iterator, List, Optional

from . import _abi

LIBRARY = "_mdam.so"


class Error(Exception):
    """The cause of a failure: `kind` is "input", "device" or "internal", `field` the option that it is about, or None.

    >>> import mdam
    >>> try:
    ...     mdam.generate("tsp", n=0, count=1)
    ... except mdam.Error as error:
    ...     print(error.kind, error.field)
    input n
    """

    kind = "internal"

    def __init__(self, message: str, field: Optional[str] = None):
        super().__init__(message)
        self.field = field


class InternalError(Error, RuntimeError):
    """A mistake in the library, or in how it is called."""


class InputError(Error, ValueError):
    """A file, an instance or an option that is refused."""

    kind = "input"


class DeviceError(Error, RuntimeError):
    """No usable Vulkan device, or a lost one."""

    kind = "device"


def _check_abi(library: ctypes.CDLL) -> None:
    """Compares sizes, offsets and enum values with those of the library."""
    library.mdam_abi.restype = c_char_p
    library.mdam_abi.argtypes = [ctypes.c_size_t, ctypes.POINTER(c_uint64)]
    theirs: Dict[str, int] = {}
    value = c_uint64()
    while True:
        name = library.mdam_abi(len(theirs), byref(value))
        if name is None:
            break
        theirs[name.decode()] = value.value
    ours = {key: value for values in _abi.ENUMS.values() for key, value in values.items()}
    for struct in _abi.STRUCTS:
        ours[struct.__name__] = ctypes.sizeof(struct)
        for field in struct._fields_:
            ours[f"{struct.__name__}.{field[0]}"] = getattr(struct, field[0]).offset
    different = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    if different:
        raise ImportError(f"the library of mdam is not the one that this package was made for: {different[0]} is "
                          f"{theirs.get(different[0])}, not {ours.get(different[0])}")


def _load() -> ctypes.CDLL:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), LIBRARY)
    library = ctypes.CDLL(path)
    _check_abi(library)
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _load()
version: str = lib.mdam_version().decode()


def fail() -> None:
    """Raises what the last call that failed had to say."""
    faults = {_abi.ENUMS["mdam_fault"]["MDAM_FAULT_INPUT"]: InputError,
              _abi.ENUMS["mdam_fault"]["MDAM_FAULT_DEVICE"]: DeviceError}
    field = lib.mdam_error_field()
    kind = faults.get(lib.mdam_error_fault(), InternalError)
    raise kind(lib.mdam_error().decode(errors="replace"), field.decode() if field else None)


def check(ok: bool) -> None:
    if not ok:
        fail()


def encoded(path: Any) -> bytes:
    return os.fsencode(os.fspath(path))


def text_of(pointer: int) -> str:
    """A text that the library made, which is freed."""
    text = ctypes.cast(pointer, c_char_p).value or b""
    slot = c_void_p(pointer)
    lib.mdam_text_free(byref(slot))
    return text.decode(errors="replace")


class Handle:
    """Something of the library's, freed with the last who holds it; `parts` are what it needs until then."""

    def __init__(self, pointer: int, free: Callable[[Any], None], *parts: Any):
        self.pointer = pointer
        self.parts = parts
        self._finalizer = weakref.finalize(self, _free, free, pointer, parts)

    def close(self) -> None:
        self._finalizer()


def _free(free: Callable[[Any], None], pointer: int, parts: Any) -> None:
    free(byref(c_void_p(pointer)))


class Interruptible:
    """Calls from the library back into Python, and Ctrl-C while it works. The first exception ends the work and is raised
    when the library has returned: a handler of signals must not raise where no frame of Python's would catch it."""

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None
        self._handler: Any = None

    def __enter__(self) -> "Interruptible":
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self._handler = handler
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)

    def _interrupt(self, number: int, frame: Any) -> None:
        try:
            self._handler(number, frame)
        except BaseException as error:  # pylint: disable=broad-except
            self.error = self.error or error

    def __call__(self, function: Callable[..., Any], failed: Any) -> Callable[..., Any]:
        def guarded(*arguments: Any) -> Any:
            if self.error is not None:
                return failed
            try:
                return function(*arguments)
            except BaseException as error:  # pylint: disable=broad-except
                self.error = error
                return failed
        return guarded

    def reraise(self) -> None:
        if self.error is not None:
            raise self.error


# --- options --------------------------------------------------------------------------------------------------------

_KINDS = {value: key[len("MDAM_OPTION_"):] for key, value in _abi.ENUMS["mdam_option_kind"].items()}


def rows(table: str) -> Iterator[Any]:
    """The rows of one of the library's tables of options."""
    first = lib.mdam_options(_abi.ENUMS["mdam_option_table"][table])
    row = 0
    while first[row].name:
        yield first[row]
        row += 1


def _number(name: str, row: Any, value: Any) -> Any:
    """An enum's number for its word."""
    words = row.value.decode().split("|")
    if value not in words:
        raise InputError(f"{name}: {value!r} is not one of {', '.join(words)}", name)
    return words.index(value)


def _set(options: Any, row: Any, value: Any) -> None:
    name, kind = row.name.decode(), _KINDS[row.kind]
    if kind in ("TEXT", "PROBLEM", "WORD"):
        setattr(options, name, encoded(value))
    elif kind == "CHOICE":
        setattr(options, name, _number(name, row, value))
    elif kind.startswith("RANGE") or kind.startswith("SPAN"):
        low, high = value if isinstance(value, (tuple, list)) else (value, value)
        setattr(options, name + "_min", low)
        setattr(options, name + "_max", high)
    elif kind == "PERIOD":
        setattr(options, name, -1 if value in ("off", None) else value)
    else:
        field = dict(options._fields_)[name]
        if field in (c_uint32, c_uint64, ctypes.c_int32):
            limit = 2**32 if field is c_uint32 else 2**64
            if int(value) != value or not 0 <= value < limit:
                raise InputError(f"{name}: {value!r} is not a whole number from 0 to {limit - 1}", name)
            value = int(value)
        setattr(options, name, value)


def options_from(struct: Any, tables: List[str], given: Dict[str, Any]) -> Any:
    """The struct with the options that are given by name; those that are None have their defaults."""
    options = struct()
    options.size = ctypes.sizeof(struct)
    known = {row.name.decode(): row for table in tables for row in rows(table)}
    for name, row in known.items():
        if _KINDS[row.kind] == "SEED":
            setattr(options, name, int(row.usual))
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"there is no option {name!r}; there are {', '.join(sorted(known))}")
        if value is not None:
            _set(options, known[name], value)
    return options


lock = threading.RLock()
