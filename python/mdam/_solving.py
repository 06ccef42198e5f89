"""Devices, models, and what they find."""
import ctypes
import json
import math
import os
import tempfile
from ctypes import byref, c_uint32, c_void_p
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._library import (Handle, InputError, Interruptible, check, encoded, fail, lib, lock, options_from, text_of)
from ._instances import Instances, checked, instances, write_instances

_FORMATS = _abi.ENUMS["mdam_format"]
_ENDINGS = {"": "JSON", ".json": "JSON", ".jsonl": "JSON", ".sol": "SOL", ".tour": "TOUR", ".svg": "SVG", ".txt": "TEXT",
            ".geojson": "GEOJSON", ".gpx": "GPX"}


# --- devices and models ---------------------------------------------------------------------------------------------

class Device:
    """A Vulkan device: a GPU if there is one, else a CPU driver. `device` is a number or a part of the name.

    >>> import mdam
    >>> with mdam.Device() as device:
    ...     print(type(device.name))
    <class 'str'>
    """

    def __init__(self, device: Union[None, int, str] = None, **options: Any):
        given = dict(options, device=None if device is None else str(device))
        how = options_from(_abi.mdam_device_options, ["MDAM_OPTIONS_DEVICE"], given)
        slot = c_void_p()
        with Interruptible() as guard:  # Ctrl-C waits until somebody holds the device
            check(lib.mdam_device_open(byref(slot), byref(how)))
            self._handle = Handle(slot.value, lib.mdam_device_close)
        guard.reraise()

    @property
    def pointer(self) -> int:
        return self._handle.pointer

    @property
    def name(self) -> str:
        return lib.mdam_device_name(self.pointer).decode(errors="replace")

    @property
    def notice(self) -> str:
        """Warnings about the choice."""
        return lib.mdam_device_notice(self.pointer).decode(errors="replace")

    def close(self) -> None:
        """Frees it, after the models that are on it."""
        self._handle.close()

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<mdam.Device {self.name}>"


def devices() -> List[Dict[str, Any]]:
    """The Vulkan devices of this machine."""
    slot = c_void_p()
    check(lib.mdam_devices_list(byref(slot), _abi.ENUMS["mdam_target"]["MDAM_TARGET_AUTO"]))
    found = []
    for i in range(lib.mdam_devices_count(slot)):
        info = lib.mdam_devices_info(slot, i)[0]
        values = {name: getattr(info, name) for name, _ in info._fields_}
        found.append({name: value.decode(errors="replace") if isinstance(value, bytes) else value
                      for name, value in values.items()})
    lib.mdam_devices_free(byref(slot))
    return found


_default: Dict[str, Any] = {}


def _default_device() -> Device:
    if "device" not in _default:
        _default["device"] = Device()
    return _default["device"]


class Model:
    """A model on a device: the path of a file, or a problem's name for the one that comes with the package.

    >>> import mdam
    >>> model = mdam.Model("tsp")
    >>> model.problem, model.decoders
    ('tsp', [0, 1, 2, 3, 4])
    """

    def __init__(self, path: Any, device: Optional[Device] = None, decoders: Optional[Sequence[int]] = None):
        self.path = path if os.path.sep in os.fspath(path) or "." in os.fspath(path) else _find(os.fspath(path))
        self.device = device or _default_device()
        options = _abi.mdam_model_options(ctypes.sizeof(_abi.mdam_model_options))
        if decoders is not None:
            numbers = (c_uint32 * len(decoders))(*decoders)
            options.decoders, options.decoder_count = numbers, len(decoders)
        slot = c_void_p()
        with lock, Interruptible() as guard:
            check(lib.mdam_model_load(byref(slot), self.device.pointer, encoded(self.path), byref(options)))
            self._handle = Handle(slot.value, lib.mdam_model_free, self.device._handle)
        guard.reraise()
        info = lib.mdam_model_info(slot)[0]
        self.problem: str = info.problem.decode()
        self.name: str = info.name.decode(errors="replace")
        self.decoders: List[int] = [info.decoders[i] for i in range(info.decoder_count)]
        self.trained = (info.n_min, info.n_max) if info.n_max else None
        self.validation: Optional[float] = info.validation if info.has_validation else None
        self.instances_seen: int = info.instances
        self.glimpse: Optional[int] = info.glimpse if info.glimpse > 0 else None
        self.norm, self.dialect = info.norm.decode(), info.dialect.decode()

    @property
    def pointer(self) -> int:
        return self._handle.pointer

    def solve(self, list_: Instances, **options: Any) -> List["Solution"]:
        """As `mdam.solve`, of a list of instances."""
        return solve(list_, model=self, **options)

    def __repr__(self) -> str:
        return f"<mdam.Model {self.name} for {self.problem}>"


