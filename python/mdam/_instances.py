"""Lists of instances: from arrays, files, generators."""
import ctypes
import json
from ctypes import POINTER, byref, c_double, c_void_p
from typing import Any, Dict, Iterator, List, Optional, Union

import numpy as np

from . import _abi
from ._library import Handle, InputError, check, encoded, lib, options_from, text_of

_FORMATS = _abi.ENUMS["mdam_format"]


def problems() -> List[str]:
    """The names of the routing problems.

    >>> import mdam
    >>> mdam.problems()
    ['tsp', 'cvrp', 'sdvrp', 'op', 'pctsp', 'spctsp']
    """
    names: List[str] = []
    while lib.mdam_problem_name(len(names)):
        names.append(lib.mdam_problem_name(len(names)).decode())
    return names


def _has_depot(problem: str) -> bool:
    if problem not in problems():
        raise InputError(f"problem: {problem!r} is not one of {', '.join(problems())}", "problem")
    return "depot" in text_of(lib.mdam_problem_keys(problems().index(problem)))


class Instances:
    """A list of instances. Indexing gives an instance as a dict, as in the library's JSON; a notebook shows the first.

    >>> import mdam
    >>> square = mdam.instances("tsp", [[0, 0], [0, 1], [1, 1], [1, 0]], name="square")
    >>> len(square), square[0]["name"], square[0]["nodes"][2]
    (1, 'square', [1, 1])
    """

    def __init__(self, handle: Handle):
        self._handle = handle

    @property
    def pointer(self) -> int:
        return self._handle.pointer

    def __len__(self) -> int:
        return lib.mdam_instances_count(self.pointer)

    def __repr__(self) -> str:
        found = ", ".join(sorted({self.problem(i) for i in range(len(self))}))
        return f"<mdam.Instances {len(self)} of {found}>"

    def _index(self, index: int) -> int:
        if not isinstance(index, (int, np.integer)):
            raise TypeError(f"instances have numbers, not {index!r}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"instance {index} of {len(self)}")
        return index % len(self)

    def text(self, index: int = 0, format: str = "json") -> str:
        """An instance as "json" or "svg"."""
        if format not in ("json", "svg"):
            raise InputError(f"format: {format!r} is neither 'json' nor 'svg'", "format")
        return text_of(lib.mdam_instance_text(self.pointer, self._index(index), _FORMATS["MDAM_FORMAT_" + format.upper()]))

    def __getitem__(self, index: int) -> Dict[str, Any]:
        return json.loads(self.text(index))

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return (self[i] for i in range(len(self)))

    def problem(self, index: int = 0) -> str:
        return lib.mdam_instance_problem(self.pointer, self._index(index)).decode()

    def size(self, index: int = 0) -> int:
        """Customers; of tsp all nodes."""
        return lib.mdam_instance_size(self.pointer, self._index(index))

    def warnings(self, index: int = 0) -> List[str]:
        """Warnings of its reader about legal but odd values."""
        first = POINTER(ctypes.c_char_p)()
        count = lib.mdam_instance_warnings(self.pointer, self._index(index), byref(first))
        return [first[i].decode(errors="replace") for i in range(count)]

    def arrays(self) -> Dict[str, np.ndarray]:
        """Columns as arrays whose first dimension is the instance; they must be of one problem and size.

        >>> import mdam
        >>> mdam.generate("cvrp", n=20, count=3).arrays()["demand"].shape
        (3, 20)
        """
        dicts = list(self)
        if len({(one["problem"], len(one["nodes"])) for one in dicts}) > 1:
            raise InputError("arrays hold instances of one problem and one size")
        numbers = [key for key, value in (dicts[0] if dicts else {}).items()
                   if key not in ("problem", "name", "ids", "depot_id", "coordinates")]
        return {key: np.array([one[key] for one in dicts], dtype=float) for key in numbers}

    def _repr_svg_(self) -> str:
        return self.text(0, "svg")


def checked(list_: Any) -> Instances:
    """An argument that must be a list of instances."""
    if not isinstance(list_, Instances):
        raise TypeError(f"not {type(list_).__name__}, but instances are needed: mdam.read reads them, mdam.parse makes them of dicts")
    return list_


def _owned(slot: c_void_p) -> Instances:
    return Instances(Handle(slot.value, lib.mdam_instances_free))


def _batch(problem: str, coords: Any, depot: Any, distances: Any) -> Any:
    """Nodes (count, n, 2) and depots (count, 2) or None; without coordinates nodes of no value, in the shape of the matrices."""
    has_depot = _has_depot(problem)
    if coords is None:
        if np.ndim(distances) not in (2, 3):
            raise InputError("coords: neither coordinates nor distances are given")
        count = np.shape(distances)[0] if np.ndim(distances) == 3 else 1
        return np.zeros((count, np.shape(distances)[-1] - has_depot, 2)), None
    nodes = np.asarray(coords, dtype=float)
    nodes = nodes[None] if nodes.ndim == 2 else nodes
    if nodes.ndim != 3 or nodes.shape[2] != 2:
        raise InputError(f"coords: of shape {np.shape(coords)} instead of (n, 2) or (count, n, 2)")
    if not has_depot:
        if depot is not None:
            raise InputError(f"depot: {problem} has none", "depot")
        return nodes, None
    if depot is None:
        if nodes.shape[1] < 2:
            raise InputError("coords: the first is the depot, and no customer follows it")
        return nodes[:, 1:], nodes[:, 0]
    depots = np.broadcast_to(np.asarray(depot, dtype=float), (len(nodes), 2))
    return nodes, depots


def _column(name: str, value: Any, count: int, n: int) -> np.ndarray:
    """(count, n); a leading zero of the depot is left out."""
    column = np.asarray(value, dtype=float)
    if column.ndim and column.shape[-1] == n + 1 and not column[..., 0].any():
        column = column[..., 1:]
    try:
        return np.ascontiguousarray(np.broadcast_to(column, (count, n)))
    except ValueError:
        raise InputError(f"{name}: of shape {np.shape(value)} instead of ({count}, {n})", name) from None


def _scalars(name: str, value: Any, count: int) -> np.ndarray:
    scalars = np.asarray(value).reshape(-1)
    if scalars.size not in (1, count):
        raise InputError(f"{name}: of shape {np.shape(value)} instead of ({count},)", name)
    return np.broadcast_to(scalars, (count,))


def _matrices(value: Any, count: int, nodes: int) -> np.ndarray:
    matrices = np.asarray(value, dtype=float)
    if matrices.shape not in ((nodes, nodes), (count, nodes, nodes)):
        raise InputError(f"distances: of shape {matrices.shape} instead of ({count}, {nodes}, {nodes})", "distances")
    return np.ascontiguousarray(np.broadcast_to(matrices, (count, nodes, nodes)))


def _word(key: str, value: str) -> int:
    values = _abi.ENUMS["mdam_" + key]
    words = {name[len("MDAM_" + key) + 1:].lower(): number for name, number in values.items()}
    if value not in words:
        raise InputError(f"{key}: {value!r} is not one of {', '.join(words)}", key)
    return words[value]


def instances(problem: str, coords: Any, *, depot: Any = None, name: Optional[str] = None, **columns: Any) -> Instances:
    """Instances from arrays: one from coordinates (n, 2), or a batch from (count, n, 2).

    Without `depot`, the first row of the coordinates is the depot (but for tsp, which has none). Columns have the names of
    JSON: demand, capacity, prize, real_prize, penalty, min_prize, max_length, vehicles, open, start, end; those of customers are (n)
    or (count, n). `coordinates` is "plane" or "lonlat" (degrees). `distances`, (N, N) or (count, N, N) with the depot first, has the
    lengths of all legs; coordinates may then be None.

    >>> import mdam
    >>> batch = mdam.instances("cvrp", [[[0, 0], [1, 0], [0, 1]]] * 2, demand=[3, 5], capacity=8)
    >>> len(batch), batch[1]["depot"], batch[1]["demand"]
    (2, [0, 0], [3, 5])
    """
    nodes, depots = _batch(problem, coords, depot, columns.get("distances"))
    count, n = nodes.shape[:2]
    fields = dict(_abi.mdam_instance_data._fields_)
    arrays: Dict[str, np.ndarray] = {}
    for key, value in columns.items():
        if key not in fields or key in ("size", "n", "x", "y", "depot_x", "depot_y"):
            raise TypeError(f"there is no column {key!r}")
        if value is None:
            continue
        if key == "distances":
            arrays[key] = _matrices(value, count, n + _has_depot(problem))
        elif fields[key] == POINTER(c_double):
            arrays[key] = _column(key, value, count, n)
        elif isinstance(value, str):  # an enum's word
            arrays[key] = np.full(count, _word(key, value))
        else:
            arrays[key] = _scalars(key, value, count)
    slot = c_void_p()
    for i in range(count):
        data = _abi.mdam_instance_data(ctypes.sizeof(_abi.mdam_instance_data), problem.encode(),
                                       name.encode() if name else None, n)
        x, y = np.ascontiguousarray(nodes[i, :, 0]), np.ascontiguousarray(nodes[i, :, 1])
        if coords is not None:
            data.x, data.y = _pointer(x), _pointer(y)
        data.min_prize = 1.0
        if depots is not None:
            data.depot_x, data.depot_y = float(depots[i, 0]), float(depots[i, 1])
        for key, array in arrays.items():
            if fields[key] == POINTER(c_double):
                setattr(data, key, _pointer(array[i]))
            else:
                setattr(data, key, array[i].item())
        if not lib.mdam_instances_add(byref(slot), byref(data)):
            if slot:
                lib.mdam_instances_free(byref(slot))
            check(False)
    return _owned(slot)


def _pointer(array: np.ndarray) -> Any:
    return array.ctypes.data_as(POINTER(c_double))


def read(path: Any, *, limit: Optional[int] = None, **options: Any) -> Instances:
    """Instances of a file: JSON, JSON Lines, .tsp, .atsp, .vrp, .oplib, .csv, .npz, .pkl. `problem` is for files that do not name
    theirs; capacity, vehicles, max_length, min_prize and open are for tables (.csv) that have no such column.

    >>> import mdam, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pathlib.Path(folder) / "orders.csv"
    ...     size = table.write_text("id,lon,lat,demand\\nhub,4.9,45.7,\\na,4.8,45.6,7\\n")
    ...     orders = mdam.read(table, capacity=40, vehicles=5)
    >>> orders[0]["capacity"], orders[0]["vehicles"]
    (40, 5)
    """
    how = options_from(_abi.mdam_read_options, ["MDAM_OPTIONS_READ"], options)
    slot = c_void_p()
    max_count = ctypes.c_size_t(-1).value if limit is None else limit
    check(lib.mdam_instances_read_with(byref(slot), encoded(path), max_count, byref(how)))
    return _owned(slot)


def parse(text: Union[str, bytes, Dict[str, Any], List[Dict[str, Any]]]) -> Instances:
    """Instances of a JSON text, or of a dict or a list of dicts like it."""
    if isinstance(text, list):
        text = "\n".join(json.dumps(one) for one in text)
    elif isinstance(text, dict):
        text = json.dumps(text)
    data, slot = text if isinstance(text, bytes) else text.encode(), c_void_p()
    check(lib.mdam_instances_parse(byref(slot), data, len(data)))
    return _owned(slot)


def generate(problem: str, n: Any, count: int, **options: Any) -> Instances:
    """Random instances, as the paper draws them; `n` is a number or a range (from, to). Options are those of `mdam-vk
    generate`: seed, limit, like ("own" or "kool"), capacity, prize, layout, max_length.

    >>> import mdam
    >>> mdam.generate("op", n=(5, 9), count=4, seed=1).problem(3)
    'op'
    """
    how = options_from(_abi.mdam_generate_options, ["MDAM_OPTIONS_GENERATE"],
                       dict(options, problem=problem, n=n, count=count))
    slot = c_void_p()
    check(lib.mdam_instances_generate(byref(slot), byref(how)))
    return _owned(slot)


def write_instances(path: Any, list_: Instances) -> None:
    check(lib.mdam_instances_write(list_.pointer, encoded(path)))
