"""A drawing of what a tape has recorded, for notebooks: lines, values, and the gradient's path.

It is one SVG with the handlers of its buttons in it: nothing is loaded, and where a notebook runs
no JavaScript it is a picture that scrolls.
"""

import html
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tapefacade._tape.explanation import Break, GradientWay
from tapefacade._trace.op_costs import count_text
from tapefacade._trace.program_listing import (
    ProgramListing,
    ProgramPart,
    bytes_text,
    place,
    type_text,
)
from tapefacade._trace.tree import Node

STATES = PLAIN, PATH, BROKEN = "plain", "path", "broken"
# Pixels.
ROW, LINE, GAP, BESIDE = 44, 15, 22, 40
INPUT_WIDTH, BOX_WIDTH = 190, 470
LANE, MAX_LANES = 9, 24
MARGIN, FRAME = 14, 10
MAX_TEXT, MAX_INPUT_TEXT = 66, 26  # characters that have room
MAX_INPUTS = 6  # values from outside that are drawn beside a line; more are counted
STYLE = """
.tf-drawing{font:12px sans-serif;color:#222}
.tf-drawing .view{overflow:auto;max-height:560px;background:#fff;border:1px solid #ccc}
.tf-drawing button{font:12px sans-serif;margin:0 4px 4px 0}
.tf-drawing text{font:11px monospace;fill:#222}
.tf-drawing .note{fill:#666}
.tf-drawing rect{fill:#f4f4f4;stroke:#999}
.tf-drawing .fold{fill:none;stroke:#bbb;stroke-dasharray:4 3}
.tf-drawing .path rect{fill:#e3f4e6;stroke:#2a8a3e}
.tf-drawing .target rect{stroke-width:2.5}
.tf-drawing .broken rect{fill:#fde8e6;stroke:#c8281e}
.tf-drawing .watched rect{fill:#e4eefb;stroke:#2b66b8}
.tf-drawing path{fill:none;stroke:#aaa}
.tf-drawing path.path{stroke:#2a8a3e;stroke-width:2}
.tf-drawing path.broken{stroke:#c8281e;stroke-width:2.5;stroke-dasharray:6 3}
.tf-drawing text.broken{fill:#c8281e;font-weight:bold}
.tf-drawing pre{font:12px monospace;white-space:pre-wrap;color:#222;background:#fff}
"""
_SVG = "this.closest(&quot;.tf-drawing&quot;).querySelector(&quot;svg&quot;)"
_SCALED = "s.style.width=Math.max(80,s.getBoundingClientRect().width*{})+&quot;px&quot;"
BUTTONS = (
    ("+", f"const s={_SVG};{_SCALED.format('1.25')}"),
    ("−", f"const s={_SVG};{_SCALED.format('0.8')}"),  # noqa: RUF001
    ("1:1", f"const s={_SVG};s.style.width=s.viewBox.baseVal.width+&quot;px&quot;"),
    (
        "all",
        f"const s={_SVG},b=s.viewBox.baseVal,v=s.parentNode;"
        "s.style.width=Math.min(v.clientWidth,b.width*(v.clientHeight-4)/b.height)+&quot;px&quot;",
    ),
)
WHEEL = (
    "if(event.ctrlKey){event.preventDefault();const s=this.querySelector(&quot;svg&quot;);"
    f"{_SCALED.format('(event.deltaY<0?1.15:0.87)')}}}"
)


class Box(NamedTuple):
    """A line, or a value from outside, in a drawing.

    Attributes:
        text: what is written in it: the line, and the ops or the type.
        kind: "line" or "input".
        state: whether the gradient passes it (`path`), stops in it (`broken`), or `plain`.
        watched: whether it is a value that the tape watches.
        note: why the gradient stops in it.
    """

    text: tuple[str, str]
    kind: str
    state: str = PLAIN
    watched: bool = False
    note: str = ""


class Edge(NamedTuple):
    """Values that go from one box to another, by their places among the boxes."""

    source: int
    target: int
    state: str


