#!/usr/bin/env python3
"""The Python package and the command line's files, against NumPy: package.py PROGRAM."""
import doctest
import json
import os
import pickle
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path

import numpy as np

import mdam

root = Path(__file__).resolve().parent.parent.parent
program = sys.argv.pop(1)
PROBLEMS = ["tsp", "cvrp", "sdvrp", "op", "pctsp", "spctsp"]
# A network that trains in a moment.
TINY = {"embedding": 8, "heads": 1, "hidden": 8, "layers": 1, "decoders": 2, "batch": 4, "val_size": 4}


def run(*arguments, status=0):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


def length_of(instance, routes):
    """A second opinion on the length of routes."""
    nodes = np.array(instance["nodes"], dtype=float)
    total = 0.0
    for route in routes:
        points = nodes[np.array(route, dtype=int) - 1]
        if "depot" in instance:
            points = np.vstack([instance["depot"], points, instance["depot"]])
        else:
            points = np.vstack([points, points[:1]])
        total += np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    return total


def objective_of(instance, routes):
    visited = [stop - 1 for route in routes for stop in route]
    if instance["problem"] == "op":
        return np.array(instance["prize"])[visited].sum()
    left_out = set(range(len(instance["nodes"]))) - set(visited)
    return length_of(instance, routes) + sum(instance["penalty"][i] for i in left_out if "penalty" in instance)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)


class Examples(unittest.TestCase):
    def test_docstrings(self):
        for name in ("mdam", "mdam._library", "mdam._instances", "mdam._solving", "mdam._training"):
            failed, attempted = doctest.testmod(sys.modules[name])
            self.assertEqual(failed, 0, name)
            self.assertGreater(attempted, 0, name)

    def test_manual(self):
        """The program in docs/python.md runs."""
        code = (root / "docs/python.md").read_text().split("```python\n")[1].split("```")[0]
        matrix = np.random.default_rng(2).uniform(1, 9, (21, 21))
        np.fill_diagonal(matrix, 0)
        np.random.seed(2)
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(root / "examples/cvrp.json", Path(folder) / "orders.json")
            (Path(folder) / "orders.csv").write_text("id,lon,lat,demand\nhub,4.9,45.7,\na,4.8,45.6,7\nb,4.7,45.6,9\n")
            (Path(folder) / "own").mkdir()
            shutil.copy(root / "models/cvrp.safetensors", Path(folder) / "own/model.safetensors")
            os.chdir(folder)
            try:
                seen = {"matrix": matrix}
                exec(compile(code.replace("time_limit=10", "time_limit=1"), "docs/python.md", "exec"), seen)
                self.assertTrue(seen["roads"].feasible and len(seen["roads"].routes) <= 5)
                self.assertEqual(len(mdam.read("orders.json")), 1)
                self.assertTrue(Path("routes.json").exists())
            finally:
                os.chdir(here)

    def test_every_function_is_bound(self):
        from mdam import _abi
        header = (root / "include/mdam/mdam.h").read_text()
        self.assertEqual(header.count("\nMDAM_API "), len(_abi.FUNCTIONS))


