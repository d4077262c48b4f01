"""The settings of an optimiser as JSON, so that a saved state is only restored where it belongs."""

import json
from typing import Any

from attrs import fields

from autodiff.optimizers.errors import StateMismatchError
from autodiff.optimizers.schedules import RateSchedule


def settings_of(instance: Any) -> dict[str, Any]:
    """Return the constructor arguments of an attrs object as plain values, a schedule with its class.

    >>> from autodiff.optimizers import SGD
    >>> settings_of(SGD(0.5))
    {'learning_rate': {'class': 'Constant', 'rate': 0.5}, 'l2': 0.0, 'l1': 0.0, 'momentum': 0.0}
    """
    values = {each.name: getattr(instance, each.name) for each in fields(type(instance)) if each.init}
    return {
        name: {"class": type(value).__name__, **settings_of(value)} if isinstance(value, RateSchedule) else value
        for name, value in values.items()
    }


def describe(optimizer: Any, average: bool) -> str:
    """Return class and settings as JSON: what a saved state must agree with to be restored."""
    settings = {**settings_of(optimizer), "average": average}
    return json.dumps({"class": type(optimizer).__name__, "settings": settings}, sort_keys=True)


def check_description(optimizer: Any, average: bool, description: str) -> None:
    """Raise an error that says what differs if `description` is not that of this optimiser."""
    if description == describe(optimizer, average):
        return
    own = json.loads(describe(optimizer, average))
    try:
        saved = json.loads(description)
    except (ValueError, RecursionError):
        saved = None
    if not (isinstance(saved, dict) and isinstance(saved.get("settings"), dict) and "class" in saved):
        raise StateMismatchError(
            f"the state does not say of which optimiser it is: {description[:80]!r} is no JSON of it"
        )
    if saved["class"] == own["class"]:  # a setting that the state does not know had no effect then
        defaults = {each.name: each.default for each in fields(type(optimizer)) if isinstance(each.default, float)}
        unknown = own["settings"].keys() & defaults.keys() - saved["settings"].keys()
        saved["settings"] |= {key: defaults[key] for key in unknown}
        if saved == own:
            return
    if saved["class"] != own["class"]:
        differences = [f"the state was made by {saved['class']}, and this is {own['class']}"]
    else:
        differences = [
            f"{key} is {saved['settings'].get(key)!r} in the state and {own['settings'].get(key)!r} here"
            for key in sorted({*saved["settings"], *own["settings"]})
            if saved["settings"].get(key) != own["settings"].get(key)
        ]
    raise StateMismatchError(
        f"cannot restore {own['class']}: {'; '.join(differences)}: make the optimiser as it was made before"
    )
