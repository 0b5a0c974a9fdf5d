"""A rule depends on its script and on every module of ours that the script reaches."""

import json

import pytest

from workflow_scripts.common import code_inputs as module
from workflow_scripts.common.code_inputs import code_inputs, imported_names


@pytest.fixture
def tree(tmp_path):
    for name, text in {
        "__init__.py": "",
        "kg/__init__.py": "",
        "kg/build.py": "import json\nfrom workflow_scripts.common import a\nfrom workflow_scripts.kg.own import f\n",
        "kg/own.py": "def f():\n    import workflow_scripts.common.late\n",
        "kg/other.py": "",
        "common/__init__.py": "",
        "common/a.py": "from workflow_scripts.common.b import B, C\n",
        "common/b.py": "from workflow_scripts.common import a\n",
        "common/late.py": "",
        "common/unused.py": "",
        "common/pack/__init__.py": "from workflow_scripts.common import unused\n",
    }.items():
        path = tmp_path / "workflow_scripts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_script_first_then_everything_it_reaches(tree):
    assert code_inputs("kg/build.py", tree) == [
        "workflow_scripts/kg/build.py",
        "workflow_scripts/__init__.py",
        "workflow_scripts/common/__init__.py",
        "workflow_scripts/common/a.py",
        "workflow_scripts/common/b.py",
        "workflow_scripts/common/late.py",
        "workflow_scripts/kg/__init__.py",
        "workflow_scripts/kg/own.py",
    ]


def test_a_package_counts_with_what_its_init_imports(tree):
    (tree / "workflow_scripts/kg/other.py").write_text("import workflow_scripts.common.pack as p\n")
    assert "workflow_scripts/common/unused.py" in code_inputs("kg/other.py", tree)


def test_no_such_script(tree):
    with pytest.raises(FileNotFoundError, match="no script workflow_scripts/kg/none.py"):
        code_inputs("kg/none.py", tree)


def test_every_script_of_the_project_is_read_without_an_error(repository):
    for script in sorted((repository / "workflow_scripts").glob("*/*.py")):
        name = str(script.relative_to(repository / "workflow_scripts"))
        assert code_inputs(name, repository)[0] == f"workflow_scripts/{name}"


@pytest.mark.parametrize(
    "text",
    [
        "import workflow_scripts.common.a",
        "def f():\n    if x:\n        pass\n    else:\n        import workflow_scripts.common.a",
        "class C:\n    async def f(self):\n        async with x:\n            import workflow_scripts.common.a as b",
        "try:\n    pass\nexcept E:\n    import workflow_scripts.common.a\nelse:\n    pass",
        "try:\n    pass\nfinally:\n    import workflow_scripts.common.a",
        "for x in y:\n    while z:\n        import json, workflow_scripts.common.a",
        "match x:\n    case 1:\n        import workflow_scripts.common.a",
    ],
)
def test_imports_are_found_in_every_block(text):
    assert imported_names(text, "a.py") == ["workflow_scripts.common.a"]


def test_no_import_is_read_from_texts_or_relative_ones():
    assert imported_names('"""\nimport workflow_scripts.common.a\n"""\nfrom . import b\nimport json', "a.py") == []


@pytest.fixture
def fresh(monkeypatch):
    """Forget what was read: as a new process."""

    def begin():
        monkeypatch.setattr(module, "_KNOWN", {})
        monkeypatch.setattr(module, "_USED", set())
        module._imports.cache_clear()

    yield begin
    module._imports.cache_clear()


def test_what_was_kept_is_not_parsed_again_but_an_edit_is(tree, tmp_path, fresh, monkeypatch):
    fresh()
    files, kept = code_inputs("kg/build.py", tree), tmp_path / "kept/imports.json"
    module.keep(kept)
    written = kept.stat().st_mtime_ns
    module.keep(kept)
    assert kept.stat().st_mtime_ns == written
    fresh()
    module.recall(kept)
    with monkeypatch.context() as patch:
        patch.setattr(module, "imported_names", None)
        assert code_inputs("kg/build.py", tree) == files
    (tree / "workflow_scripts/common/b.py").write_text("import workflow_scripts.common.unused\n")
    fresh()
    module.recall(kept)
    assert code_inputs("kg/build.py", tree) == sorted(
        [*files, "workflow_scripts/common/unused.py"], key=lambda path: (path != files[0], path)
    )


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"a": 3})])
def test_a_kept_file_that_is_none_is_no_error(tree, tmp_path, fresh, text):
    fresh()
    (tmp_path / "imports.json").write_text(text)
    module.recall(tmp_path / "imports.json")
    assert len(code_inputs("kg/build.py", tree)) == 8
