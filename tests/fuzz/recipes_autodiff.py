"""Good calls of the public names of `autodiff`."""

import inspect
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
from attrs import frozen

import autodiff
from autodiff import Circuit, Module, Parameter, SparseAdjoint, arrays, check_gradients, modules, optimizers, sparse
from autodiff import files as array_files
from autodiff.click_options import add_options, given_options
from autodiff.named import Named, setting
from autodiff.optimizers.rate_history import RateHistory
from autodiff.options import Choice, OptionSet
from autodiff.settings import settings_from
from autodiff.validators import one_of, plain, whole
from fuzz.recipe import Case, exempt, recipe

exempt(
    "a record of what happened, made by the package",
    "autodiff.Adjoints",
    "autodiff.GradientReport",
    "autodiff.Place",
    "autodiff.Wire",
    "autodiff.optimizers.LBFGSResult",
    "autodiff.optimizers.LearningRateChoice",
    "autodiff.optimizers.LearningRateTrial",
)
exempt("a name and nothing to get wrong in it but the file system, which tests/autodiff/test_replacing.py has",
       "autodiff.files.naming", "autodiff.files.replacing", "autodiff.files.why_not_writable")  # fmt: skip
exempt("fuzzed together with save_state", "autodiff.optimizers.load_state")


# Modules: their own examples


def _ones_like(output: Any) -> list[Any]:
    outputs = output if isinstance(output, tuple) else (output,)
    return [np.ones(np.shape(value)) for value in outputs]


def _run(module: Module, inputs: list[Any]) -> Any:
    output, backward = module.forward(*inputs)
    adjoints = backward(*_ones_like(output))
    if isinstance(module, modules.Power):  # an exponent of integers has no adjoint
        adjoints = adjoints[:1]
    return output, [each.dense() if isinstance(each, SparseAdjoint) else each for each in adjoints]


def _cases_of(kind: type[Module]) -> Callable[[], Iterator[Case]]:
    def cases() -> Iterator[Case]:
        for number, (module, inputs) in enumerate(kind.examples(np.random.default_rng(0))):
            if number < 4:
                arguments = [np.asarray(value) if isinstance(value, list) else value for value in inputs]
                yield Case(lambda inputs, module=module: _run(module, inputs), inputs=arguments)

    return cases


for _name, _kind in inspect.getmembers(modules, inspect.isclass):
    if _name in modules.__all__:
        recipe(f"autodiff.modules.{_name}")(_cases_of(_kind))


# Circuits and what they are made of


@recipe("autodiff.Circuit")
def circuit() -> Iterable[Case]:
    def run(x: Any, weights: Any, constant: Any, adjoint: Any) -> Any:
        made = Circuit()
        product = made.add(modules.MatMul(), made.input("x"), made.parameter("weights", weights))
        made.output(made.add(modules.Add(), product, made.constant(constant)))
        output, backward = made.forward(x)
        adjoints = backward(adjoint)
        return output, tuple(adjoints), adjoints.gradients

    yield Case(
        run, x=np.arange(6.0).reshape(2, 3), weights=np.arange(12.0).reshape(3, 4), constant=np.ones(4),
        adjoint=np.arange(8.0).reshape(2, 4),
    )  # fmt: skip


@recipe("autodiff.Parameter")
def parameter() -> Iterable[Case]:
    yield Case(lambda value: Parameter("weights", value).value, value=np.arange(6.0).reshape(2, 3))


@recipe("autodiff.SparseAdjoint")
def sparse_adjoint() -> Iterable[Case]:
    def use(indices: Any, values: Any, shape: Any, other: Any) -> Any:
        adjoint = SparseAdjoint(indices, values, shape)
        both = adjoint + adjoint
        assert isinstance(both, SparseAdjoint)
        return adjoint.dense(), both.coalesced().dense(), adjoint + other

    yield Case(
        use, indices=np.array([3, 0, 3]), values=np.arange(6.0).reshape(3, 2), shape=(4, 2), other=np.ones((4, 2)),
        _words={"other": ("add",)},
    )  # fmt: skip