def _find(problem: str) -> str:
    slot = c_void_p()
    check(lib.mdam_model_find(byref(slot), problem.encode()))
    return text_of(slot.value)


def _default_model(problem: str) -> Model:
    if problem not in _default:
        _default[problem] = Model(problem)
    return _default[problem]


# --- solutions ------------------------------------------------------------------------------------------------------

@dataclass
class Solution:
    """A plan: routes of customers from 1 (tsp: one tour of nodes), judged independently. A notebook shows it."""

    problem: str
    objective: float
    routes: List[List[int]]
    length: float
    prize: float
    penalty: float
    feasible: bool
    violation: Optional[str]
    deliveries: Optional[List[List[float]]]
    rounded: Optional[float]
    decode: Optional[str]
    decoder: Optional[int]
    beam: Optional[int]
    augment: Optional[int]
    improve: Optional[str]
    origin: Optional[str]
    constructed: Optional[float]
    seconds: float
    warnings: List[str]
    _handle: Handle = field(repr=False, compare=False)
    _index: int = field(repr=False, compare=False)

    def text(self, format: str = "json") -> str:
        """As "json", "sol" (CVRPLIB), "tour" (TSPLIB), "text", "svg" or "verdict"; where the instance has longitudes and
        latitudes also as "geojson" or "gpx"."""
        name = "MDAM_FORMAT_" + format.upper()
        if name not in _FORMATS:
            raise InputError(f"format: {format!r} is not known", "format")
        instances_ = self._handle.parts[0]
        if format.lower() in ("geojson", "gpx") and not lib.mdam_instance_is_lonlat(instances_.pointer, self._index):
            raise InputError("format: maps need coordinates=\"lonlat\"", "format")
        return text_of(lib.mdam_solution_text(self._handle.pointer, self._index, _FORMATS[name]))

    def json(self) -> Dict[str, Any]:
        """As the program writes it, with the customers' ids in the routes where they have some."""
        return json.loads(self.text())

    def _repr_svg_(self) -> str:
        return self.text("svg")


def _words(name: str) -> List[str]:
    return [key.rsplit("_", 1)[1].lower() for key in _abi.ENUMS[name]]


def _solution(handle: Handle, index: int, problem: str) -> Optional[Solution]:
    s = lib.mdam_solution(handle.pointer, index)[0]
    if not s.solved:
        return None
    routes = [s.routes[r] for r in range(s.route_count)]
    split = any(bool(route.amounts) for route in routes)
    found = bool(s.decoder_costs)
    return Solution(
        problem=problem, objective=s.objective, routes=[route.stops[:route.count] for route in routes], length=s.length,
        prize=s.prize, penalty=s.penalty, feasible=s.feasible, violation=s.violation.decode() if s.violation else None,
        deliveries=[route.amounts[:route.count] for route in routes] if split else None,
        rounded=s.rounded if s.has_rounded else None, decode=_words("mdam_decode")[s.decode] if found else None,
        decoder=s.decoder if found and s.origin in (None, b"decoder") else None, beam=s.beam if found and s.beam else None,
        augment=s.augment if found else None, improve=s.improve.decode() if s.improve else None,
        origin=s.origin.decode() if s.origin else None, constructed=s.constructed if s.improve else None,
        seconds=s.seconds, warnings=[s.warnings[i].decode(errors="replace") for i in range(s.warning_count)],
        _handle=handle, _index=index)


def _solutions(slot: c_void_p, list_: Instances, *parts: Any) -> List[Optional[Solution]]:
    handle = Handle(slot.value, lib.mdam_solutions_free, list_._handle, *parts)
    return [_solution(handle, i, list_.problem(i)) for i in range(len(list_))]


# --- solving --------------------------------------------------------------------------------------------------------

def _watched(how: Any, callback: Optional[Callable[[int, int], Any]], keep: List[Any]) -> Interruptible:
    """Puts Ctrl-C and progress into the options."""
    guard, types = Interruptible(), dict(how._fields_)

    def progress(_user: Any, done: int, count: int) -> bool:
        return callback is None or callback(done, count) is not False

    def stop(_user: Any) -> bool:  # handlers of signals run before this line
        return guard.error is not None

    for name, function, failed in (("progress", progress, False), ("stop", stop, True)):
        made = types[name](guard(function, failed))
        keep.append(made)
        setattr(how, name, made)
    return guard


