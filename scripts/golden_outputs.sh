#!/usr/bin/env bash
# What a program prints and writes for one simulated study: models, predictions, evaluations, reports and a study's waves.
# Run it with the program before and after a change that is to change no number, and compare:
#
#     scripts/golden_outputs.sh BEFORE/rfvm before && scripts/golden_outputs.sh target/release/rfvm after && diff -r before after
#
# Seconds and days, which are of the run and not of the data, are taken out.
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2"
cd "$2"
run() {
    local name=$1
    shift
    "$program" "$@" > "$name" 2> /dev/null
}

run demo.json demo --json --out demo
cut -d, -f1-802 demo/train.csv > train.csv
head -60 demo/test.csv | cut -d, -f1-802 > test.csv
rm -r demo
for size in full accurate balanced compact 7; do
    run "fit-$size.txt" fit train.csv --target class --size "$size" -o "model-$size.json"
    run "predict-$size.csv" predict "model-$size.json" test.csv
    run "inspect-$size.json" inspect "model-$size.json" --json
done
run fit-share.txt fit train.csv --target class --share 0.9 --class-weight balanced
run fit-signatures.txt fit train.csv --target class --method signatures --signatures 2 -o model-signatures.json
run fit-mean-field.txt fit train.csv --target class --method mean-field --max-iterations 40 -o model-mean-field.json
run fit-regression.txt fit train.csv --target gene00011 --task regression --drop class -o model-regression.json
run path.json path train.csv --target class --json
run evaluate.json evaluate train.csv --target class --repeats 1 --json
run evaluate-permuted.json evaluate train.csv --target class --repeats 2 --permuted 2 --json
run evaluate-signatures.json evaluate train.csv --target class --method signatures --repeats 1 --json
run evaluate-regression.json evaluate train.csv --target gene00011 --task regression --drop class --repeats 1 --json
run report.txt report model-balanced.json train.csv --target class --evaluation evaluate.json -o report.html
run report-signatures.txt report model-signatures.json train.csv --target class -o report-signatures.html
run report-regression.txt report model-regression.json train.csv --target gene00011 --task regression --drop class -o report-regression.html
run study.json study demo --json --out study
run study-log.txt study log study/study.rfvm
run study-advise.txt study advise study/study.rfvm
# The database holds the days of its entries; its page and what the commands print are compared.
rm -f study/*.rfvm
sed -i -E 's/[0-9.]+ (s\b|seconds)//g; s/20[0-9]{2}-[0-9]{2}-[0-9]{2}([T ][0-9:.Z]+)?//g' ./*.txt ./*.html study/*.html
python3 - ./*.json << 'END'
import json, sys

def timeless(value):
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if "seconds" not in key}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value

for name in sys.argv[1:]:
    with open(name) as file:
        content = timeless(json.load(file))
    with open(name, "w") as file:
        json.dump(content, file, indent=1)
END