@recipe("autodiff.check_gradients")
def check() -> Iterable[Case]:
    def use(x: Any, weights: Any, tolerance: float, step: float, seed: int, max_full: int) -> Any:
        options = {"tolerance": tolerance, "step": step, "seed": seed, "max_full": max_full}
        report = check_gradients(modules.MatMul(), x, weights, **options)  # type: ignore[arg-type]
        return report.passed

    yield Case(
        use, x=np.arange(6.0).reshape(2, 3), weights=np.arange(6.0).reshape(3, 2), tolerance=1e-6, step=1e-4, seed=0,
        max_full=100,
    )  # fmt: skip


@recipe("autodiff.unbroadcast")
def unbroadcast() -> Iterable[Case]:
    yield Case(autodiff.unbroadcast, adjoint=np.arange(6.0).reshape(2, 3), shape=(2, 1))


@recipe("autodiff.arrays.as_floats")
def as_floats() -> Iterable[Case]:
    yield Case(arrays.as_floats, values=np.arange(6.0).reshape(2, 3))


@recipe("autodiff.arrays.as_indices")
def as_indices() -> Iterable[Case]:
    yield Case(arrays.as_indices, indices=np.array([[0, 2], [1, 1]]), limit=3, owner="Gather", _keep=("limit",))


@recipe("autodiff.arrays.as_integers")
def as_integers() -> Iterable[Case]:
    yield Case(arrays.as_integers, values=np.array([[0, 2], [1, 1]]))


@recipe("autodiff.arrays.as_count")
def as_count() -> Iterable[Case]:
    yield Case(lambda value: arrays.as_count(value, "size"), value=3)


@recipe("autodiff.arrays.as_generator")
def as_generator() -> Iterable[Case]:
    yield Case(lambda seed: arrays.as_generator(seed).random(), seed=3)


@recipe("autodiff.arrays.check_broadcast")
def check_broadcast() -> Iterable[Case]:
    def use(left: Any, right: Any) -> Any:
        return arrays.check_broadcast("Add", arrays.as_floats(left), arrays.as_floats(right))

    yield Case(use, left=np.ones((2, 3)), right=np.ones(3))


@recipe("autodiff.arrays.safe_product")
def safe_product() -> Iterable[Case]:
    yield Case(arrays.safe_product, adjoint=np.arange(6.0).reshape(2, 3), partial=np.ones((2, 3)))


@recipe("autodiff.sparse.sum_rows")
def sum_rows() -> Iterable[Case]:
    yield Case(sparse.sum_rows, indices=np.array([1, 1, 0]), values=np.arange(6.0).reshape(3, 2), rows=3)


# Optimisers


def _step(optimizer: optimizers.Optimizer, weights: Any, dense: Any, indices: Any, values: Any, rows: Any) -> Any:
    parameters = {"weights": weights}
    optimizer.step(parameters, {"weights": dense})
    optimizer.step(parameters, {"weights": SparseAdjoint(indices, values, (4, 2))})
    optimizer.catch_up(parameters, "weights", rows)
    optimizer.step(parameters, {"weights": None})
    optimizer.finish(parameters)
    return weights, optimizer.steps


def _optimizer_case(make: Callable[..., optimizers.Optimizer], **settings: Any) -> Case:
    def use(weights: Any, dense: Any, indices: Any, values: Any, rows: Any, **settings: Any) -> Any:
        return _step(make(**settings), weights, dense, indices, values, rows)

    return Case(
        use, weights=np.arange(8.0).reshape(4, 2) / 8, dense=np.ones((4, 2)), indices=np.array([3, 0, 3]),
        values=np.arange(6.0).reshape(3, 2), rows=np.array([2, 2, 1]), **settings, _changes=("weights",),
    )  # fmt: skip


@recipe("autodiff.optimizers.SGD")
def sgd() -> Iterable[Case]:
    yield _optimizer_case(optimizers.SGD, learning_rate=0.1, l2=0.1, l1=0.01)

    def with_momentum(weights: Any, dense: Any, momentum: float) -> Any:
        optimizer = optimizers.SGD(0.1, momentum=momentum)
        for _ in range(2):
            optimizer.step({"weights": weights}, {"weights": dense})
        return weights

    yield Case(with_momentum, weights=np.ones((4, 2)), dense=np.ones((4, 2)), momentum=0.5, _changes=("weights",))


@recipe("autodiff.optimizers.AdaGrad")
def adagrad() -> Iterable[Case]:
    yield _optimizer_case(optimizers.AdaGrad, learning_rate=0.1, l2=0.1, l1=0.01, delta=0.5)