def _each(given: Union[str, Instances], coords: Any, columns: Dict[str, Any]) -> Any:
    """Instances, and whether they are of one that stands alone."""
    if isinstance(given, Instances):
        if coords is not None or columns:
            raise TypeError("instances hold their own coordinates and columns")
        return given, False
    if not isinstance(given, str):
        checked(given)
    return instances(given, coords, **columns), np.ndim(columns.get("distances") if coords is None else coords) == 2


_COLUMNS = [name for name, _ in _abi.mdam_instance_data._fields_ if name not in ("size", "problem", "n", "x", "y", "depot_x", "depot_y")]


def solve(problem: Union[str, Instances], coords: Any = None, *, model: Union[None, str, "os.PathLike[str]", Model] = None,
          progress: Optional[Callable[[int, int], Any]] = None, **options: Any) -> Any:
    """Solves one instance, a batch of them, or a list from `read`, `generate` or `instances`.

    Columns are those of `instances`; the other options are those of `mdam-vk solve`: decode, beam, expand, samples, augment,
    improve, time_limit, seed, .. The answer is a `Solution`, or for a batch a list (None where the work ended before).
    `progress(done, count)` may return False to end it. Ctrl-C ends it, too.

    >>> import mdam
    >>> tour = mdam.solve("tsp", [[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> round(tour.objective, 6), sorted(tour.routes[0])
    (4.0, [1, 2, 3, 4])
    >>> plan = mdam.solve("cvrp", [[5, 5], [1, 1], [9, 9], [1, 2]], demand=[4, 4, 4], capacity=8)
    >>> len(plan.routes), plan.feasible
    (2, True)
    """
    columns = {name: options.pop(name) for name in ["depot", *_COLUMNS] if name in options}
    list_, single = _each(problem, coords, columns)
    how = options_from(_abi.mdam_solve_options, ["MDAM_OPTIONS_SOLVE"], options)
    keep: List[Any] = []
    with lock:
        names = sorted({list_.problem(i) for i in range(len(list_))})
        if model is None:
            models = [_default_model(name) for name in names]
        else:
            models = [model if isinstance(model, Model) else Model(model)]
        guard = _watched(how, progress, keep)
        pointers = (c_void_p * len(models))(*(one.pointer for one in models))
        slot = c_void_p()
        with guard:
            ok = lib.mdam_solve(byref(slot), list_.pointer, pointers, len(models), byref(how))
        if not ok or guard.error is not None:
            if slot:
                lib.mdam_solutions_free(byref(slot))
            guard.reraise()
            fail()
        found = _solutions(slot, list_, *(one._handle for one in models))
    return found[0] if single else found


@dataclass
class Evaluation:
    """Results of a model on instances. Gaps are in percent, against `reference`."""

    problem: str
    count: int
    objective: float
    standard_error: float
    seconds: float
    objectives: np.ndarray
    decoders: List[int]
    wins: List[int]
    sole_wins: List[int]
    gap: Optional[float] = None
    gap_standard_error: Optional[float] = None
    gaps: Optional[np.ndarray] = None


def evaluate(model: Union[str, Model], list_: Instances, *, reference: Optional[Sequence[float]] = None,
             progress: Optional[Callable[[int, int], Any]] = None, **options: Any) -> Evaluation:
    """Solves the list with the model, without improvement unless asked for, and sums up.

    >>> import mdam
    >>> result = mdam.evaluate("tsp", mdam.generate("tsp", n=10, count=4), decode="greedy")
    >>> result.count, result.objectives.shape, result.problem
    (4, (4,), 'tsp')
    """
    checked(list_)
    how = options_from(_abi.mdam_solve_options, ["MDAM_OPTIONS_SOLVE"], options)
    keep: List[Any] = []
    guard = _watched(how, progress, keep)
    slot = ctypes.POINTER(_abi.mdam_evaluation)()
    with lock:
        model = model if isinstance(model, Model) else _default_model(model) if model in _models() else Model(model)
        with guard:
            ok = lib.mdam_evaluate(byref(slot), model.pointer, list_.pointer, byref(how))
        if not ok or guard.error is not None:
            if slot:
                lib.mdam_evaluation_free(byref(slot))
            guard.reraise()
            fail()
    e = slot[0]
    many = e.decoder_count
    result = Evaluation(e.problem.decode(), e.count, e.objective, e.standard_error, e.seconds,
                        np.array(e.objectives[:e.instances]), e.decoders[:many], e.wins[:many], e.sole_wins[:many])
    maximise = e.maximise
    lib.mdam_evaluation_free(byref(slot))
    if reference is not None:
        best = np.asarray(reference, dtype=float)
        if best.shape != result.objectives.shape:
            raise InputError(f"reference: {best.size} objectives for {result.objectives.size} instances", "reference")
        above = best - result.objectives if maximise else result.objectives - best
        result.gaps = 100 * np.divide(above, np.abs(best), out=np.where(above, np.nan, 0.0), where=best != 0)
        finite = result.gaps[np.isfinite(result.gaps)]
        result.gap = float(finite.mean()) if finite.size else None
        result.gap_standard_error = float(finite.std(ddof=1) / math.sqrt(finite.size)) if finite.size > 1 else None
    return result


