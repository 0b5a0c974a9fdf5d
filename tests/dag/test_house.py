"""The rules of the house, checked on the sources: rooms, directives, sizes. Environments: tests/envs."""

import ast
import re

import pytest

STAGES = "demo acquire text linking kg corpus leakage training evaluation reporting belb".split()
RULE = re.compile(r"^(rule|checkpoint) (\w+):\n((?:    .*\n|\n)+)", re.M)
DIRECTIVES = ["input:", "output:", "log:", "benchmark:", "conda:", "threads:", "resources:", "shell:"]


def rules_of(repository, stage):
    files = sorted((repository / "rules").glob(f"{stage}*.smk"))
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    return {name: body for _, name, body in RULE.findall(text)}


@pytest.mark.parametrize("stage", STAGES)
def test_every_rule_has_its_directives_one_script_and_a_record(repository, stage):
    rules = rules_of(repository, stage)
    assert rules
    for name, body in rules.items():
        assert body.startswith('    """'), f"{name} has no docstring"
        local = "localrule: True" in body
        missing = [word for word in DIRECTIVES if not re.search(rf"^    {word}", body, re.M)]
        allowed = {"benchmark:", "conda:", "threads:", "resources:"} if local else set()
        assert set(missing) <= allowed, f"{name} lacks {missing}"
        script = re.search(r'code\("([\w/]+\.py)"\)', body)
        assert script, f"{name} does not name its script as code input"
        assert script[1].startswith(f"{stage}/"), f"{name} runs a script of another stage"
        assert (repository / "workflow_scripts" / script[1]).is_file()
        assert "{log" in body, f"{name} does not write its log"
        assert not re.search(r"^    (run|message|group|script):", body, re.M)
        assert "config[" not in body


@pytest.mark.parametrize("stage", STAGES)
def test_environments_exist(repository, stage):
    for body in rules_of(repository, stage).values():
        for path in re.findall(r'"\.\./(envs/\w+\.yaml)"', body):
            assert (repository / path).is_file(), path


def test_rules_use_only_the_path_of_the_run(repository):
    for path in (repository / "rules").glob("*.smk"):
        text = path.read_text(encoding="utf-8").replace('RESULTS = f"results/', "")
        assert '"results/' not in text, f"{path.name} writes outside <results>"


def test_no_stage_imports_another(repository):
    for path in (repository / "workflow_scripts").glob("*/**/*.py"):
        own = path.relative_to(repository / "workflow_scripts").parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                parts = (name or "").split(".")
                if parts[0] == "workflow_scripts" and len(parts) > 1:
                    assert parts[1] in {"common", own}, f"{path} imports {name}"


def test_sizes(repository):
    for path in [*(repository / "workflow_scripts").rglob("*.py"), *(repository / "tests").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 500, f"{path} is too long"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < 60, f"{path}: {node.name} is too long"


def test_public_functions_are_documented(repository):
    for path in (repository / "workflow_scripts").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                frame = (
                    isinstance(node, ast.FunctionDef) and node.name in {"main", "arguments"} or node.name == "Params"
                )
                assert frame or ast.get_docstring(node), f"{path}: {node.name} has no docstring"


def test_tables_a_person_edits_are_small_and_tracked(repository):
    for name in (
        "models.tsv",
        "encoders.tsv",
        "relations.tsv",
        "sources.tsv",
        "belb_corpora.tsv",
        "belb_not_in_kb.tsv",
        "belb_species.tsv",
        "belb_tools.tsv",
    ):
        assert (repository / "experiments" / name).stat().st_size < 100_000