@recipe("autodiff.optimizers.Adam")
def adam() -> Iterable[Case]:
    yield _optimizer_case(
        optimizers.Adam, learning_rate=0.1, weight_decay=0.1, l1=0.01, first_decay=0.5, second_decay=0.5, epsilon=1e-3
    )


@recipe("autodiff.optimizers.Constant")
def constant() -> Iterable[Case]:
    yield Case(lambda rate, step: optimizers.Constant(rate)(step), rate=0.5, step=3, _keep=("step",))


@recipe("autodiff.optimizers.ExponentialDecay", "autodiff.optimizers.StepDecay")
def decays() -> Iterable[Case]:
    for kind in (optimizers.ExponentialDecay, optimizers.StepDecay):

        def use(rate: float, factor: float, every: int, step: int, kind: Any = kind) -> Any:
            return kind(rate, factor=factor, every=every)(step)

        yield Case(use, rate=0.5, factor=0.9, every=2, step=3, _keep=("step",))


@recipe("autodiff.optimizers.InverseDecay")
def inverse_decay() -> Iterable[Case]:
    def use(rate: float, decay: float) -> Any:
        return optimizers.InverseDecay(rate, decay=decay)(3)

    yield Case(use, rate=0.5, decay=0.1)


@recipe("autodiff.optimizers.InverseSquareRoot")
def inverse_square_root() -> Iterable[Case]:
    def use(rate: float, scale: float) -> Any:
        return optimizers.InverseSquareRoot(rate, scale=scale)(3)

    yield Case(use, rate=0.5, scale=2.0)


@recipe("autodiff.optimizers.WarmupDecay")
def warmup_decay() -> Iterable[Case]:
    def use(rate: float, warmup: int, total: int, final: float, step: int) -> Any:
        return optimizers.WarmupDecay(rate, warmup=warmup, total=total, final=final)(step)

    yield Case(use, rate=0.5, warmup=2, total=6, final=0.1, step=3, _keep=("step",))


def _quadratic(parameters: Any) -> Any:
    weights = parameters["weights"]
    return float(np.sum((weights - 1.0) ** 2)), {"weights": 2 * (weights - 1.0)}


@recipe("autodiff.optimizers.minimize_lbfgs")
def minimize() -> Iterable[Case]:
    def use(weights: Any, **options: Any) -> Any:
        result = optimizers.minimize_lbfgs(_quadratic, {"weights": weights}, **options)
        return weights, result.value

    yield Case(
        use, weights=np.zeros((2, 3)), l2=0.1, maximum_iterations=20, gradient_tolerance=1e-6, value_tolerance=0.0,
        corrections=5, _changes=("weights",),
    )  # fmt: skip

    def with_gradient(gradient: Any, value: float) -> Any:
        return optimizers.minimize_lbfgs(
            lambda _: (value, {"weights": gradient}), {"weights": np.zeros(3)}, maximum_iterations=2
        ).value

    yield Case(with_gradient, gradient=np.zeros(3), value=1.0, _words={"value": ("objective",)})


@recipe("autodiff.optimizers.choose_learning_rate")
def choose() -> Iterable[Case]:
    def objective(parameters: Any, batch: Any) -> Any:
        difference = parameters["weights"] - np.mean(batch)
        return float(np.sum(difference**2)), {"weights": 2 * difference}

    def use(weights: Any, examples: Any, **options: Any) -> Any:
        return optimizers.choose_learning_rate(
            optimizers.SGD, objective, {"weights": weights}, examples, **options
        ).rate

    yield Case(
        use, weights=np.zeros(2), examples=np.full(6, 3.0), start=0.1, factor=2.0, reach=1, maximum_trials=4,
        sample_size=4, batch_size=2, epochs=1, seed=0, _keep=("examples",),
    )  # fmt: skip


@recipe("autodiff.optimizers.search_learning_rate")
def search() -> Iterable[Case]:
    def use(**options: Any) -> Any:
        return optimizers.search_learning_rate(lambda rate: abs(rate - 0.3), **options).rate

    yield Case(use, initial_loss=1.0, start=0.1, factor=2.0, reach=1, maximum_trials=5)


