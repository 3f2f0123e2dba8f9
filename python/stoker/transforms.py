# SPDX-License-Identifier: Apache-2.0
"""torchvision's transforms by their names, done by the engine; for `stoker.ImageLoader`.

    import stoker.transforms as T
    T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor()])

Classes are made from what the engine says of each transform: `stoker list transforms` shows them.
Parameters are torchvision's, by place or by name.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable, Sequence
from typing import Any

from . import _core

Spec = tuple[str, dict[str, str]]


class Transform:
    """One transform with its parameters. The engine checks values when a loader is made."""

    card: dict[str, Any]  # what the engine says of it

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        names = [param["name"] for param in self.card["params"]]
        if len(args) > len(names):
            raise TypeError(f"{self._name()} takes {len(names)} parameters, {len(args)} were given")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"{self._name()} has no parameter {name!r}; it has {names}")
            if name in given:
                raise TypeError(f"{self._name()} got {name!r} twice")
            given[name] = value
        for param in self.card["params"]:
            if param["required"] and given.get(param["name"]) is None:
                raise TypeError(f"{self._name()} needs {param['name']}: {param['help']}")
        self.params = {name: value for name, value in given.items() if value is not None}

    def _name(self) -> str:
        name: str = self.card["name"]
        return name

    def spec(self) -> Spec:
        return self._name(), {name: _text(value) for name, value in self.params.items()}

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self._name()}({inside})"


class Compose:
    """Transforms one after the other."""

    def __init__(self, transforms: Iterable[Transform | Compose]) -> None:
        self.transforms = list(transforms)

    def __repr__(self) -> str:
        return f"Compose({self.transforms!r})"


def specs(transforms: Transform | Compose | Sequence[Any]) -> list[Spec]:
    """Names with parameters as text, for the engine. TypeError for what is no transform of ours."""
    if isinstance(transforms, Transform):
        return [transforms.spec()]
    inner = transforms.transforms if isinstance(transforms, Compose) else transforms
    if not isinstance(inner, (list, tuple)):
        raise TypeError(
            f"{inner!r} is no transform of stoker.transforms; "
            "import stoker.transforms as T and take the one of the same name"
        )
    return [spec for one in inner for spec in specs(one)]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, enum.Enum):  # InterpolationMode
        return _text(value.value)
    if isinstance(value, (list, tuple)):
        return ",".join(_text(item) for item in value)
    if isinstance(value, (int, float, str)):
        return str(value)
    return str(value).removeprefix("torch.")  # torch.float32


@functools.cache
def _cards() -> dict[str, dict[str, Any]]:
    return {card["name"]: card for card in _core.transforms()}


@functools.cache
def _make(name: str) -> type[Transform]:
    card = _cards()[name]
    lines = [card["help"] + ".", ""]
    for param in card["params"]:
        fallback = f" [{param['fallback']}]" if param["fallback"] else ""
        choices = f" ({', '.join(param['choices'])})" if param["choices"] else ""
        lines.append(f"{param['name']}: {param['help']}{choices}{fallback}")
    members = {"card": card, "__doc__": "\n".join(lines).strip(), "__module__": __name__}
    return type(name, (Transform,), members)


def __getattr__(name: str) -> Any:
    if name in _cards():
        return _make(name)
    raise AttributeError(f"stoker.transforms has no {name!r}; it has {', '.join(sorted(_cards()))}")


def __dir__() -> list[str]:
    return ["Compose", "Transform", *sorted(_cards())]