class Solving(Folder):
    def test_every_problem(self):
        """Objectives are those of an independent sum; a batch of arrays gives what the list gives."""
        for problem in PROBLEMS:
            drawn = mdam.generate(problem, n=10, count=3, seed=7)
            columns = drawn.arrays()
            nodes = columns.pop("nodes")
            solved = mdam.solve(problem, nodes, decode="greedy", **columns)
            again = mdam.solve(drawn, decode="greedy")
            self.assertEqual([one.routes for one in solved], [one.routes for one in again])
            for one, instance in zip(solved, drawn):
                self.assertTrue(one.feasible)
                self.assertAlmostEqual(one.objective, objective_of(instance, one.routes), 9)
                self.assertEqual((one.decode, one.problem), ("greedy", problem))
            verdicts = mdam.validate(drawn, solved)
            self.assertEqual([one.feasible for one in verdicts], [True] * 3)
            np.testing.assert_allclose([one.objective for one in verdicts], [one.objective for one in solved], rtol=1e-12)

    def test_depot_first(self):
        separate = mdam.solve("cvrp", [[1, 0], [0, 1]], depot=[0, 0], demand=[1, 2], capacity=2, decode="greedy")
        first = mdam.solve("cvrp", [[0, 0], [1, 0], [0, 1]], demand=[0, 1, 2], capacity=2, decode="greedy")
        self.assertEqual(separate.routes, first.routes)
        self.assertAlmostEqual(separate.objective, 4)

    def test_real_world(self):
        """Matrices, with and without coordinates; degrees; open routes and few vehicles."""
        dice = np.random.default_rng(3)
        points = dice.random((8, 2))
        matrix = np.linalg.norm(points[:, None] - points[None], axis=2)
        plain = mdam.solve("cvrp", points, demand=np.ones(7), capacity=3, decode="greedy")
        both = mdam.solve("cvrp", points, demand=np.ones(7), capacity=3, distances=matrix, decode="greedy")
        self.assertAlmostEqual(plain.objective, both.objective, 6)
        one_way = matrix * dice.uniform(1, 2, matrix.shape)
        alone = mdam.solve("cvrp", None, demand=np.ones(7), capacity=3, vehicles=3, distances=one_way)
        total = sum(one_way[a, b] for route in alone.routes for a, b in zip([0, *route], [*route, 0]))
        self.assertAlmostEqual(alone.objective, total, 9)
        self.assertEqual(len(alone.routes), 3)
        self.assertLess(mdam.solve("cvrp", points, demand=np.ones(7), capacity=3, open=True).objective, plain.objective)
        degrees = mdam.instances("tsp", [[2.35, 48.86], [4.83, 45.76]], coordinates="lonlat")
        self.assertAlmostEqual(mdam.validate(degrees, [[[1, 2]]])[0].objective, 2 * 391.5, -1)

    def test_shown(self):
        one = mdam.solve("tsp", np.random.default_rng(1).random((9, 2)), decode="greedy")
        self.assertIn("</svg>", one._repr_svg_())
        self.assertIn("</svg>", mdam.generate("cvrp", n=5, count=1)._repr_svg_())
        self.assertEqual(one.json()["routes"], one.routes)
        self.assertEqual(repr(mdam.generate("cvrp", n=5, count=3)), "<mdam.Instances 3 of cvrp>")

    def test_maps(self):
        points = [[2.35, 48.86], [4.83, 45.76], [5.37, 43.3]]
        for degrees in (True, False):
            list_ = mdam.instances("tsp", points, coordinates="lonlat" if degrees else "plane")
            tour = mdam.validate(list_, [[[1, 2, 3]]])[0]
            for ending in (".geojson", ".gpx"):
                path = self.folder / ("map" + ending)
                if degrees:
                    mdam.write(path, tour)
                    self.assertIn("4.83", path.read_text())
                    path.unlink()
                else:
                    with self.assertRaisesRegex(mdam.InputError, "maps need coordinates"):
                        mdam.write(path, tour)
                    self.assertFalse(path.exists())
        with self.assertRaisesRegex(mdam.InputError, "neither"):
            list_.text(0, "sol")
        with self.assertRaisesRegex(TypeError, "have numbers"):
            list_[0:1]

    def test_written(self):
        berlin = mdam.read(root / "examples/berlin52.tsp")
        tour = mdam.improve(berlin, [[list(range(1, 53))]])[0]
        self.assertIsNotNone(tour.rounded)
        for ending in ("tour", "json", "svg", "txt"):
            mdam.write(self.folder / f"a.{ending}", tour)
        back = mdam.read_solutions(self.folder / "a.tour", berlin)[0]
        self.assertEqual(back.rounded, tour.rounded)
        with self.assertRaises(mdam.InputError):
            mdam.write(self.folder / "a.xlsx", tour)

    def test_refusals(self):
        for call, kind, field in (
                (lambda: mdam.solve("cvrp", [[0, 0], [1, 1]], demand=[9], capacity=5), "input", None),
                (lambda: mdam.solve("tsp", [[0, 0], [1, 1]], beam=10**6), "input", "beam"),
                (lambda: mdam.solve("tsp", [[0, 0], [1, 1]], decode="dance"), "input", "decode"),
                (lambda: mdam.solve("vrptw", [[0, 0], [1, 1]]), "input", "problem"),
                (lambda: mdam.solve("examples/tsp.json"), "input", "problem"),
                (lambda: mdam.solve("tsp", [0, 1, 2]), "input", None),
                (lambda: mdam.solve("cvrp", np.ones((3, 2, 2)), demand=[1], capacity=[5, 6]), "input", "capacity"),
                (lambda: mdam.solve("cvrp", [[0, 0], [1, 1]], demand=[1, 2, 3], capacity=5), "input", "demand"),
                (lambda: mdam.read(self.folder / "absent.json"), "input", None),
                (lambda: mdam.Model(self.folder / "absent.safetensors"), "input", None)):
            with self.assertRaises(mdam.Error) as caught:
                call()
            self.assertEqual((caught.exception.kind, caught.exception.field), (kind, field), str(caught.exception))
        with self.assertRaises(TypeError):
            mdam.solve("tsp", [[0, 0], [1, 1]], bream=3)
        square = mdam.instances("tsp", [[0, 0], [0, 1], [1, 1], [1, 0]])
        for call in (lambda: mdam.solve(square[0]), lambda: mdam.evaluate("tsp", square[0]),
                     lambda: mdam.validate(square[0], [[[1, 2, 3, 4]]]), lambda: mdam.improve([square], [[[1, 2, 3, 4]]])):
            with self.assertRaisesRegex(TypeError, "instances are needed"):
                call()
        self.assertEqual(mdam.parse(json.dumps(square[0]).encode())[0], square[0])

    def test_any_locale(self):
        """Files are UTF-8, whatever Python's own files are."""
        path = self.folder / "named.json"
        code = """
import sys, mdam
list_ = mdam.parse({"problem": "tsp", "nodes": [[0, 0], [1, 1]], "ids": ["Z\\u00fcrich", "\\u6771\\u4eac"]})
mdam.write(sys.argv[1], mdam.validate(list_, [{"routes": [["Z\\u00fcrich", "\\u6771\\u4eac"]]}]))
"""
        subprocess.run([sys.executable, "-X", "utf8=0", "-c", code, path], check=True,
                       env=dict(os.environ, LC_ALL="C", PYTHONCOERCECLOCALE="0"))
        self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["routes"], [["Z\u00fcrich", "\u6771\u4eac"]])

    def test_other_threads_go_on(self):
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.01)

        thread = threading.Thread(target=tick)
        thread.start()
        begun = time.monotonic()
        mdam.improve(mdam.generate("tsp", n=50, count=1), [[list(range(1, 51))]], time_limit=0.5)
        spent = time.monotonic() - begun
        done.set()
        thread.join()
        self.assertGreater(len(ticks), spent / 0.01 / 10)

    def test_ctrl_c(self):
        self.interrupt("mdam.improve(drawn, [[list(range(1, 61))]], time_limit=60)")
        self.interrupt("mdam.solve(drawn, time_limit=60)")

    def interrupt(self, call):
        code = ("import mdam\n"
                "drawn = mdam.generate('tsp', n=60, count=1)\n"
                "print('ready', flush=True)\n"
                "try:\n"
                f"    {call}\n"
                "except KeyboardInterrupt:\n"
                "    print('interrupted')\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        time.sleep(0.5)
        begun = time.monotonic()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate()[0], "interrupted\n")
        self.assertLess(time.monotonic() - begun, 20)

    def test_callbacks(self):
        drawn = mdam.generate("tsp", n=6, count=3)
        seen = []
        mdam.solve(drawn, decode="greedy", progress=lambda done, count: seen.append((done, count)))
        self.assertEqual((seen[0], seen[-1]), ((0, 3), (3, 3)))
        with self.assertRaises(ZeroDivisionError):
            mdam.solve(drawn, decode="greedy", progress=lambda done, count: 1 / 0)

    def test_evaluate(self):
        drawn = mdam.generate("op", n=10, count=5)
        best = [one.objective for one in mdam.solve(drawn)]
        result = mdam.evaluate("op", drawn, decode="greedy", reference=best)
        np.testing.assert_allclose(result.gaps, 100 * (np.array(best) - result.objectives) / best)
        self.assertAlmostEqual(result.gap, result.gaps.mean())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            zero = mdam.evaluate("op", drawn, decode="greedy", reference=[0, *best[1:]])
            none = mdam.evaluate("op", drawn, decode="greedy", reference=[0] * len(best))
        self.assertTrue(np.isnan(zero.gaps[0]))
        self.assertAlmostEqual(zero.gap, result.gaps[1:].mean())
        self.assertIsNone(none.gap)


