#!/usr/bin/env python3
"""Packages of the field read the package's files and answers: registry.py COUNT. COUNT solutions of each problem go to
RL4CO. tests/python/registry.sh makes the environment."""
import json
import shutil
import struct
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import mdam

root = Path(__file__).resolve().parent.parent.parent
count = int(sys.argv.pop(1))
fixtures = root / "tests/format/fixtures"
TINY = {"embedding": 8, "heads": 1, "hidden": 8, "layers": 1, "decoders": 2, "batch": 4, "val_size": 4}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)


class Rl4co(Folder):
    """Its environments accept our solutions of our files, and their rewards are our objectives."""

    def solve(self, problem, environment, capacity=None):
        import torch
        from rl4co.data.utils import load_npz_to_tensordict
        from tensordict import TensorDict
        drawn = mdam.generate(problem, n=20, count=count)
        solved = mdam.solve(drawn, decode="greedy")
        if problem in ("sdvrp", "spctsp"):  # whose files also name the problem
            mdam.write(self.folder / "a.npz", drawn)
            arrays = dict(np.load(self.folder / "a.npz"))
            del arrays["problem"]
            td = TensorDict({key: torch.from_numpy(value) for key, value in arrays.items()}, batch_size=[count])
        else:
            mdam.write(self.folder / "a.npz", drawn)
            td = load_npz_to_tensordict(str(self.folder / "a.npz"))
        td = td.float()
        if capacity:
            self.assertTrue((td["capacity"] == capacity).all())
            environment.generator.vehicle_capacity = capacity
        reset = environment.reset(td, batch_size=[count])
        rows = [[stop - (problem == "tsp") for i, route in enumerate(one.routes) for stop in ([0] if i else []) + route] for one in solved]
        if problem != "tsp":
            longest = max(map(len, rows)) + 1
            rows = [row + [0] * (longest - len(row)) for row in rows]
        rewards = environment.get_reward(reset, torch.tensor(rows), check_solution=True).numpy()
        sign = 1 if problem == "op" else -1
        np.testing.assert_allclose(sign * rewards, [one.objective for one in solved], rtol=2e-5, atol=2e-5)

    def test_tsp(self):
        from rl4co.envs import TSPEnv
        self.solve("tsp", TSPEnv(generator_params={"num_loc": 20}))

    def test_cvrp(self):
        from rl4co.envs import CVRPEnv
        self.solve("cvrp", CVRPEnv(generator_params={"num_loc": 20}), 30.0)

    def test_sdvrp(self):
        from rl4co.envs import SDVRPEnv
        self.solve("sdvrp", SDVRPEnv(generator_params={"num_loc": 20}), 30.0)

    def test_op(self):
        from rl4co.envs import OPEnv
        self.solve("op", OPEnv(generator_params={"num_loc": 20}))

    def test_pctsp(self):
        from rl4co.envs import PCTSPEnv
        self.solve("pctsp", PCTSPEnv(generator_params={"num_loc": 20}))

    def test_spctsp(self):
        from rl4co.envs import SPCTSPEnv
        self.solve("spctsp", SPCTSPEnv(generator_params={"num_loc": 20}))


