from collections.abc import Callable

__version__: str

class ScenarioError(ValueError): ...

def run(
    scenario_json: str, progress_callback: Callable[[float], object] | None = None
) -> tuple[bytes, list[tuple[str, str, bytes]]]: ...
def check(scenario_json: str) -> None: ...
