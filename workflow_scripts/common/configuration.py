"""The configuration: checked against its schema, filled with defaults, and turned into a plan of files and runs.

Only the Snakefile imports this module; scripts get their values through params.
"""

import csv
import itertools
import json
import pathlib
import re

import jsonschema
import yaml

from workflow_scripts.common.corpora import chosen_corpora, released_files
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.grid import expand
from workflow_scripts.common.raw_files import MADE_BY_A_RULE, RESOURCES, RawFiles
from workflow_scripts.common.shown_tables import check_tables, near

# The same values from libyaml, where PyYAML was built with it, ten times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
WITH_TYPES = ("CT", "OT")
ENCODERS = ("cnn", "pcnn", "gru", "bert")
# What makes a row the row it is: an override would leave the table saying one thing and the run being another.
FIXED_COLUMNS = ("model", "name", "tables", "encoder")


def validate(config, schema_path, files=()):
    """Check `config` against the schema and fill in its defaults, in place.

    Parameters
    ----------
    config : dict
        The merged configuration.
    schema_path : str or Path
        A JSON schema (draft 2020-12) in YAML.
    files : sequence of str
        The configuration files in the order in which they were merged, to name the one at fault.

    Raises
    ------
    UsageError
        Lists every problem: file, key, value, what is allowed, what to do.
    """
    schema = read_yaml(schema_path)
    validator = jsonschema.Draft202012Validator(schema)
    errors = sorted(validator.iter_errors(config), key=lambda error: [str(part) for part in error.absolute_path])
    if errors:
        problems = [_explain(error, files, schema_path) for error in errors]
        raise UsageError("the configuration is not valid\n" + "\n".join(problems))
    _fill_defaults(config, schema)


def read_yaml(path):
    """Read a YAML file (safe loader); UsageError where it is none."""
    try:
        with open(path, encoding="utf-8") as stream:
            return yaml.load(stream, Loader=LOADER)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no YAML file\n  found:  {error}\n  remedy: correct it") from None


def _explain(error, files, schema_path):
    path = list(error.absolute_path)
    allowed = error.message
    key, value = ".".join(map(str, path)), error.instance
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = sorted(set(error.instance) - set(known))
        key = ".".join(map(str, [*path, unknown[0]]))
        value = error.instance[unknown[0]]
        path = [*path, unknown[0]]
        allowed = f"known keys here: {', '.join(known)}{near(unknown[0], known)}"
    elif error.validator == "enum":
        allowed = f"one of {', '.join(map(json.dumps, error.validator_value))}"
    elif error.validator == "required":
        value = "(missing)"
    elif error.validator == "type":
        allowed = f"a value of type {error.validator_value}"
    elif error.validator == "contains" and "const" in error.validator_value:
        allowed = f"a list with {json.dumps(error.validator_value['const'])} in it"
    file = next((name for name in reversed(list(files)) if _holds(name, path)), "config.yaml or --config")
    text = json.dumps(value, ensure_ascii=False, default=str)
    return (
        f"  file:    {file}\n  key:     {key or '(top level)'}\n  found:   {text[:200]}\n  allowed: {allowed}\n"
        f"  remedy:  correct the key; all keys with their meaning are in {pathlib.Path(schema_path).name}"
    )


def _holds(name, path):
    value = read_yaml(name) if pathlib.Path(name).is_file() else None
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return False
    return bool(path) or value is not None


def _fill_defaults(value, schema):
    if not isinstance(value, dict):
        return
    for name, child in schema.get("properties", {}).items():
        if "default" in child and name not in value:
            value[name] = json.loads(json.dumps(child["default"]))
        if name in value:
            _fill_defaults(value[name], child)


