"""Score the pairs of any sentences with a trained run.

The input is a file of OpenNRE JSON lines or an instances table (Parquet); relations in it are not read. A pair is
scored with all its sentences, exactly as the evaluation does. --explain says which sentences a score comes from.
"""

import json
import tempfile
from pathlib import Path

from workflow_scripts.common import command
from workflow_scripts.common.files import atomic_open
from workflow_scripts.evaluation import scoring
from workflow_scripts.evaluation.inputs import write_unlabelled
from workflow_scripts.evaluation.results import write_scores


def main(args):
    bundle = scoring.load(args.run, args.device, args.threads)
    pooling = args.pooling or bundle.config["row"]["pooling"] or "avg"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "unlabelled.parquet"
        write_unlabelled(args.input, path)
        scored = scoring.score_sentences(bundle, path)
        write_scores(args.output, scored.pairs, scored.relations, scored.pooled(pooling))
        if args.explain:
            with atomic_open(args.explain) as stream:
                for pair in scoring.explain(scored, path, pooling):
                    stream.write(json.dumps(pair, ensure_ascii=False) + "\n")


def arguments():
    parser = command.parser(__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of the trained run")
    parser.add_argument("--input", type=Path, required=True, help="OpenNRE JSON lines, or instances (.parquet)")
    parser.add_argument("--output", type=Path, required=True, help="Parquet file: head, tail, relation, score")
    parser.add_argument("--pooling", choices=("avg", "one", "att"), help="default: as trained; avg for sentence models")
    parser.add_argument(
        "--explain", type=Path, metavar="FILE", help="JSON lines: best relation and sentences of each pair"
    )
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"), help="default: auto")
    parser.add_argument("--threads", type=int, default=1, help="torch threads; give those of the evaluation (config)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
