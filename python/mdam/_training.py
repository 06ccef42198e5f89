"""Training, and models of other programs."""
import os
import warnings as _warnings
from ctypes import POINTER, byref
from dataclasses import dataclass
from typing import Any, Callable, List, Optional

from . import _abi
from ._library import Interruptible, check, encoded, fail, lib, lock, options_from
from ._solving import Device, _default_device

_EVENTS = {value: key.rsplit("_", 1)[1].lower() for key, value in _abi.ENUMS["mdam_train_event"].items()}


@dataclass
class Progress:
    """How far a training has come. Costs are minimised: of op they are negative."""

    event: str  # "begins", "step", "evaluates" or "validated"
    epoch: int
    epochs: int
    step: int
    steps: int
    instances: int
    cost: float
    baseline: float
    kl: float
    lr: float
    skipped: int
    validation: Optional[float]
    best: Optional[float]
    per_second: float
    seconds: float
    folder: str

    @property
    def model(self) -> str:
        """The path of the best model so far."""
        return os.path.join(self.folder, "model.safetensors")


def _progress(p: Any, folder: str) -> Progress:
    return Progress(_EVENTS[p.event], p.epoch, p.epochs, p.step, p.steps, p.instances, p.cost, p.baseline, p.kl, p.lr, p.skipped,
                    p.validation if p.has_validation else None, p.best if p.has_validation else None, p.per_second, p.seconds,
                    folder)


def train(problem: Optional[str] = None, n: Any = None, folder: Any = None, *, resume: bool = False,
          device: Optional[Device] = None, callback: Optional[Callable[[Progress], Any]] = None, **options: Any) -> Progress:
    """Trains a model in a folder, or goes on with the training there (`resume`). Options are those of `mdam-vk train`, by
    the names of mdam.h: epochs, epoch_size, batch, rollouts, baseline, lr, val_size, time_limit, tensorboard, ..
    With `data`, a file of instances, it trains on these.

    `callback(progress)` is called at every step and validation; it may return False to end with a checkpoint, which Ctrl-C
    does, too. Remarks of the library become warnings.

    >>> import mdam, tempfile
    >>> seen = []
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     end = mdam.train("tsp", 5, folder + "/run", callback=lambda p: seen.append(p.event), epochs=1, epoch_size=8, batch=4,
    ...                      val_size=4, embedding=8, heads=1, hidden=8, layers=1, decoders=2)
    >>> end.step, seen.count("step"), "validated" in seen
    (2, 2, True)
    """
    if folder is None or (not resume and (problem is None or (n is None and options.get("data") is None))):
        raise TypeError("train needs problem, n (or data) and folder, or folder and resume=True")
    given = dict(options) if resume else dict(options, problem=problem, n=n)
    how = options_from(_abi.mdam_train_options, ["MDAM_OPTIONS_TRAIN", "MDAM_OPTIONS_TRAIN_RUN"], given)
    path, guard, types, notes = os.fspath(folder), Interruptible(), dict(how._fields_), []  # type: Any

    def step(_user: Any, p: Any) -> bool:
        return callback is None or callback(_progress(p[0], path)) is not False

    def note(_user: Any, sentence: bytes) -> None:
        notes.append(sentence.decode(errors="replace"))

    how.progress = types["progress"](guard(step, False))
    how.note = types["note"](guard(note, None))
    last = _abi.mdam_train_progress()
    with lock:
        run = lib.mdam_train_resume if resume else lib.mdam_train
        pointer = (device or _default_device()).pointer
        with guard:
            ok = run(pointer, encoded(path), byref(how), byref(last))
    for sentence in notes:
        _warnings.warn(sentence, stacklevel=2)
    guard.reraise()
    if not ok:
        fail()
    return _progress(last, path)


def _noting(function: Any, *arguments: Any) -> None:
    notes: List[str] = []
    kind = next(one for one in function.argtypes if getattr(one, "_restype_", 0) is None)
    note = kind(lambda _user, sentence: notes.append(sentence.decode(errors="replace")))
    check(function(*arguments, note, None))
    for sentence in notes:
        _warnings.warn(sentence, stacklevel=3)


def export(model: Any, output: Any, *, to: str = "mdam", args: Any = None) -> None:
    """Writes a model file under the names of the released programs, "mdam" or "am"; `output` ends with .pt or .safetensors."""
    values = {key.rsplit("_", 1)[1].lower(): value for key, value in _abi.ENUMS["mdam_release"].items()}
    if to not in values:
        raise ValueError(f"to: {to!r} is not one of {', '.join(values)}")
    _noting(lib.mdam_export, encoded(output), encoded(model), values[to], encoded(args) if args else None)


def import_checkpoint(checkpoint: Any, output: Any, *, args: Any = None) -> None:
    """Writes a checkpoint of the released programs as a model; `args` is the args.json beside it."""
    _noting(lib.mdam_import, encoded(output), encoded(checkpoint), encoded(args) if args else None)


def init(output: Any, problem: str, **options: Any) -> None:
    """Writes a model with untrained weights. Options are those of `mdam-vk init`, by the names of mdam.h."""
    how = options_from(_abi.mdam_init_options, ["MDAM_OPTIONS_INIT"], dict(options, problem=problem))
    check(lib.mdam_init(encoded(output), byref(how)))
