"""Which options of a command line a page repeats."""

import pytest

from workflow_scripts.common.invocation import identifying_options


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "--cores all"),
        ("--cores 2 tables", "--cores all"),
        ("--profile profiles/demo", "--profile profiles/demo"),
        ("-n --profile slurm --profile my_site.yaml --jobs 4 report", "--profile slurm --profile my_site.yaml"),
        ("--profile=slurm --configfile my.yaml", "--profile slurm --configfile my.yaml"),
        ("tables --profile p --configfile a.yaml b.yaml --cores 2", "--profile p --configfile a.yaml b.yaml"),
        ("--configfiles a.yaml b.yaml -- tables verify", "--cores all --configfile a.yaml b.yaml"),
        ("-p -C name=x seeds=[1] --cores 1", "--cores all --config name=x 'seeds=[1]'"),
        (
            "--sdm conda --conda-prefix /e --profile p",
            "--profile p --conda-prefix /e --software-deployment-method conda",
        ),
        ("-s ../Snakefile -d work -j2 x", "--cores all --snakefile ../Snakefile --directory work"),
        ("--forcerun results/a.csv --profile p -- results/b.csv", "--profile p"),
    ],
)
def test_what_decides_the_results_is_repeated(line, said):
    assert identifying_options(line.split()) == said


def test_words_with_blanks_stay_words():
    assert identifying_options(["--configfile", "my run.yaml"]) == "--cores all --configfile 'my run.yaml'"