class TapeDrawing:
    """What a tape has recorded, drawn: shows itself in a notebook; `save` writes it as a page.

    Attributes:
        boxes: the lines in the order of recording, each with its ops, and the values from outside.
        edges: which of them give values to which, by their places among the boxes.
        target: the place of the line that makes the target; None if there is none.
    """

    def __init__(
        self,
        listing: ProgramListing,
        names: Mapping[int, str],
        reads: Iterable[tuple[int, ...]],
        watched: Iterable[int],
        way: GradientWay,
    ) -> None:
        """Draws a program.

        Args:
            listing: what was recorded.
            names: what some slots are called, such as those of variables.
            reads: the slots of each variable.
            watched: the slots that are watched.
            way: what the gradient passes.
        """
        self._heading = repr(listing).partition("\n")[0]
        self._way = way
        self._lines = list(_lines_of(listing.parts))
        self._folds = list(_folds_of(listing.parts))
        self.boxes: list[Box] = []
        self.edges: list[Edge] = []
        self._beside: dict[int, list[int]] = {}  # the inputs that stand beside a line
        self._reads = {slot: group[0] for group in reads for slot in group}
        self.target: int | None = None  # the place of the line that makes the target
        self._draw(listing.nodes, names, frozenset(watched))

    def _draw(
        self, nodes: Sequence[Node], names: Mapping[int, str], watched: frozenset[int]
    ) -> None:
        """Finds boxes and edges."""
        row_of = {place: row for row, part in enumerate(self._lines) for place in part.places}
        made = {
            slot: row_of[place]
            for place, node in enumerate(nodes)
            for slot in range(node.first_output, node.end)
        }
        self.target = None if self._way.target is None else made.get(self._way.target)
        states, notes = [PLAIN] * len(self._lines), [""] * len(self._lines)
        edges: dict[tuple[Any, int], str] = {}
        inputs: dict[int, dict[str, Any]] = {}
        stops = {found.node: found for found in self._way.breaks}
        for place_, node in enumerate(nodes):
            row = row_of[place_]
            if node in stops:
                states[row], notes[row] = BROKEN, stops[node].why
            elif not self._way.carrying.isdisjoint(range(node.first_output, node.end)):
                states[row] = _worse(states[row], PATH)
            for slot in node.inputs:
                state = self._state(node, slot, stops.get(node))
                source: Any = made.get(slot)
                if source is None and not node.first <= slot < node.first_output:
                    one = self._input(inputs, node, slot, names, row)
                    one["watched"] |= slot in watched
                    state = self._state_outside(one, slot, state)
                    source = "outside", self._reads.get(slot, slot)
                if source is not None and source != row:  # else a number of Python
                    edges[source, row] = _worse(edges.get((source, row), PLAIN), state)
        for part, state, note in zip(self._lines, states, notes, strict=True):
            self.boxes.append(Box((place(part.line), part.text), "line", state, note=note))
        self._place_inputs(inputs)
        for (source, row), state in edges.items():
            start = source if isinstance(source, int) else inputs[source[1]]["box"]
            if start is not None:
                self.edges.append(Edge(start, row, state))

    def _state(self, node: Node, slot: int, stop: Break | None) -> str:
        """Returns what the gradient does between a value and an instruction that uses it."""
        if stop is not None and slot in stop.slots:
            return BROKEN
        passes = not self._way.carrying.isdisjoint(range(node.first_output, node.end))
        return PATH if passes and slot in self._way.carrying else PLAIN

    def _state_outside(self, one: dict[str, Any], slot: int, state: str) -> str:
        """Returns the same for a value from outside, and notes it: it may not be watched."""
        for found in self._way.breaks:
            if found.node is None and slot in found.slots:
                state, one["note"] = BROKEN, found.why
        one["state"] = _worse(one["state"], state)
        return state

    def _input(
        self,
        inputs: dict[int, dict[str, Any]],
        node: Node,
        slot: int,
        names: Mapping[int, str],
        row: int,
    ) -> dict[str, Any]:
        """Returns what is known of a value from outside: all reads of a variable are one."""
        key = self._reads.get(slot, slot)
        if key not in inputs:
            before: Node | None = node
            while before is not None and not before.first <= slot < before.end:
                before = before.parent
            assert before is not None
            type_ = type_text(before.types[slot - before.first])
            inputs[key] = {
                "name": names.get(slot, ""), "type": type_, "row": row, "watched": False,
                "state": PLAIN, "note": "", "box": None,
            }  # fmt: skip
        return inputs[key]

    def _place_inputs(self, inputs: dict[int, dict[str, Any]]) -> None:
        """Makes the boxes of values from outside, beside the lines that use them first."""
        order = sorted(inputs.values(), key=lambda one: (one["state"] == PLAIN, not one["name"]))
        for one in order:
            beside = self._beside.setdefault(one["row"], [])
            if len(beside) >= MAX_INPUTS and one["state"] == PLAIN:
                continue
            one["box"] = len(self.boxes)
            beside.append(one["box"])
            watched = " (watched)" if one["watched"] else ""
            text = one["name"] or "value", one["type"] + watched
            self.boxes.append(Box(text, "input", one["state"], one["watched"], one["note"]))

    @property
    def svg(self) -> str:
        """The drawing as SVG."""
        return _Layout(self).svg()

    def save(self, path: Any) -> None:
        """Writes the drawing as a page of HTML, which needs nothing else.

        Args:
            path: of the file.
        """
        page = f'<!doctype html><meta charset="utf-8"><title>Tape</title>{self._repr_html_()}'
        pathlib.Path(path).write_text(page, encoding="utf-8")

    def __repr__(self) -> str:
        count = sum(box.kind == "line" for box in self.boxes)
        broken = [box.text[0] for box in self.boxes if box.state == BROKEN]
        ends = f"; the gradient stops at {broken[0]}" if broken else ""
        return f"<TapeDrawing of {count} line{'s' * (count != 1)}{ends}>"

    def _repr_html_(self) -> str:
        buttons = "".join(
            f'<button type="button" onclick="{code}">{text}</button>' for text, code in BUTTONS
        )
        text = f"<pre>{html.escape(self._way.text)}</pre>" if self._way.text else ""
        return (
            f'<div class="tf-drawing"><style>{STYLE}</style><div>{html.escape(self._heading)}</div>'
            f'<div>{buttons}</div><div class="view" onwheel="{WHEEL}">{self.svg}</div>{text}</div>'
        )


