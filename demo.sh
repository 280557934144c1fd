#!/usr/bin/env bash
# Runs every bench on its cheapest honest answerers, and writes one report about all of them: demo/report.html.
# A bench is a function below; a new one joins by being added to the last lines.
set -euo pipefail
cd "$(dirname "$0")"
out=demo

# run NAME BENCH OPTIONS…: one run on the first six items; the table goes to NAME.txt.
run() {
    echo "  $1"
    pixelproof run "$2" --limit 6 --out "$out/$1" "${@:3}" >"$out/$1.txt"
}

# Whether the large files that a run needs are installed ('pixelproof data assets get NAME').
installed() {
    pixelproof data assets verify "$@" >/dev/null 2>&1
}

# Drawings as JSON: noise and reference drawings, then a 135 M language model, decoding freely and with a grammar.
pixelart() {
    for control in floor-noise floor-checkerboard ceiling-truth; do
        run "pixelart-$control" pixelart --source pixelart-v2 --model "control/$control"
    done
    run pixelart-smollm2-free pixelart --source pixelart-v2 --model gguf/smollm2 --max-tokens 800 &
    run pixelart-smollm2-grammar pixelart --source pixelart-v2 --model gguf/smollm2 --decoding grammar
    wait $!
}

# Segmentation of generated scenes: floors, both ceilings, clusters of colour, and SAM 2 if its weights are installed.
arena() {
    for control in floor-blank floor-copy ceiling-channel ceiling-truth mirrored; do
        run "arena-$control" arena --source world --model "control/$control"
    done
    run arena-kmeans arena --source world --model nets/kmeans
    if installed kenzy-ssd sam2-tiny; then
        run arena-ssd-sam2 arena --source world --model nets/ssd-sam2
    fi
}

# Scores measured against people, on made-up votes: one that looks at images, one that knows who made them. Then two controls
# of the bench, scored by a judge that is a program of known error: no model that reads images comes with the package.
evalmi() {
    pixelproof judge example "$out/votes" >/dev/null
    echo "  meta"
    pixelproof judge meta --data "$out/votes" --scores "$out/votes/scores.csv" --resamples 500 --html "$out/evalmi-meta.html" >"$out/evalmi-meta.txt"
    for control in floor-other-prompt ceiling-truth; do
        run "evalmi-$control" evalmi --source flat --judge fn/pixelproof.benches.evalmi.simulated:judge --model "control/$control"
    done
}

# Edits of four tabletops: the photograph unchanged, an editor that cuts out and pastes, and the true edit, all read from pixels.
spatial() {
    local edits="$out/edits" perception=(--source made --data "$out/edits" --perception render-and-compare)
    pixelproof spatial make --n 4 --seed 7 --split test --room tabletop --size 256 --layers before,after --out "$edits" \
        --operation move --operation placement --operation scaling --operation removal >/dev/null
    for control in floor-copy ceiling-truth; do
        run "spatial-$control" spatial "${perception[@]}" --model "control/$control"
    done
    run spatial-cut-paste spatial "${perception[@]}" --model nets/cut-paste --annotations things
}

# Questions about scenes and clips, answered with tools: a guess without a look, a program that sees the prompt alone, and the oracle,
# which knows where everything is. Codes can be read if the text reader is installed; else only colours, areas and numbers are asked.
agent() {
    local asked=(--limit 8)
    installed rapidocr-models || { echo "  without questions about text: rapidocr-models is not installed"
        asked+=(--task largest-colour,compare-areas,flash-colour,count-clutter); }
    for model in control/floor-never-look nets/scripted-agent control/oracle-tools; do
        run "agent-${model#*/}" agent --model "$model" "${asked[@]}"
    done
}

rm -rf "$out" && mkdir "$out"
for bench in arena pixelart evalmi spatial agent; do
    echo "$bench"
    $bench
done
pixelproof report "$out" --out "$out/report.html"
