"""A rule depends on its script and on every module of ours that the script reaches."""

import pytest

from workflow_scripts.common.code_inputs import code_inputs


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
