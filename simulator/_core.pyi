from collections.abc import Callable

__all__ = ["NotApplicableError", "ScenarioError", "__version__", "check", "check_fluid", "run", "run_fluid"]

__version__: str

class ScenarioError(ValueError): ...
class NotApplicableError(ValueError): ...

def run(
    scenario_json: str, progress_callback: Callable[[float], object] | None = None
) -> tuple[bytes, list[tuple[str, str, bytes]]]: ...
def run_fluid(
    scenario_json: str,
    progress_callback: Callable[[float], object] | None = None,
    unlucky: bool = False,
    longer_steps: float = 1.0,
) -> tuple[bytes, list[tuple[str, str, bytes]]]: ...
def check(scenario_json: str) -> None: ...
def check_fluid(scenario_json: str) -> None: ...