class Weights(Folder):
    def test_safetensors_opens_every_model(self):
        from safetensors.numpy import load_file
        for path in sorted((root / "models").glob("*.safetensors")):
            tensors = load_file(path)
            self.assertEqual(tensors["embed"].shape, (8, 128), path.name)

    def test_safetensors_refuses_what_we_refuse(self):
        from safetensors import SafetensorError
        from safetensors.numpy import load_file
        path = self.folder / "a.safetensors"
        mdam.init(path, "tsp", embedding=8, heads=1, hidden=8, layers=1, decoders=1)
        data = path.read_bytes()
        length = struct.unpack("<Q", data[:8])[0]
        head = json.loads(data[8:8 + length])

        def with_head(changed):
            text = json.dumps(changed).encode()
            return struct.pack("<Q", len(text)) + text + data[8 + length:]

        beyond, overlap, shape, kind = (json.loads(json.dumps(head)) for _ in range(4))
        beyond["embed"]["data_offsets"][1] += 4 * 10**6
        overlap["embed"]["data_offsets"] = [0, 4]
        shape["embed"]["shape"] = [7, 8]
        kind["embed"]["dtype"] = "F31"
        broken = {"cut": data[:-1], "longer": data + b"0000", "no head": data[:20], "length": b"\xff" * 8 + data[8:], "empty": b"",
                  "beyond": with_head(beyond), "overlap": with_head(overlap), "shape": with_head(shape), "type": with_head(kind)}
        for name, bytes_ in broken.items():
            path.write_bytes(bytes_)
            with self.assertRaises((SafetensorError, Exception), msg=name):
                load_file(path)
            with self.assertRaises(mdam.InputError, msg=name):
                mdam.Model(path)

    def test_torch_loads_exports(self):
        import torch
        from safetensors.torch import load_file
        model = self.folder / "model.safetensors"
        mdam.init(model, "cvrp", decoders=1, glimpse="off")
        mdam.export(model, self.folder / "a.pt", to="am", args=self.folder / "args.json")
        mdam.export(model, self.folder / "b.safetensors", to="am")
        state = torch.load(self.folder / "a.pt", weights_only=True)["model"]
        other = load_file(self.folder / "b.safetensors")
        self.assertEqual(sorted(state), sorted(other))
        self.assertTrue(all(torch.equal(state[name], other[name]) for name in state))
        torch.save({"model": state}, self.folder / "c.pt")
        for name in ("a.pt", "c.pt"):
            mdam.import_checkpoint(self.folder / name, self.folder / f"{name}.safetensors", args=self.folder / "args.json")
        self.assertEqual((self.folder / "a.pt.safetensors").read_bytes(), (self.folder / "c.pt.safetensors").read_bytes())


class Logs(Folder):
    def test_tensorboard_reads_the_log(self):
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        folder = self.folder / "run"
        mdam.train("tsp", 5, folder, epochs=3, epoch_size=16, log_every=1, tensorboard=True, callback=lambda p: p.step < 5, **TINY)
        mdam.train(folder=folder, resume=True)
        reader = EventAccumulator(str(folder), size_guidance={"scalars": 0})
        reader.Reload()
        lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
        tags = {key for line in lines for key, value in line.items() if isinstance(value, (int, float))} - {"step", "seconds"}
        self.assertEqual(set(reader.Tags()["scalars"]), tags)
        for tag in tags:
            expected = [(line["step"], np.float32(line[tag])) for line in lines if isinstance(line.get(tag), (int, float))]
            self.assertEqual([(event.step, np.float32(event.value)) for event in reader.Scalars(tag)], expected, tag)


class Formats(Folder):
    def test_vrplib(self):
        import vrplib
        list_ = mdam.read(fixtures / "E-n22-k4.vrp")
        plan = mdam.solve(list_, decode="greedy")[0]
        mdam.write(self.folder / "a.sol", plan)
        read = vrplib.read_solution(self.folder / "a.sol")
        self.assertEqual(read["routes"], plan.routes)
        self.assertEqual(read["cost"], plan.rounded)
        instance = vrplib.read_instance(fixtures / "E-n22-k4.vrp")
        edges = np.rint(instance["edge_weight"])
        total = sum(edges[a, b] for route in plan.routes for a, b in zip([0, *route], [*route, 0]))
        self.assertEqual(total, plan.rounded)

    def test_tsplib95(self):
        import tsplib95
        list_ = mdam.read(root / "examples/berlin52.tsp")
        tour = mdam.solve(list_, decode="greedy")[0]
        mdam.write(self.folder / "a.tour", tour)
        read = tsplib95.load(self.folder / "a.tour")
        self.assertEqual(read.tours, tour.routes)
        self.assertEqual(tsplib95.load(root / "examples/berlin52.tsp").trace_tours(read.tours), [tour.rounded])


