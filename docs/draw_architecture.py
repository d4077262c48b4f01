"""Draws the pictures of architecture.md: `python docs/draw_architecture.py` writes packages.svg and sentence.svg."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"
 font-family="Helvetica, Arial, sans-serif" font-size="13">
<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0,0 L10,5 L0,10 z" fill="#444"/></marker></defs>
<rect width="{width}" height="{height}" fill="#ffffff"/>"""


class Picture:
    """Boxes and arrows."""

    def __init__(self, width: int, height: int) -> None:
        self.lines = [HEAD.format(width=width, height=height)]

    def box(self, x: int, y: int, w: int, h: int, title: str, text: Sequence[str] = (), fill: str = "#eef3fb") -> None:
        """Draw a box with a title and lines of text."""
        self.lines.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}" stroke="#7a8699"/>')
        self.text(x + 10, y + 20, title, weight="bold")
        for number, line in enumerate(text):
            self.text(x + 10, y + 39 + 17 * number, line)

    def text(self, x: int, y: int, text: str, *, weight: str = "normal", colour: str = "#222", size: int = 13) -> None:
        """Write a line; what stands between ` is a file's name."""
        parts = text.split("`")
        inside = "".join(
            f'<tspan font-family="Menlo, monospace" font-size="{size - 2}" fill="#1f4e8c">{escape(part)}</tspan>'
            if number % 2
            else escape(part)
            for number, part in enumerate(parts)
        )
        self.lines.append(
            f'<text x="{x}" y="{y}" font-weight="{weight}" font-size="{size}" fill="{colour}">{inside}</text>'
        )

    def arrow(self, *points: tuple[int, int], dashed: bool = False) -> None:
        """Draw an arrow through points."""
        path = " L".join(f"{x},{y}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.lines.append(
            f'<path d="M{path}" fill="none" stroke="#444" stroke-width="1.4"{dash} marker-end="url(#tip)"/>'
        )

    def write(self, name: str) -> None:
        """Write the file beside this one."""
        text = "\n".join([*self.lines, "</svg>"]) + "\n"
        Path(__file__).with_name(name).write_text(text, encoding="utf-8")


def packages() -> None:
    """Draw who imports whom, and what lives where."""
    picture = Picture(980, 560)
    columns = [
        ("autodiff", "arrays and their gradients", "#eef7ee", [
            "`parameter.py`", "named arrays with a version", "",
            "`module.py` `modules/`", "forward, and in it backward", "",
            "`circuit.py`", "modules wired together", "",
            "`gradient_check.py`", "finite differences", "",
            "`optimizers/`", "updates, and the store of", "a parameter's state", "",
            "`named.py` `options.py`", "kinds by name, options in", "shell and file", "",
            "`files/`", "model files, atomic writes"]),
        ("hypergraph", "any dynamic program", "#fdf6e6", [
            "`graph.py` `builder.py`", "nodes, edges, weights", "",
            "`structure.py`", "what a structure has to say", "",
            "`structures/`", "chains, trees, grammars", "",
            "`semirings/` `engine.py`", "what a sum is", "",
            "`inside_outside.py` `kbest.py`", "`sampling.py` `moments.py`", "all the answers", "",
            "`batched/` `kernels/`", "fast ways of some structures", "",
            "`nonprojective/`", "matrix-tree, arborescences"]),
        ("pgm", "factor graphs, learning", "#eef3fb", [
            "`graph.py` `factor.py` `factors/`", "families of factors", "",
            "`layout.py` `channel.py`", "messages as arrays", "",
            "`schedules/` `message_passing.py`", "in which order, and how", "",
            "`belief_propagation.py` `exact/`", "`map/` `sampling/` …: inference", "",
            "`learning/`", "instance, scorer, run,", "objective, decoder, trainer:", "the one learning stack", "",
            "`files/` `infer_command.py`", "UAI, BIF, libDAI; tacana infer"]),
        ("nlp", "words", "#f6eef8", [
            "`conll/`", "treebanks, byte for byte", "",
            "`features/`", "templates, vocabulary,", "hashing kernels", "",
            "`evaluation/`", "UAS, LAS, …", "",
            "`deps/`", "the dependency parser", "",
            "`deps/kinds/` `deps/inference/`", "parts, and their factor graph", "",
            "`command.py` `entry_point.py`", "tacana train, parse, …"]),
    ]  # fmt: skip
    for number, (name, what, fill, lines) in enumerate(columns):
        picture.box(20 + 242 * number, 60, 214, 480, name, [what, "", *lines], fill)
        if number:
            picture.arrow((20 + 242 * number, 78), (20 + 242 * number - 28, 78))
    picture.text(
        20, 30, "A package imports only from those to its left; a test walks the imports (tests/test_architecture.py)."
    )
    picture.text(20, 48, "Within a package the layers go down in the same way (tests/test_layers.py).", colour="#555")
    picture.write("packages.svg")