class Library(Folder):
    def test_another_library_is_refused(self):
        package = Path(mdam.__file__).parent
        for change in (("\"MDAM_DECODE_GREEDY\": 1", "\"MDAM_DECODE_GREEDY\": 7"), ("(\"beam\", c_uint32)", "(\"beam\", c_uint64)")):
            copy = self.folder / "mdam"
            shutil.copytree(package, copy, ignore=shutil.ignore_patterns("*.p", "__pycache__", "_mdam.so"))
            (copy / "_mdam.so").symlink_to(package / "_mdam.so")
            text = (copy / "_abi.py").read_text()
            self.assertIn(change[0], text)
            (copy / "_abi.py").write_text(text.replace(*change))
            done = subprocess.run([sys.executable, "-c", "import mdam"], capture_output=True, text=True,
                                  env=dict(os.environ, PYTHONPATH=str(self.folder)))
            self.assertIn("is not the one that this package was made for", done.stderr)
            self.assertIn("mdam_sol" if "beam" in change[0] else "MDAM_DECODE_GREEDY is 1, not 7", done.stderr)
            shutil.rmtree(copy)

    def test_without_a_driver(self):
        """The package works; a device is refused with a sentence."""
        code = ("import mdam\n"
                "print(len(mdam.generate('tsp', n=5, count=2)))\n"
                "try:\n"
                "    mdam.Device()\n"
                "except mdam.DeviceError as error:\n"
                "    print(error.kind)\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env=dict(os.environ, VK_DRIVER_FILES="/nonexistent", VK_ICD_FILENAMES="/nonexistent"))
        self.assertEqual(done.stdout, "2\ndevice\n", done.stderr)


class Files(Folder):
    def test_numpy_reads_ours(self):
        for problem in PROBLEMS:
            npz, pkl = self.folder / f"{problem}.npz", self.folder / f"{problem}.pkl"
            for path in (npz, pkl):
                run("generate", "--problem", problem, "-n", 7, "--count", 4, "-o", path)
            ours = mdam.generate(problem, n=7, count=4).arrays()
            names = {"nodes": "locs"}
            if problem in ("pctsp", "spctsp"):
                names.update(prize="deterministic_prize", real_prize="stochastic_prize")
            arrays = np.load(npz)
            for key, values in ours.items():
                np.testing.assert_array_equal(arrays[names.get(key, key)], values, problem)
            self.assertEqual("problem" in arrays, problem in ("sdvrp", "spctsp"))
            rows = pickle.loads(pkl.read_bytes())
            self.assertEqual(len(rows), 4)
            np.testing.assert_array_equal([row if problem == "tsp" else row[1] for row in rows], ours["nodes"])

    def test_ours_reads_numpy(self):
        """Stored and compressed, other types and orders; a problem that the file does not name is the model's."""
        for problem in PROBLEMS:
            drawn = mdam.generate(problem, n=7, count=4)
            ours = drawn.arrays()
            ours["locs"] = ours.pop("nodes")
            fortran = {key: np.asfortranarray(value) for key, value in ours.items()}
            np.savez(self.folder / "a.npz", **ours)
            np.savez_compressed(self.folder / "b.npz", **fortran)
            for name in ("a.npz", "b.npz"):
                back = mdam.read(self.folder / name, problem=problem)
                self.assertEqual(list(back), list(drawn))
            single = {key: value.astype(np.float32) for key, value in ours.items()}
            np.savez(self.folder / "c.npz", **single)
            back = mdam.read(self.folder / "c.npz", problem=problem).arrays()
            np.testing.assert_array_equal(back["nodes"], single["locs"].astype(float))
            mdam.write(self.folder / "d.pkl", drawn)
            again = pickle.dumps(pickle.loads((self.folder / "d.pkl").read_bytes()), pickle.HIGHEST_PROTOCOL)
            (self.folder / "e.pkl").write_bytes(again)
            self.assertEqual(list(mdam.read(self.folder / "e.pkl", problem=problem)), list(drawn))

    def test_the_model_names_the_problem(self):
        path = self.folder / "vrp.pkl"
        mdam.write(path, mdam.generate("sdvrp", n=6, count=2))
        done = run("eval", "-m", root / "models/sdvrp.safetensors", "--data", path, "--decode", "greedy")
        self.assertEqual(json.loads(done.stdout)["problem"], "sdvrp")
        done = run("solve", path, "--decode", "greedy", "--improve", "off")
        self.assertEqual(json.loads(done.stdout.splitlines()[0])["problem"], "cvrp")

    def test_nothing_is_executed(self):
        class Evil:
            def __reduce__(self):
                return os.system, (f"touch {self.folder}/evil",)
        evil = Evil()
        evil.folder = self.folder
        (self.folder / "evil.pkl").write_bytes(pickle.dumps([evil]))
        with self.assertRaises(mdam.InputError):
            mdam.read(self.folder / "evil.pkl")
        self.assertFalse((self.folder / "evil").exists())

    def test_export(self):
        """Names and shapes of the released program; a round trip through both kinds of files is the same model."""
        model = self.folder / "model.safetensors"
        run("init", "--problem", "cvrp", "--decoders", 1, "--eg-period", "off", "--embedding", 16, "--heads", 2, "--hidden", 16, "-o",
            model)
        for name in ("a.pt", "a.safetensors"):
            done = run("export", model, "--to", "am", "-o", self.folder / name, "--args", self.folder / "args.json")
            self.assertEqual(done.stderr, "")
            run("import", self.folder / name, "--args", self.folder / "args.json", "-o", self.folder / f"{name}.model.safetensors")
        self.assertEqual((self.folder / "a.pt.model.safetensors").read_bytes(),
                         (self.folder / "a.safetensors.model.safetensors").read_bytes())
        data = (self.folder / "a.safetensors").read_bytes()
        head = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
        self.assertEqual(head["init_embed.weight"]["shape"], [16, 3])
        self.assertEqual(head["embedder.layers.0.0.module.W_query"]["shape"], [2, 16, 8])
        run("init", "--problem", "cvrp", "--eg-period", 8, "--embedding", 16, "--heads", 2, "--hidden", 16, "-o", model)
        run("export", model, "--to", "am", "-o", self.folder / "b.pt", status=2)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mdam.export(model, self.folder / "b.pt")
        self.assertIn("another glimpse", str(caught[0].message))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 & -(crc & 1))
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def fields_of(message):
    """The fields of a protocol buffer: (number, value)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        size = {0: None, 1: 8, 5: 4}.get(key & 7, -1)
        if size is None:
            yield key >> 3, varint()
            continue
        size = varint() if size < 0 else size
        yield key >> 3, message[at:at + size]
        at += size


def events_of(path):
    """(step, tag, number) of every scalar of an event file."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        size, head = struct.unpack_from("<QI", data, at)
        record = data[at + 12:at + 12 + size]
        assert crc32c(data[at:at + 8]) == head and crc32c(record) == struct.unpack_from("<I", data, at + 12 + size)[0]
        event = dict(fields_of(record))
        for _, value in fields_of(event.get(5, b"")):
            scalar = dict(fields_of(value))
            yield event.get(2, 0), scalar[1].decode(), struct.unpack("<f", scalar[2])[0]
        at += 16 + size