class Plan(RawFiles):
    """What the configuration asks for: batches of files, partitions, RRF tables, corpora and runs.

    Parameters
    ----------
    config : dict
        A validated configuration.
    root : str or Path
        The folder of the workflow, where the tables of `experiments/` are looked up.

    Raises
    ------
    UsageError
        Where two parts of the configuration, or the configuration and the disk, do not fit.
    """

    def __init__(self, config, root):
        self.config, self.root = config, pathlib.Path(root)
        self.partitions = [f"{i:03d}" for i in range(config["text"]["partitions"])]
        self.starts_at_corpus = config["start_from"] == "corpus"
        self.corpora = chosen_corpora(config)
        self.batches = {} if self.starts_at_corpus else self._batches()
        self.encoders = self._encoders()
        self.models = self._models()
        self.prior_styles = self._prior_styles()
        rebuilt = config["leakage"]["prior_works"] and not self.starts_at_corpus
        self.prior_corpora = list(self.prior_styles) if rebuilt else []
        self.runs = self._runs()
        self.grid = self._grid()

    @property
    def restricted(self):
        """What is made falls under the UMLS licence: as umls.restricted says, else all but the embedded release."""
        own = self.config["umls"]["restricted"]
        folders = [pathlib.Path(self.meta_dir(release)) for release in ("umls", "kb")]
        embedded = not self.starts_at_corpus and all(MADE_BY_A_RULE in folder.parents for folder in folders)
        return not embedded if own is None else own

    @property
    def one_pass(self):
        """One pass of a spaCy model gives sentences and mentions: both stages name it, and nothing is cut again."""
        text, linking = self.config["text"], self.config["linking"]
        same = text["engine"] == "spacy" and text["model"] == linking["model"] and not linking["retokenize"]
        return same and linking["detection"] in ("ner", "noun_chunks")

    def value(self, path):
        """A configuration value by its dotted path; `construction.<switch>` gives the side the switch takes."""
        section, _, name = path.partition(".")
        if path in ("text.model", "linking.model"):
            return self.spacy_model(section)
        if section == "construction" and name != "preset":
            construction = self.config["construction"]
            return construction["switches"].get(name, construction["preset"])
        value = self.config
        for part in path.split("."):
            value = value[part]
        return value

    @property
    def switches(self):
        """Names of the construction switches."""
        schema = read_yaml(self.root / "schemas" / "config.schema.yaml")
        return list(schema["properties"]["construction"]["properties"]["switches"]["properties"])

    def corpus_value(self, corpus, name):
        """A parameter of a corpus: its own, else the one of section `corpus`."""
        own = self.config["corpora"][corpus]
        return own[name] if name in own else self.config["corpus"][name]

    def imported_files(self, corpus):
        """Paths of the released files that a corpus is imported from."""
        return released_files(self.config["corpora"][corpus]["import"], corpus)

    def batch_paths(self, batch):
        """Paths of the MEDLINE files of a batch."""
        folder = self.config["medline"]["baseline_dir"]
        return [f"{folder}/{name}" for name in self.batches[batch]]

    def require_model_names(self):
        """Raise UsageError where the text or linking stage needs a spaCy model and none, or no good one, is named."""
        text = self.config["text"]
        self.spacy_downloads()
        for section, key, needed, instead in (
            ("text", "engine", text["engine"] == "spacy", "rule"),
            ("linking", "detection", self.model_finds_mentions, "dictionary"),
        ):
            if needed and not self.config[section]["model"]:
                raise UsageError(
                    f"{section}.model is empty, but {section}.{key} is {self.config[section][key]}\n"
                    "  expected: the path or package of a spaCy model\n"
                    f"  remedy:   set {section}.model, or do without a model: {section}: {{{key}: {instead}}}"
                )

    def _batches(self):
        medline = self.config["medline"]
        folder = pathlib.Path(medline["baseline_dir"])
        if medline["files"] is not None:
            names = sorted({name for pattern in medline["files"] for name in expand_range(pattern)})
        elif medline["source"] == "download":
            raise UsageError("medline.files: name the files to download (medline.source is download)")
        else:
            names = sorted(path.name for path in folder.glob("*.xml.gz")) if folder.is_dir() else []
            if not names:
                raise UsageError(
                    f"medline.baseline_dir: no .xml.gz file in {folder}\n"
                    "  remedy: set it to the folder of the MEDLINE baseline, or name the files in medline.files"
                )
        updates = sorted({name for pattern in medline["update_files"] or [] for name in expand_range(pattern)})
        names = [name for name in names if name not in updates] + updates
        size = medline["files_per_job"]
        return {f"{i // size + 1:04d}": names[i : i + size] for i in range(0, len(names), size)}

    def _encoders(self):
        """Rows of the registry by encoder, `path` filled in, with those of config section `encoders` over them."""
        path = self.root / self.config["experiments"]["encoders"]
        if not path.is_file():
            raise UsageError(f"experiments.encoders: {path} does not exist")
        schema = read_yaml(self.root / "schemas" / "encoders.schema.yaml")
        validator = jsonschema.Draft202012Validator(schema)
        encoders = {}
        for number, row in _table_rows(path, "encoders", schema["required"], typed=lambda text: text or None):
            for error in validator.iter_errors(row):
                column = ".".join(map(str, error.absolute_path)) or "row"
                raise UsageError(
                    f"{path}, line {number}, {column}: {error.message}\n  remedy: see schemas/encoders.schema.yaml"
                )
            if row["encoder"] in encoders:
                raise UsageError(f"{path}, line {number}: encoder {row['encoder']} stands there twice")
            encoders[row["encoder"]] = row | {"path": row["path"] or str(RESOURCES / "encoders" / row["encoder"])}
        for name, own in self.config["encoders"].items():
            empty = dict.fromkeys(schema["required"]) | {"encoder": name, "name": name, "allow_unused_weights": "no"}
            encoders[name] = encoders.get(name, empty) | own
        return encoders

    def _models(self):
        path = self.root / self.config["experiments"]["models"]
        if not path.is_file():
            raise UsageError(f"experiments.models: {path} does not exist")
        schema = read_yaml(self.root / "schemas" / "models.schema.yaml")
        validator = jsonschema.Draft202012Validator(schema)
        models = {}
        for number, row in _table_rows(path, "models", schema["required"]):
            if row["model"] in models:
                raise UsageError(f"{path}, line {number}: model {row['model']} stands there twice")
            own, places = self._overrides(row, path)
            models[row["model"]] = row | own
            self._check_model(f"{path}, line {number}", models[row["model"]], validator, places)
        self._check_override_keys(models)
        return models

    def _overrides(self, row, path):
        """Columns that training.overrides replaces in a row, and where each was set; the model's own key wins."""
        values, places = {}, {}
        for key in (row["encoder"], row["model"]):
            for column, value in self.config["training"]["overrides"].get(key, {}).items():
                if column not in row or column in FIXED_COLUMNS:
                    kind = "fixed" if column in row else "unknown"
                    free = ", ".join(name for name in row if name not in FIXED_COLUMNS)
                    raise UsageError(
                        f"training.overrides.{key}: {kind} column {column}; replaceable columns of {path.name}: {free}"
                    )
                # YAML takes 2e-5 for a text: values are read as those of the table are
                values[column] = _typed(value) if isinstance(value, str) else value
                places[column] = f"training.overrides.{key}.{column}, for model {row['model']}"
        return values, places

    def _check_override_keys(self, models):
        known = [*ENCODERS, *models]
        for key in self.config["training"]["overrides"]:
            if key not in known:
                raise UsageError(
                    f"training.overrides.{key}: neither an encoder nor a model{near(key, known)}\n"
                    f"  expected: one of {', '.join(known)}"
                )

    def _check_model(self, line, row, validator, places):
        """Check a row; `places` says where a column that does not come from the table was set."""
        for error in validator.iter_errors(row):
            column = ".".join(map(str, error.absolute_path)) or "row"
            place = places.get(column, f"{line}, {column}")
            raise UsageError(f"{place}: {error.message}\n  remedy: see schemas/models.schema.yaml")
        check_tables(line, row, self.config["experiments"]["tables"])
        for column, section, known in (
            ("embedding", "embeddings", self.config["embeddings"]),
            ("pretrained", "encoders", self.encoders),
        ):
            if row[column] is not None and row[column] not in known:
                raise UsageError(
                    f"{places.get(column, line)}: {column} {row[column]} is not in config section {section}: "
                    f"{', '.join(sorted(known)) or 'empty'}"
                )

    def table_corpora(self, table):
        """Ids of the corpora of a table: its own in experiments.tables, one or several, else those of Table 7."""
        tables = self.config["experiments"]["tables"]
        name = table if table in tables else "table7"
        spec = tables[name]
        if ("corpus" in spec) == ("corpora" in spec):
            found = "corpus and corpora" if "corpus" in spec else "neither corpus nor corpora"
            raise UsageError(
                f"experiments.tables.{name}: {found}\n"
                "  expected: one of the two, corpus: <id> or corpora: [<id>, ...]\n"
                "  remedy:   files of configuration are merged key by key: use the key that the file below yours uses"
            )
        corpora = _named_corpora(spec)
        if self.starts_at_corpus and "corpora" in spec:
            # those that came along
            corpora = [corpus for corpus in corpora if corpus in self.corpora] or corpora
        known = [*self.corpora, *self.prior_styles]
        for corpus in corpora:
            if corpus not in known:
                key = "corpus" if "corpus" in spec else "corpora"
                raise UsageError(f"experiments.tables.{name}.{key}: {corpus} is not one of {', '.join(known)}")
        return list(corpora)

    def _model_corpora(self, table, model):
        """The corpora that a table trains a model on: all of its own, or those it names for the model."""
        corpora = self.config["experiments"]["tables"][table].get("corpora")
        if not isinstance(corpora, dict):
            return self.table_corpora(table)
        if model not in corpora:
            raise UsageError(
                f"experiments.tables.{table}.corpora: no corpora for model {model}\n"
                f"  found:    {', '.join(corpora)}\n"
                f"  expected: each model of {table} in {self.config['experiments']['models']}, with its corpora"
            )
        return corpora[model]

    def _prior_styles(self):
        """Of each rebuilt corpus of section leakage the style it is built or derived from."""
        corpora = self.config["leakage"]["corpora"]
        styles = {name: entry["style"] for name, entry in corpora.items() if "style" in entry}
        for name, entry in corpora.items():
            if name in self.config["corpora"]:
                raise UsageError(f"leakage.corpora.{name}: section corpora has one of this id; name it differently")
            if "style" not in entry and "style" not in corpora.get(entry["without_overlap"], {}):
                raise UsageError(
                    f"leakage.corpora.{name}.without_overlap: {entry['without_overlap']} is no corpus with a style: "
                    f"{', '.join(styles) or 'there is none'}"
                )
        return {name: styles.get(name) or styles[entry["without_overlap"]] for name, entry in corpora.items()}

    def _runs(self):
        runs = {}
        for table, spec in self.config["experiments"]["tables"].items():
            self.table_corpora(table)
            if "corpora" in spec and not set(_named_corpora(spec)) <= {*self.corpora, *self.prior_corpora}:
                continue  # there is nothing to compare with
            models = self._distinct_models(table, spec)
            if table == "table11":
                # an encoder that cannot be had does not stop the others
                models = [m for m in models if self.encoder_missing(self.models[m]["pretrained"]) is None]
            if self.starts_at_corpus:  # semantic types come from the graph
                models = [model for model in models if not self._needs_types(model)]
            for model in models:
                row = self.models[model]
                poolings = ["avg", "one"] if row["level"] == "sent" else [row["pooling"]]
                for corpus, seed in itertools.product(self._model_corpora(table, model), self.config["seeds"]):
                    run = {"corpus": corpus, "model": model, "seed": seed, "poolings": poolings, "row": row}
                    runs[f"{corpus}.{model}.s{seed}"] = run
        return runs

    def _needs_types(self, model):
        return self.models[model]["encoding"] in WITH_TYPES or self.models[model]["head"] == "amil_l"

    def _grid(self):
        """Trainings of the grid of Table A.1 by part (`grid.expand`); none where experiments.grid.file is null."""
        options = self.config["experiments"]["grid"]
        if options["file"] is None:
            return {}
        path = self.root / options["file"]
        if not path.is_file():
            raise UsageError(f"experiments.grid.file: {path} does not exist\n  remedy: correct it, or set it to null")
        grid = read_yaml(path)
        validate(grid, self.root / "schemas" / "grid.schema.yaml", [str(path)])
        for column in grid["columns"]:
            if column in FIXED_COLUMNS or column not in next(iter(self.models.values())):
                raise UsageError(f"{path}: columns.{column} is no replaceable column of models.tsv")
        parts = expand(grid, self._template, self.config["seeds"], options["cells_per_job"])
        schema = jsonschema.Draft202012Validator(read_yaml(self.root / "schemas" / "models.schema.yaml"))
        for training in itertools.chain.from_iterable(parts.values()):
            self._check_model(f"{path}, cell {training['cell']}", training["row"], schema, {})
        return parts

    def _template(self, encoder, level):
        """The first row of models.tsv with this encoder and level, in the paper's own input and head."""
        for row in self.models.values():
            plain = (row["encoding"] or "CM", row["head"]) == ("CM", None)
            if (row["encoder"], row["level"]) == (encoder, level) and plain:
                return row
        raise UsageError(
            f"experiments.grid: no row of {self.config['experiments']['models']} trains {encoder} on level {level}\n"
            "  remedy: add one, whose other columns the cells take over, or leave the encoder out of the grid"
        )

    def _distinct_models(self, table, spec):
        filled = {}
        for model in self._models_of(table, spec):
            row = self.models[model]
            kind = row["encoding"] or "CM", row["head"]
            other = filled.setdefault((row["name"], row["level"], row["pooling"], *kind), model)
            if other != model:
                raise UsageError(
                    f"{self.config['experiments']['models']}: {other} and {model} would fill the same row of {table}\n"
                    f"  remedy: give one of them another name (both: {row['name']}), or take it out of {table}"
                )
        return list(filled.values())

    def _models_of(self, table, spec):
        named = [model for model, row in self.models.items() if table in str(row["tables"]).split(",")]
        unknown = sorted(set(spec.get("models", [])) - set(named))
        if unknown:
            raise UsageError(
                f"experiments.tables.{table}.models: {unknown[0]} is no row of {self.config['experiments']['models']} "
                f"for {table}: {', '.join(named)}"
            )
        return [model for model in named if model in spec.get("models", named)]


