"""Learned solutions of routing problems through Vulkan.

>>> import mdam
>>> tour = mdam.solve("tsp", [[0, 0], [0, 3], [4, 3], [4, 0]])
>>> round(tour.objective, 6)
14.0
"""
from ._library import DeviceError, Error, InputError, InternalError, version as __version__
from ._instances import Instances, generate, instances, parse, problems, read
from ._solving import (Device, Evaluation, Model, Solution, devices, evaluate, improve, read_solutions, solve, validate, write)
from ._training import Progress, export, import_checkpoint, init, train

__all__ = ["Device", "DeviceError", "Error", "Evaluation", "InputError", "Instances", "InternalError", "Model", "Progress",
           "Solution", "devices", "evaluate", "export", "generate", "import_checkpoint", "improve", "init", "instances", "parse",
           "problems", "read", "read_solutions", "solve", "train", "validate", "write", "__version__"]