def random_matrix(nodes, seed):
    dice = np.random.default_rng(seed)
    points = dice.integers(0, 1000, (nodes, 2))
    matrix = np.rint(np.linalg.norm(points[:, None] - points[None], axis=2) * dice.uniform(1, 1.5, (nodes, nodes))).astype(int)
    np.fill_diagonal(matrix, 0)
    return points, matrix


class Solvers(Folder):
    """Their costs of our routes, to the unit."""

    def test_pyvrp_coordinates(self):
        import pyvrp
        list_ = mdam.read(fixtures / "E-n22-k4.vrp")
        plan = mdam.solve(list_, decode="greedy")[0]
        data = pyvrp.read(fixtures / "E-n22-k4.vrp", round_func="round")
        self.assertEqual(self.pyvrp_cost(data, plan.routes), plan.rounded)

    def pyvrp_cost(self, data, routes):
        import pyvrp
        try:
            solution = pyvrp.Solution(data, routes)
        except ValueError:  # newer releases count clients from 0
            solution = pyvrp.Solution(data, [[stop - 1 for stop in route] for route in routes])
        self.assertFalse(solution.has_excess_load())
        return solution.distance()

    def matrix_plan(self):
        points, matrix = random_matrix(21, 3)
        demand = np.random.default_rng(4).integers(1, 10, 20)
        plan = mdam.solve("cvrp", points, demand=demand, capacity=30, distances=matrix)
        return matrix, demand, plan

    def test_pyvrp_matrix(self):
        import pyvrp
        matrix, demand, plan = self.matrix_plan()
        rows = "\n".join(" ".join(map(str, row)) for row in matrix)
        demands = "\n".join(f"{i} {one}" for i, one in enumerate([0, *demand], 1))
        (self.folder / "a.vrp").write_text(
            f"NAME : a\nTYPE : CVRP\nDIMENSION : {len(matrix)}\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n"
            f"CAPACITY : 30\nEDGE_WEIGHT_SECTION\n{rows}\nDEMAND_SECTION\n{demands}\nDEPOT_SECTION\n1\n-1\nEOF\n")
        data = pyvrp.read(self.folder / "a.vrp")
        self.assertEqual(self.pyvrp_cost(data, plan.routes), plan.objective)

    def vroom_cost(self, matrix, routes, demand, capacity):
        """A vehicle for each route that may serve no other customers. Its order is VROOM's, so routes are ours only where they are
        as short as it can make them; those of at most eight stops are compared in all orders beforehand."""
        import vroom
        problem = vroom.Input()
        problem.set_durations_matrix("car", matrix.astype(np.uint32))
        for number, route in enumerate(routes):
            problem.add_vehicle(vroom.Vehicle(number + 1, start=0, end=0, capacity=[capacity], skills={number + 1}))
            problem.add_job([vroom.Job(stop, location=stop, delivery=[int(demand[stop - 1])], skills={number + 1}) for stop in route])
        solution = problem.solve(exploration_level=5, nb_threads=1)
        self.assertFalse(solution.unassigned)
        return solution.summary.cost

    def test_pyvroom(self):
        from itertools import permutations
        points, _ = random_matrix(13, 5)
        matrix = np.rint(np.linalg.norm(points[:, None] - points[None], axis=2)).astype(int)
        demand, capacity = np.ones(12, dtype=int), 6
        plan = mdam.solve("cvrp", points, demand=demand, capacity=capacity)

        def cost(route):
            return sum(matrix[a, b] for a, b in zip((0, *route), (*route, 0)))

        best = [list(min(permutations(route), key=cost)) for route in plan.routes]
        self.assertEqual(self.vroom_cost(matrix, best, demand, capacity), sum(map(cost, best)))
        self.assertLessEqual(sum(map(cost, best)), sum(map(cost, plan.routes)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