@recipe("autodiff.optimizers.GradientBuffer")
def gradient_buffer() -> Iterable[Case]:
    def use(slots: int, indices: Any, values: Any) -> Any:
        buffer = optimizers.GradientBuffer(slots)
        buffer.add(indices, values)
        return buffer.take()

    yield Case(use, slots=8, indices=np.array([3, 5, 3]), values=np.array([1.0, 2.0, 4.0]))

    def with_memory(memory: Any) -> Any:
        buffer = optimizers.GradientBuffer(4, memory=memory)
        buffer.add([1], [2.0])
        return buffer.take()

    yield Case(with_memory, memory=np.zeros((4, 2)), _changes=("memory",))


@recipe("autodiff.HashedParameter")
def hashed_parameter() -> Iterable[Case]:
    def use(slots: int, value: Any) -> Any:
        parameter = autodiff.HashedParameter("weights", slots)
        parameter.value = value
        parameter.changed()
        return parameter.read()

    yield Case(use, slots=4, value=np.arange(4.0), _words={"slots": ("value",)})


@recipe("autodiff.optimizers.ImplicitShrinkage", "autodiff.optimizers.ExplicitShrinkage")
def shrinkage() -> Iterable[Case]:
    rates = RateHistory()
    for rate in (0.5, 0.5, 0.25):
        rates.append(rate)

    def use(shrinkage: Any, weights: Any, since: Any) -> Any:
        weights, since = np.asarray(weights), np.asarray(since)
        return shrinkage.after(weights, since, rates), shrinkage.after_and_sums(weights, since, rates)

    good = {"weights": np.ones((3, 2)), "since": np.array([0, 3, 2]), "l1": 0.1, "l2": 0.2}
    yield Case(
        lambda metric, l1, l2, **rows: use(optimizers.ImplicitShrinkage(metric, l1=l1, l2=l2), **rows),
        metric=np.ones((3, 2)), **good,
    )  # fmt: skip
    yield Case(lambda l1, l2, **rows: use(optimizers.ExplicitShrinkage(l1=l1, l2=l2), **rows), **good)


@recipe("autodiff.optimizers.Step")
def step() -> Iterable[Case]:
    yield Case(lambda loss: optimizers.Step(3, loss, lambda: 4.0).squared_norm, loss=1.0, _keep=("loss",))


@recipe("autodiff.optimizers.ParameterStore")
def store() -> Iterable[Case]:
    for optimizer in (optimizers.AdaGrad(0.1, l2=0.1), optimizers.SGD(0.1, l2=0.1, l1=0.01)):

        def use(
            dense: Any, indices: Any, values: Any, rows: Any, other: Any, scale: float, loss: float,
            optimizer: Any = optimizer,
        ) -> Any:  # fmt: skip
            parameters = {"weights": Parameter("weights", np.ones(4)), "hashed": autodiff.HashedParameter("hashed", 4)}
            store = optimizer.store(parameters, average=True)
            for name in parameters:
                store.add(name, dense)
                store.add(name, SparseAdjoint(indices, values, (4,)))
            store.step(scale, loss=loss)
            store.step()
            store.catch_up({"weights": rows, "hashed": rows})
            averaged = store.averaged()
            with store.using({"weights": other, "hashed": other}):
                shown = {name: parameter.value.copy() for name, parameter in parameters.items()}
            store.finish()
            return averaged, shown, {name: parameter.value for name, parameter in parameters.items()}

        yield Case(
            use, dense=np.arange(4.0), indices=np.array([3, 0, 3]), values=np.array([1.0, 2.0, 4.0]),
            rows=np.array([2, 2, 1]), other=np.ones(4), scale=0.5, loss=1.0, _words={"other": ("value",)},
        )  # fmt: skip


@recipe("autodiff.optimizers.save_state")
def save_state() -> Iterable[Case]:
    kinds = (lambda: Parameter("weights", np.ones(4)), lambda: autodiff.HashedParameter("weights", 4))
    for kind in kinds:

        def use(
            steps: Any, rates: Any, repeats: Any, value: Any, squares: Any, caught_up: Any, total: Any,
            kind: Any = kind,
        ) -> Any:  # fmt: skip
            store = optimizers.AdaGrad(0.1, l2=0.1).store({"weights": kind()}, average=True)
            store.add("weights", np.ones(4))
            store.step()
            if np.asarray(caught_up).dtype.kind in "iu":  # the dtype in which it is kept: values and shapes matter
                caught_up = np.asarray(caught_up).clip(-(2**31), 2**31 - 1).astype(np.int32)
            memory = {"value": value, "squares": squares, "caught_up": caught_up, "sum": total}
            state = store.state() | {"steps": steps, "rates": rates, "repeats": repeats}
            store.restore(state | {f"parameter/weights/{entry}": array for entry, array in memory.items()})
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "state.safetensors"
                optimizers.save_state(store, path)
                again = optimizers.AdaGrad(0.1, l2=0.1).store({"weights": kind()}, average=True)
                optimizers.load_state(again, path)
            again.add("weights", SparseAdjoint([0], [1.0], (4,)))
            again.step()
            averaged = again.averaged()
            again.finish()
            return again.parameters["weights"].value, averaged

        yield Case(
            use, steps=np.array([1, 0]), rates=np.array([0.1]), repeats=np.array([1]), value=np.ones(4),
            squares=np.ones(4), caught_up=np.ones(4, dtype=np.int64), total=np.ones(4),
        )  # fmt: skip


