#!/usr/bin/env bash
# Runs every bench on its cheapest honest answerers, with as many items as its sentence needs, and writes one report about all
# of them: demo/report.html. Two queues run side by side: answers by a language model and a judge, and everything else.
set -euo pipefail
cd "$(dirname "$0")"
out=demo

# step NAME CPU-SECONDS COMMAND…: what the command prints goes to logs/NAME.txt; its errors are shown if it fails.
total=252
step() {
    # 4: every answer is a fault, which is something to report here.
    "${@:3}" >"$out/logs/$1.txt" 2>"$out/logs/$1.err" || [ $? = 4 ] || {
        echo "  $1 failed:" >&2
        cat "$out/logs/$1.err" >&2
        return 1
    }
    local done=0 weight
    echo "$2" >>"$out/logs/done"
    while read -r weight; do done=$((done + weight)); done <"$out/logs/done"
    printf '  %3d s  %-24s about %d s left\n' "$SECONDS" "$1" $(((total - done) * (SECONDS + 33) / (done + 60)))
}

# run NAME CPU-SECONDS BENCH OPTIONS…
run() {
    step "$1" "$2" pixelproof run "$3" --out "$out/$1" "${@:4}"
}

# Drawings as JSON: a 135 M language model, decoding with a grammar and freely, and the reference drawings. 40 drawings
# bound a share of none to below a tenth.
pixelart() {
    local small=(--source fresh --grid 8)
    run drawings-truth 2 pixelart "${small[@]}" --limit 40 --model control/ceiling-truth
    run drawings-grammar 82 pixelart "${small[@]}" --limit 40 --model gguf/smollm2 --decoding grammar
    run drawings-free 22 pixelart "${small[@]}" --limit 8 --model gguf/smollm2 --max-tokens 160
}

# Masks of generated scenes by clusters of colour; the renderer and the loops over pixels are compiled here.
arena() {
    run masks-kmeans 43 arena --source world --limit 16 --model nets/kmeans
}

# Edits of tabletops, read from pixels: an editor that cuts out and pastes.
spatial() {
    step pairs 8 pixelproof spatial make --n 12 --seed 7 --split test --room tabletop --size 128 --layers before,after \
        --out "$out/pairs" --operation move --operation placement --operation scaling --operation removal
    run edits-cut-paste 60 spatial --source made --data "$out/pairs" --perception render-and-compare --limit 12 --calibrate 4 \
        --model nets/cut-paste --annotations things
}

# Questions about scenes and clips, answered with tools by a program that sees the prompt alone. Without those about text,
# for which a reader would have to be installed.
agent() {
    run questions-scripted 21 agent --limit 30 --model nets/scripted-agent \
        --task largest-colour,compare-areas,flash-colour,count-clutter
}

# Two controls, scored by a judge that is a program of known error: no model that reads images comes with the package.
evalmi() {
    for control in ceiling-truth floor-other-prompt; do
        run "images-$control" 7 evalmi --source flat --limit 16 --judge fn/pixelproof.benches.evalmi.simulated:judge \
            --model "control/$control"
    done
}

rm -rf "$out" && mkdir -p "$out/logs"
echo "Five benches in two queues, about three minutes on two idle cores:"
answers_and_judge() { pixelart; evalmi; }
answers_and_judge &
other=$!
trap 'kill "$other" 2>/dev/null || true' EXIT
arena
agent
spatial
wait "$other"
pixelproof report "$out"/drawings-{grammar,free,truth} "$out"/masks-* "$out"/questions-* "$out"/edits-* "$out"/images-* --out "$out/"