def _models() -> List[str]:
    from ._instances import problems
    return problems()


# --- given plans ----------------------------------------------------------------------------------------------------

Plans = Union[str, "os.PathLike[str]", Sequence[Any]]


def _plan(one: Any) -> Dict[str, Any]:
    if isinstance(one, Solution):
        plan: Dict[str, Any] = {"routes": one.json()["routes"]}
        if one.deliveries is not None:
            plan["deliveries"] = one.deliveries
        return plan
    if isinstance(one, dict):
        return {key: one[key] for key in ("routes", "deliveries") if key in one}
    return {"routes": [[int(stop) for stop in route] for route in one]}


def read_solutions(path: Any, list_: Instances) -> List[Optional[Solution]]:
    """Plans of the instances from a file: JSON, .sol or .tour. They are judged, and may be infeasible."""
    slot = c_void_p()
    check(lib.mdam_solutions_read(byref(slot), list_.pointer, encoded(path)))
    return _solutions(slot, list_)


def _given(list_: Instances, plans: Any) -> List[Optional[Solution]]:
    """Plans as solutions: of a file, or one for each instance (routes, dicts like JSON, or solutions)."""
    checked(list_)
    if isinstance(plans, (str, os.PathLike)):
        return read_solutions(plans, list_)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plans.json")
        with open(path, "w") as file:
            file.write("".join(json.dumps(_plan(one)) + "\n" for one in plans))
        return read_solutions(path, list_)


def validate(list_: Instances, plans: Plans) -> List[Optional[Solution]]:
    """The verdict of an independent judge on plans: `feasible`, `objective` and the first `violation`.

    >>> import mdam
    >>> square = mdam.instances("tsp", [[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> verdict, = mdam.validate(square, [[[1, 2, 3]]])
    >>> verdict.feasible, verdict.violation
    (False, 'node 4 is not visited')
    """
    return _given(list_, plans)


def improve(list_: Instances, plans: Plans, **options: Any) -> List[Optional[Solution]]:
    """Better plans from given ones, on the host alone: local search, or with `time_limit` or `iterations` ruin and recreate.

    >>> import mdam
    >>> square = mdam.instances("tsp", [[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> better, = mdam.improve(square, [[[1, 3, 2, 4]]])
    >>> round(better.objective, 6), better.origin
    (4.0, 'given')
    """
    how = options_from(_abi.mdam_improve_options, ["MDAM_OPTIONS_IMPROVE"], options)
    given = _given(list_, plans)
    guard = Interruptible()
    stop = dict(how._fields_)["stop"](guard(lambda _user: guard.error is not None, True))
    how.stop = stop
    handle = next(one._handle for one in given if one is not None)
    slot = c_void_p()
    with guard:
        ok = lib.mdam_improve(byref(slot), handle.pointer, byref(how))
    if not ok or guard.error is not None:
        if slot:
            lib.mdam_solutions_free(byref(slot))
        guard.reraise()
        fail()
    return _solutions(slot, list_, handle)


def write(path: Any, what: Any) -> None:
    """Writes instances (.json, .jsonl, .npz, .pkl) or solutions (.json, .jsonl, .sol, .tour, .svg, .txt, .geojson, .gpx)."""
    if isinstance(what, Instances):
        write_instances(path, what)
        return
    list_ = [what] if isinstance(what, Solution) else [one for one in what if one is not None]
    ending = os.path.splitext(os.fspath(path))[1].lower()
    name = _ENDINGS.get(ending)
    if name is None or "MDAM_FORMAT_" + name not in _FORMATS:
        raise InputError(f"{os.fspath(path)}: solutions are not written with the ending {ending}")
    if name != "JSON" and len(list_) != 1:
        raise InputError(f"{os.fspath(path)}: one file holds one solution of that format, not {len(list_)}")
    data = "".join(one.text(name.lower()) for one in list_).encode()
    with open(path, "wb") as file:  # UTF-8 in every locale
        file.write(data)