def sentence() -> None:
    """Draw the way of a sentence in training and in parsing."""
    picture = Picture(980, 690)
    blue, green, violet = "#eef3fb", "#eef7ee", "#f6eef8"
    picture.box(20, 20, 250, 62, "Sentence", ["words, tags; heads, relations"], violet)
    picture.box(20, 160, 250, 96, "DependencyInstance", [
        "candidate arcs, what is right;", "factor graph: built once", "`nlp/deps/instance.py`"], violet)  # fmt: skip
    picture.box(20, 350, 250, 80, "scores", ["by kind: arc, sibling, …", "one float for each part"], "#ffffff")
    picture.box(
        20, 540, 250, 96, "Run", ["beliefs, log Z, best, k best,", "samples, backward", "`nlp/deps/runs.py`"], violet
    )

    picture.arrow((145, 82), (145, 160))
    picture.text(155, 105, "`nlp/conll/reader.py`")
    picture.text(155, 122, "`nlp/features/vocabulary.py`: words as integers")
    picture.text(155, 139, "`nlp/deps/pruning.py`: which arcs; `nlp/deps/model.py` makes it")
    picture.arrow((145, 256), (145, 350))
    picture.text(155, 290, "Scorer: `nlp/deps/hashed_scorer.py`")
    picture.text(155, 307, "`nlp/features/hasher.py`, its kernels")
    picture.arrow((145, 430), (145, 540))
    picture.text(155, 455, "`nlp/deps/relation_sums.py`: relations summed out")
    picture.text(155, 472, "arcs alone: `hypergraph/structures/projective_trees.py`")
    picture.text(155, 489, "with pairs: `pgm/learning/scored_graph.py`, then")
    picture.text(155, 506, "`pgm/belief_propagation.py`, over `pgm/factors/`")

    picture.box(600, 540, 340, 96, "Objective", [
        "a loss, and adjoints of beliefs or scores", "`pgm/learning/l2_distance.py`, …"], blue)  # fmt: skip
    picture.arrow((270, 588), (600, 588))
    picture.text(300, 580, "in training: beliefs, and what is right")
    picture.arrow((600, 620), (270, 620), dashed=True)
    picture.text(300, 612, "Run.backward: `pgm/inference_result.py`", colour="#555")

    picture.box(600, 350, 340, 80, "gradients of parameters", [
        "`autodiff/optimizers/gradient_buffer.py`", "of hashed weights: rows that were touched"], green)  # fmt: skip
    picture.arrow((625, 540), (625, 430))
    picture.text(637, 475, "adjoints of scores, through the Scorer's")
    picture.text(637, 492, "backward: `pgm/learning/step.py`")

    picture.box(600, 160, 340, 96, "Parameters", [
        "`autodiff/hashed_parameter.py`", "with the state of the update rule:",
        "`autodiff/optimizers/parameter_store.py`"], green)  # fmt: skip
    picture.arrow((625, 350), (625, 256))
    picture.text(637, 290, "Update: `autodiff/optimizers/adagrad.py`, …")
    picture.text(637, 307, "a step for each mini-batch")
    picture.arrow((600, 225), (480, 225), (480, 390), (270, 390))
    picture.text(350, 382, "weights are read")

    picture.box(600, 20, 340, 96, "Trainer", [
        "`pgm/learning/trainer.py`: stages, stopping", "`pgm/learning/training_run.py`: an epoch, a step",
        "`pgm/learning/checkpoint.py`"], blue)  # fmt: skip
    picture.arrow((625, 116), (625, 160))

    picture.arrow((145, 636), (145, 668), (690, 668))
    picture.text(155, 660, "in parsing: a Decoder, `pgm/learning/decoders/`, searches `nlp/deps/tree_space.py`")
    picture.text(700, 672, "Analysis, then `nlp/conll/writer.py`")
    picture.write("sentence.svg")


if __name__ == "__main__":
    packages()
    sentence()