def _named_corpora(spec):
    """All corpora that an entry of experiments.tables names, in its order."""
    corpora = [spec["corpus"]] if "corpus" in spec else spec["corpora"]
    lists = corpora.values() if isinstance(corpora, dict) else [corpora]
    return list(dict.fromkeys(itertools.chain.from_iterable(lists)))


def expand_range(pattern):
    """File names of a pattern: "a[08-10].gz" gives a08.gz, a09.gz, a10.gz; a plain name gives itself."""
    match = re.fullmatch(r"(.*)\[(\d+)-(\d+)\](.*)", pattern)
    if not match:
        return [pattern]
    before, first, last, after = match.groups()
    if int(first) > int(last):
        raise UsageError(f"medline.files: the range in {pattern} runs backwards")
    return [f"{before}{number:0{len(first)}d}{after}" for number in range(int(first), int(last) + 1)]


def _table_rows(path, schema, columns, typed=None):
    """(line, row with typed values) for each row under a header with exactly these columns, in any order."""
    typed = typed or _typed
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter="\t")
        header = reader.fieldnames or []
        if sorted(header) != sorted(columns):
            raise UsageError(
                f"{path}, line 1\n  found:    columns {', '.join(header)}\n  expected: columns {', '.join(columns)}\n"
                f"  remedy:   correct the header, columns separated by tabs; see schemas/{schema}.schema.yaml"
            )
        rows = [(reader.line_num, row) for row in reader]
    for number, row in rows:
        if None in row:
            raise UsageError(f"{path}, line {number}: {len(columns) + len(row[None])} columns, expected {len(columns)}")
    return [(number, {column: typed(text) for column, text in row.items()}) for number, row in rows]


def _typed(text):
    """The value of a table cell: None for empty, a number where it reads as one, else the text."""
    if text == "" or text is None:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