@recipe("autodiff.files.write_tensors", "autodiff.files.TensorFile", "autodiff.files.ArraySpec")
def tensor_files() -> Iterable[Case]:
    def use(floats: Any, integers: Any, rows: int) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arrays.safetensors"
            array_files.write_tensors(path, {"floats": floats, "integers": integers}, "note", "text")
            file = array_files.TensorFile.open(path, "note")
            floating, whole = array_files.ArraySpec("float64", (rows, 2)), array_files.ArraySpec("int64", (None,))
            file.expect({"floats": floating, "integers": whole})
            return file.text, file.arrays()

    yield Case(use, floats=np.arange(8.0).reshape(4, 2), integers=np.arange(3), rows=4)


@recipe("autodiff.files.read_bounded")
def read_bounded() -> Iterable[Case]:
    def use(limit: int) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "text"
            path.write_bytes(b"0123456789")
            return array_files.read_bounded(path, limit)

    yield Case(use, limit=10)


@recipe(
    "autodiff.files.write_model", "autodiff.files.ModelFile", "autodiff.files.Section", "autodiff.files.check_writable",
    "autodiff.files.same_json",
)  # fmt: skip
def model_files() -> Iterable[Case]:
    def use(floats: Any, integers: Any, rows: int) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            array_files.check_writable(path)
            one = array_files.Section({"rows": 4}, {"floats": floats})
            sections = {"one": one, "two": array_files.Section({}, {"integers": integers})}
            array_files.write_model(path, "model", sections)
            file = array_files.ModelFile.open(path, "model")
            file.expect("one", "two")
            floating, whole = array_files.ArraySpec("float64", (rows, 2)), array_files.ArraySpec("int64", (None,))
            same = array_files.same_json(file.settings["one"], {"rows": 4})
            return same, file.settings, file.arrays({"one": {"floats": floating}, "two": {"integers": whole}})

    yield Case(use, floats=np.arange(8.0).reshape(4, 2), integers=np.arange(3), rows=4)


# Options


class _Shape(Named):
    """A contract."""


@frozen
class _Box(_Shape):
    name = "fuzzed box"
    side: int = setting(default=2, converter=plain, validator=one_of(1, 2, 3), help="Of the box.")
    count: int = setting(default=2, converter=plain, validator=whole(1), help="Of boxes.")


_OPTIONS = OptionSet({"shape": Choice("shape", _Shape, "fuzzed box", "What is drawn.")})


@recipe(
    "autodiff.named.Named", "autodiff.named.setting", "autodiff.options.OptionSet", "autodiff.options.Choice",
    "autodiff.settings.settings_from",
)  # fmt: skip
def options() -> Iterable[Case]:
    def use(side: int, count: int) -> Any:
        built = _OPTIONS.build({"side": side, "count": count})
        plain_values = _OPTIONS.plain(built)
        assert _OPTIONS.from_plain(plain_values) == built
        assert _OPTIONS.change(built, {"side": side}) == built
        return settings_from(_Box, {"side": side, "count": count}), plain_values

    yield Case(use, side=1, count=3)


@recipe("autodiff.click_options.add_options", "autodiff.click_options.given_options")
def command_line() -> Iterable[Case]:
    @click.command()
    @add_options(_OPTIONS)
    def command(**values: Any) -> Any:
        return _OPTIONS.plain(_OPTIONS.build(given_options(_OPTIONS, values)))

    def use(side: int, count: int) -> Any:
        return command.main([f"--side={side}", f"--count={count}"], standalone_mode=False)

    yield Case(use, side=1, count=3)
