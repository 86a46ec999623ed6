"""The meaning of each sentence of the blocks world, written again as Python over blocks; no formula is read here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.languages.first_order.evaluate import FiniteModel


@dataclass(frozen=True)
class World:
    """Blocks in a model: ``w.a`` is the block called a, ``w.Larger(x, y)`` whether x is larger than y."""

    model: FiniteModel

    @property
    def blocks(self) -> tuple[int, ...]:
        return self.model.domain

    @property
    def cubes(self) -> list[int]:
        return [x for x in self.blocks if self.Cube(x)]

    @property
    def pyramids(self) -> list[int]:
        return [x for x in self.blocks if self.Pyramid(x)]

    @property
    def cylinders(self) -> list[int]:
        return [x for x in self.blocks if self.Cylinder(x)]

    @property
    def large_cubes(self) -> list[int]:
        return [x for x in self.cubes if self.Large(x)]

    @property
    def small_pyramids(self) -> list[int]:
        return [x for x in self.pyramids if self.Small(x)]

    def __getattr__(self, name: str) -> Any:
        if name in self.model.constants:
            return self.model.constants[name]
        return lambda *blocks: blocks in self.model.predicates[name, len(blocks)]


READINGS: dict[str, Callable[[World], bool]] = {
    "bw-001": lambda w: w.Small(w.b) if w.Large(w.a) else True,
    "bw-002": lambda w: all(w.Large(x) for x in w.cubes),
    "bw-003": lambda w: all(w.Behind(x, w.a) for x in w.large_cubes),
    "bw-004": lambda w: len(w.cubes) >= 2,
    "bw-005": lambda w: all(w.Larger(x, y) for x in w.cubes for y in w.pyramids if w.Behind(x, y)),
    "bw-006": lambda w: len(w.cubes) == 2,
    "bw-007": lambda w: any(w.Larger(x, w.d) for x in w.blocks),
    "bw-008": lambda w: not any(w.Larger(x, w.c) for x in w.cylinders),
    "bw-009": lambda w: len(w.cubes) == 1,
    "bw-010": lambda w: all(any(w.Behind(y, x) for y in w.pyramids) for x in w.cubes),
    "bw-011": lambda w: len(w.cubes) <= 2,
    "bw-012": lambda w: all(w.NextTo(x, y) for x in w.large_cubes for y in w.pyramids if w.Behind(x, y)),
    "bw-013": lambda w: not (w.Cube(w.c) and not w.Pyramid(w.d)),
    "bw-014": lambda w: not any(w.Medium(x) for x in w.blocks if x not in w.pyramids),
    "bw-015": lambda w: len(w.small_pyramids) < len(w.pyramids),
    "bw-016": lambda w: not any(w.OnTopOf(x, y) for x in w.cubes for y in w.pyramids),
    "bw-017": lambda w: not any(all(w.Larger(x, y) for y in w.pyramids) for x in w.cubes),
    "bw-018": lambda w: all(any(w.Between(z, x, y) for z in w.cylinders) for x in w.cubes for y in w.pyramids),
    "bw-019": lambda w: not any(w.OnTopOf(x, w.e) for x in w.blocks),
    "bw-020": lambda w: all(any(w.NextTo(y, x) for y in w.blocks) for x in w.blocks),
    "bw-021": lambda w: all(w.Smaller(x, y) for x in w.blocks for y in w.blocks if w.OnTopOf(x, y)),
    "bw-022": lambda w: len(w.large_cubes) == 1,
    "bw-023": lambda w: any(w.Between(w.a, x, y) for x in w.cubes for y in w.cubes if x != y),
    "bw-024": lambda w: len(w.large_cubes) <= 2,
    "bw-025": lambda w: w.Behind(w.e, w.f) if not w.Small(w.e) else True,
    "bw-026": lambda w: len(w.blocks) == 1,
    "bw-027": lambda w: len(w.pyramids) <= 1,
    "bw-028": lambda w: all(w.Smaller(x, y) for x in w.blocks for y in w.cubes if w.OnTopOf(x, y)),
    "bw-029": lambda w: len(w.blocks) >= 3,
    "bw-030": lambda w: all(w.NextTo(x, w.a) for x in w.cubes if not any(w.Larger(y, x) for y in w.pyramids)),
    "bw-031": lambda w: any(w.Between(x, w.a, w.c) for x in w.blocks),
    "bw-032": lambda w: all(w.Pyramid(x) for x in w.blocks if not w.Large(x)),
    "bw-033": lambda w: all(w.Small(x) for x in w.cubes if not w.Behind(x, w.d)),
    "bw-034": lambda w: all(w.Larger(x, y) for x in w.cubes for y in w.pyramids),
    "bw-035": lambda w: all(any(w.Behind(y, x) for y in w.pyramids) for x in w.large_cubes),
    "bw-036": lambda w: len([x for x in w.cubes if w.Behind(x, w.a)]) >= 2,
    "bw-037": lambda w: not {w.a, w.b} & {*w.cylinders},
    "bw-038": lambda w: {x for x in w.blocks if w.LeftOf(x, w.b)} <= {*w.cubes},
    "bw-039": lambda w: all(any(w.NextTo(y, x) for y in w.cubes) for x in w.blocks),
    "bw-040": lambda w: len([x for x in w.cubes if w.Behind(x, w.a)]) <= 1,
    "bw-041": lambda w: all(w.Smaller(x, y) for x in w.cylinders for y in w.cubes if w.OnTopOf(x, y)),
    "bw-042": lambda w: any(all(w.Behind(x, y) for y in w.small_pyramids) for x in w.large_cubes),
    "bw-043": lambda w: all(w.SameSize(x, w.f) for x in w.blocks),
    "bw-044": lambda w: any(w.Behind(x, w.a) for x in w.pyramids),
    "bw-045": lambda w: not any(w.NextTo(x, w.b) for x in w.large_cubes),
    "bw-046": lambda w: any(all(w.Larger(x, y) for y in w.cubes) for x in w.cylinders),
    "bw-047": lambda w: [w.NextTo(x, w.b) for x in w.large_cubes] == [True],
    "bw-048": lambda w: all(w.NextTo(y, w.a) for y in w.small_pyramids) if w.large_cubes else True,
    "bw-049": lambda w: len([x for x in (w.LeftOf(w.a, w.b), w.RightOf(w.a, w.b)) if x]) == 1,
    "bw-050": lambda w: w.cylinders == [w.f],
    "bw-051": lambda w: all(w.Small(x) for x in w.blocks if w.NextTo(x, w.a)) if w.Cube(w.a) else True,
    "bw-052": lambda w: all(w.Small(x) for x in w.blocks) if not w.cubes else True,
    "bw-053": lambda w: all(w.Large(y) for y in w.pyramids) if w.large_cubes else True,
    "bw-054": lambda w: not any(w.OnTopOf(x, y) for x in w.large_cubes for y in w.small_pyramids),
    "bw-055": lambda w: len(w.blocks) - len(w.cubes) >= 1,
    "bw-056": lambda w: len([x for x in w.blocks if w.Between(x, w.a, w.b)]) < len(w.blocks),
    "bw-057": lambda w: not any(w.Large(x) or w.LeftOf(x, w.e) for x in w.cylinders),
    "bw-058": lambda w: len([x for x in w.cubes if w.Smaller(x, w.d) and w.NextTo(x, w.e)]) < len(w.cubes),
    "bw-059": lambda w: all(w.Small(x) for x in w.cubes if not any(w.OnTopOf(x, y) for y in w.blocks)),
    "bw-060": lambda w: (
        len(w.cylinders) >= 1 if any(all(w.Larger(x, y) for y in w.pyramids) for x in w.cubes) else True
    ),
    "bw-061": lambda w: w.b != w.c if w.Larger(w.b, w.c) else True,
    "bw-062": lambda w: len(w.blocks) >= 2,
    "bw-063": lambda w: {x for x in w.blocks if w.Between(x, w.a, w.b)} <= {x for x in w.cubes if w.Small(x)},
    "bw-064": lambda w: any(w.Between(w.a, x, y) for x in w.cubes for y in w.pyramids),
    "bw-065": lambda w: len(w.cubes) < len(w.blocks) and not w.pyramids,
    "bw-066": lambda w: (
        not any(w.Larger(x, y) or w.Smaller(x, y) for x in w.cubes for y in w.pyramids if w.Behind(x, y))
    ),
    "bw-067": lambda w: len([x for x in w.blocks if w.Small(x)]) < len(w.blocks),
    "bw-068": lambda w: not any(w.Medium(x) or w.OnTopOf(x, w.c) for x in w.blocks),
    "bw-069": lambda w: not w.cubes if all(w.Small(x) for x in w.blocks) else True,
    "bw-070": lambda w: all(any(w.NextTo(x, y) for y in w.cubes) for x in w.blocks if w.Large(x)),
    "bw-071": lambda w: (
        {x for x in w.blocks if w.Behind(x, w.a)} <= {*w.cubes}
        and {x for x in w.blocks if w.InFrontOf(x, w.a)} <= {*w.pyramids}
    ),
    "bw-072": lambda w: any(not w.Behind(x, y) for x in w.large_cubes for y in w.pyramids),
    "bw-073": lambda w: w.Cube(w.a) and not w.NextTo(w.a, w.b),
    "bw-074": lambda w: any(all(w.SameShape(x, y) for y in w.blocks) for x in w.blocks),
    "bw-075": lambda w: {*w.cubes} - {w.b} <= {*w.large_cubes},
    "bw-076": lambda w: (
        {x for x in w.blocks if w.Behind(x, w.a) if w.Large(x) or w.NextTo(x, w.b)} <= {*w.cubes}
    ),
    "bw-077": lambda w: all(any(w.Larger(y, x) and w.NextTo(y, x) for y in w.pyramids) for x in w.cubes),
    "bw-078": lambda w: all(any(w.Behind(x, y) for y in w.small_pyramids) for x in w.large_cubes),
    "bw-079": lambda w: w.Pyramid(w.d) is w.Pyramid(w.e),
    "bw-080": lambda w: w.SameSize(w.a, w.b) if {w.a, w.b} <= {*w.cubes} else True,
    "bw-081": lambda w: all(w.LeftOf(x, w.a) is not w.RightOf(x, w.a) for x in w.pyramids),
    "bw-082": lambda w: any(w.Small(x) for x in w.blocks) if w.cubes == w.large_cubes else True,
    "bw-083": lambda w: (w.cubes == w.large_cubes) is not all(w.Large(y) for y in w.pyramids),
    "bw-084": lambda w: all(
        w.Larger(x, y) is not w.NextTo(x, y) for x in w.cubes for y in w.pyramids if w.Behind(x, y)
    ),
    "bw-085": lambda w: w.Between(w.c, w.a, w.b) and w.Small(w.c) is not w.Large(w.c),
    "bw-086": lambda w: {x for x in w.blocks if w.InFrontOf(x, w.c)} <= {*w.large_cubes},
    "bw-087": lambda w: (w.cubes == w.large_cubes) is not (len(w.pyramids) >= 1),
    "bw-088": lambda w: all(w.SameSize(x, y) for x in w.cubes for y in w.cubes if x != y),
    "bw-089": lambda w: all(
        any(w.SameSize(y, x) and w.NextTo(y, x) for y in w.cubes if y != x) for x in w.cubes
    ),
    "bw-090": lambda w: {*w.cubes} <= {w.a, w.b, w.c},
    "bw-091": lambda w: any(not any(w.LeftOf(y, x) for y in w.pyramids) for x in w.cubes),
    "bw-092": lambda w: all(w.Larger(x, y) for x in w.large_cubes for y in w.small_pyramids),
    "bw-093": lambda w: (
        not any(w.Larger(x, w.a) or w.Smaller(x, w.a) for x in w.pyramids) if w.Cube(w.a) else True
    ),
    "bw-094": lambda w: any(all(w.Smaller(x, y) for y in w.cubes if y != x) for x in w.cubes),
}  # fmt: skip