class Training(Folder):
    def test_tensorboard(self):
        """The events are the log's numbers, after a kill and a resumption, too."""
        folder = self.folder / "run"
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()]
        child = subprocess.Popen([program, "train", "--problem", "tsp", "-n", "5", "-o", folder, "--tensorboard", "--log-every", "1",
                                  "--epochs", "200", "--epoch-size", "8", "--quiet", *flags])
        log = folder / "log.jsonl"
        end = time.monotonic() + 120
        while (not log.exists() or log.read_text().count("\n") < 12) and time.monotonic() < end:
            time.sleep(0.02)
        child.kill()
        child.wait()
        run("train", "--resume", folder, "--epochs", "200", "--time-limit", "1", "--quiet")
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        expected = [(line["step"], key, float(np.float32(value))) for line in lines for key, value in line.items()
                    if key not in ("step", "seconds") and isinstance(value, (int, float))]
        self.assertEqual(list(events_of(folder / "events.out.tfevents.mdam-vk")), expected)
        self.assertGreater(len(lines), 5)

    def test_callback(self):
        folder = self.folder / "run"
        end = mdam.train("tsp", 5, folder, epochs=2, epoch_size=8, callback=lambda p: p.step < 1, **TINY)
        self.assertEqual(end.step, 1)
        end = mdam.train(folder=folder, resume=True)
        self.assertEqual((end.step, end.epoch), (4, 2))
        self.assertEqual(mdam.Model(end.model).problem, "tsp")

    def test_data(self):
        """A training on a file goes through its instances, and goes on with the same bytes, unless the file has changed."""
        path = self.folder / "data.npz"
        mdam.write(path, mdam.generate("cvrp", n=6, count=15))
        ends = [mdam.train("cvrp", folder=self.folder / name, data=path, epochs=epochs, **TINY)
                for name, epochs in (("whole", 2), ("half", 1))]
        self.assertEqual([end.step for end in ends], [8, 4])
        end = mdam.train(folder=self.folder / "half", resume=True, epochs=2)
        self.assertEqual(Path(end.model).read_bytes(), Path(ends[0].model).read_bytes())
        mdam.write(path, mdam.generate("cvrp", n=6, count=15, seed=5))
        with self.assertRaisesRegex(mdam.InputError, "not the instances"):
            mdam.train(folder=self.folder / "half", resume=True, epochs=3)
        with self.assertRaises(mdam.InputError):
            mdam.train("cvrp", 6, self.folder / "other", data=path)

    def test_data_variants(self):
        """Open routes, paths, matrices and degrees are trained on, and improved samples of them: the cost of the validation is that
        of the answers."""
        points = np.random.default_rng(3).random((12, 6, 2))
        points[:, 0], points[:, 1] = 0, 1  # the unit square, so lengths are not scaled
        matrix = 3 * np.linalg.norm(points[:, :, None] - points[:, None], axis=3)
        variants = {"open": ({"open": True}, 1), "path": ({"start": 1, "end": 2}, 1), "matrix": ({"distances": matrix}, 3),
                    "closed": ({}, 1), "degrees": ({"coordinates": "lonlat"}, None)}
        costs = {}
        for name, (columns, unit) in variants.items():
            taught = "prefix" if name == "matrix" else "sample"
            drawn = mdam.instances("tsp", points, **columns)
            path = self.folder / f"{name}.jsonl"
            mdam.write(path, drawn)
            end = mdam.train("tsp", folder=self.folder / name, data=path, epochs=1, imitate=0.5, imitate_from=taught, **TINY)
            lines = [json.loads(line) for line in (self.folder / name / "log.jsonl").read_text().splitlines()]
            costs[name] = min(line["val_cost"] for line in lines if "val_cost" in line)
            for line in lines:
                if "cost" in line:
                    self.assertEqual(line["skipped"], 0)
                    self.assertLess(line["improved"], line["cost"] + 1e-6)
            held = mdam.parse(drawn[9])
            found = mdam.evaluate(end.model, held, decode="greedy").objective
            if unit:
                self.assertAlmostEqual(found / unit, costs[name], 4, name)
            self.assertEqual(end.step, 3)
        self.assertAlmostEqual(costs["matrix"], costs["closed"], 4)
        self.assertLess(costs["path"], costs["closed"])
        with self.assertRaisesRegex(mdam.InputError, "vehicles"):
            path = self.folder / "fleet.jsonl"
            mdam.write(path, mdam.instances("cvrp", points, demand=1, capacity=5, vehicles=2))
            mdam.train("cvrp", folder=self.folder / "fleet", data=path, epochs=1, **TINY)

    def test_refused(self):
        with self.assertRaises(KeyError):
            mdam.train("tsp", 5, self.folder / "other", epochs=1, epoch_size=8, callback=lambda p: {}[p.step], **TINY)
        with self.assertRaises(mdam.InputError) as caught:
            mdam.train("tsp", 5, self.folder / "third", lr=-1)
        self.assertEqual(caught.exception.field, "lr")


if __name__ == "__main__":
    unittest.main(verbosity=2)