def _worse(first: str, second: str) -> str:
    return max(first, second, key=STATES.index)


def _lines_of(parts: Iterable[ProgramPart]) -> Iterable[ProgramPart]:
    for part in parts:
        if part.parts:
            yield from _lines_of(part.parts)
        else:
            yield part


def _folds_of(parts: Iterable[ProgramPart], start: int = 0, depth: int = 0) -> Iterable[Any]:
    """Yields the first row, the end, the depth and the part of each fold."""
    for part in parts:
        count = len(list(_lines_of([part])))
        if part.parts:
            yield start, start + count, depth, part
            yield from _folds_of(part.parts, start, depth + 1)
        start += count


class _Layout:
    """Where boxes and edges are: lines below each other, what they take from outside to the left.

    An edge between neighbours is straight; the others go along the right side, each in a lane.
    """

    def __init__(self, drawing: TapeDrawing) -> None:
        self._drawing = drawing
        self._left = MARGIN + INPUT_WIDTH + 70
        self._right = self._left + BOX_WIDTH
        tops, heights, y = [], [], MARGIN + 6
        starts = {start: 0 for start, *_ in drawing._folds}
        for start, *_ in drawing._folds:
            starts[start] += 1
        for row in range(len(drawing._lines)):
            y += LINE * starts.get(row, 0)
            note = LINE if drawing.boxes[row].note else 0
            beside = len(drawing._beside.get(row, ()))
            tops.append(y)
            heights.append(ROW + note)
            y += max(ROW + note, beside * (BESIDE + 6)) + GAP
        self._tops, self._heights, self._height = tops, heights, y + MARGIN
        self._lanes = self._find_lanes()
        used = max(self._lanes.values(), default=-1) + 1
        self._width = self._right + 3 * FRAME + 2 * MARGIN + used * LANE

    def _find_lanes(self) -> dict[Edge, int]:
        """Gives each edge that skips lines a lane of its own, as far as it goes."""
        rows = len(self._drawing._lines)
        far = [e for e in self._drawing.edges if e.source < rows and e.target != e.source + 1]
        busy: list[int] = []  # the row until which each lane is taken
        lanes = {}
        for edge in sorted(far, key=lambda e: (min(e[:2]), max(e[:2]))):
            low, high = sorted(edge[:2])
            free = [number for number, until in enumerate(busy) if until <= low]
            lane = free[0] if free else len(busy)
            busy[lane : lane + 1] = [high]
            lanes[edge] = lane % MAX_LANES
        return lanes

    def svg(self) -> str:
        """Returns the picture."""
        drawing = self._drawing
        parts = [*self._fold_frames(), *self._edges()]
        for number, box in enumerate(drawing.boxes):
            if box.kind == "line":
                parts.append(self._line(number, box))
        for row, found in drawing._beside.items():
            for count, number in enumerate(found):
                parts.append(self._outside(row, count, number, drawing.boxes[number]))
        size = f'viewBox="0 0 {self._width} {self._height}" style="width:{self._width}px"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
            f"<title>{html.escape(drawing._heading)}</title>{''.join(parts)}</svg>"
        )

    def _fold_frames(self) -> Iterable[str]:
        seen: dict[int, int] = {}
        for start, end, depth, part in self._drawing._folds:
            shift = seen.get(start, 0)
            seen[start] = shift + 1
            inset = FRAME * (3 - min(depth, 2))
            own = sum(fold[0] == start for fold in self._drawing._folds) - shift
            top = self._tops[start] - LINE * own
            bottom = self._tops[end - 1] + self._heights[end - 1] + 4 + 3 * (3 - min(depth, 2))
            x, width = self._left - inset, BOX_WIDTH + 2 * inset
            text = html.escape(part.text.rstrip(":"))
            yield (
                f'<g class="frame"><rect class="fold" x="{x}" y="{top - 2}" width="{width}" '
                f'height="{bottom - top}" rx="6"/><text class="note" x="{x + 6}" '
                f'y="{top + 9}">{text}</text></g>'
            )

    def _line(self, number: int, box: Box) -> str:
        part = self._drawing._lines[number]
        numbers = f"{part.ops:,} ops, {count_text(part.flops)} FLOP, {bytes_text(part.bytes)}"
        tip = "\n".join([box.text[0], box.text[1], numbers, *([box.note] if box.note else [])])
        kind = f"box line {box.state}{' target' * (number == self._drawing.target)}"
        texts = [("", box.text[0]), ("note", box.text[1])]
        if box.note:
            texts.append(("broken", f"✕ the gradient stops: {box.note}"))
        return _box(kind, tip, (self._left, self._tops[number], BOX_WIDTH, self._heights[number]),
                    texts, MAX_TEXT)  # fmt: skip

    def _outside(self, row: int, count: int, number: int, box: Box) -> str:
        y = self._tops[row] + count * (BESIDE + 6)
        watched = " watched" if box.watched and box.state != BROKEN else ""
        kind = f"box input {'' if watched else box.state}{watched}"
        tip = "\n".join([*box.text, *([box.note] if box.note else [])])
        texts = [
            ("", box.text[0]),
            ("broken", f"✕ {box.note}") if box.note else ("note", box.text[1]),
        ]
        area = MARGIN, y, INPUT_WIDTH, BESIDE
        return _box(kind, tip, area, texts, MAX_INPUT_TEXT)

    def _edges(self) -> Iterable[str]:
        drawing, rows = self._drawing, len(self._drawing._lines)
        where = {n: (row, c) for row, found in drawing._beside.items() for c, n in enumerate(found)}
        order = sorted(drawing.edges, key=lambda e: (STATES.index(e.state), min(e[:2])))
        for edge in order:
            if edge.source >= rows:
                row, count = where[edge.source]
                points = self._from_outside(row, count, edge.target)
            elif edge in self._lanes:
                points = self._along(edge, self._lanes[edge])
            else:
                x = self._left + BOX_WIDTH / 2
                below = self._tops[edge.source] + self._heights[edge.source]
                points = f"M{x} {below}V{self._tops[edge.target] - 5}" + _arrow(0, 1)
            yield (
                f'<path class="edge {edge.state}" data-from="{edge.source}" '
                f'data-to="{edge.target}" d="{points}"/>'
            )

    def _from_outside(self, row: int, count: int, target: int) -> str:
        x, y = MARGIN + INPUT_WIDTH, self._tops[row] + count * (BESIDE + 6) + LINE
        end = self._tops[target] + min(LINE + 5 * count, self._heights[target] - 6)
        lane = x + 12 + 6 * (count % 5)
        return f"M{x} {y}H{lane}V{end}H{self._left - 6}" + _arrow(1, 0)

    def _along(self, edge: Edge, lane: int) -> str:
        x = self._right + 3 * FRAME + 14 + lane * LANE
        start = self._tops[edge.source] + self._heights[edge.source] * 2 / 3
        end = self._tops[edge.target] + self._heights[edge.target] / 3
        return f"M{self._right} {start}H{x}V{end}H{self._right + 6}" + _arrow(-1, 0)


def _arrow(x: int, y: int) -> str:
    """Returns the strokes of an arrow's head, in a direction."""
    if y:
        return "m-4 -3l4 6l4 -6"
    return f"m{-3 * x} -4l{6 * x} 4l{-6 * x} 4"


def _box(
    kind: str, tip: str, area: tuple[float, float, float, float],
    texts: Sequence[tuple[str, str]], most: int,
) -> str:  # fmt: skip
    x, y, width, height = area
    rows = [
        f'<text class="{style}" x="{x + 8}" y="{y + 16 + LINE * number}">{_cut(text, most)}</text>'
        for number, (style, text) in enumerate(texts)
    ]
    return (
        f'<g class="{kind}"><title>{html.escape(tip)}</title><rect x="{x}" y="{y}" '
        f'width="{width}" height="{height}" rx="5"/>{"".join(rows)}</g>'
    )


def _cut(text: str, most: int) -> str:
    return html.escape(text if len(text) <= most else f"{text[: most - 1]}…")
