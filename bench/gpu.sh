#!/usr/bin/env bash
# gpu.sh: builds, tests and measures tiny_cuda.h on this machine's NVIDIA GPU in less than ten minutes, into build/gpu.md.
#   bench/gpu.sh            all of it; keep the report by cp build/gpu.md bench/gpu.md
#   bench/gpu.sh trial      small sizes, on whatever driver TINY_CUDA_DRIVER names: does the script itself work?
# What is not here (a driver, NVRTC, cuBLAS, PyTorch, nvidia-smi) is named in the report, and what needs it is left out.
set -u
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
report=build/gpu.md
trial=${1:-}
jobs=$(nproc 2>/dev/null || echo 2)
start=$(date +%s)
left() { echo $((590 - $(date +%s) + start)); }
figures=180                                # seconds that are kept for them
say() { printf '%s\n' "$*" | tee -a "$report"; }
# step NAME SECONDS COMMAND..: its last lines into the report; never longer than SECONDS, nor than what is left of ten
# minutes but for the figures.
step() {
  local name=$1 most=$2 code
  shift 2
  [ $(($(left) - figures)) -lt "$most" ] && most=$(($(left) - figures))
  if [ "$most" -lt 5 ]; then say "| $name | left out | no time |"; return 1; fi
  timeout "$most" "$@" >build/gpu_step.txt 2>&1
  code=$?
  case $code in
    0) say "| $name | ok | $(grep -v '^ *$' build/gpu_step.txt | tail -n 1 | cut -c1-100) |" ;;
    124) say "| $name | stopped after $most s | $(grep -v '^ *$' build/gpu_step.txt | tail -n 1 | cut -c1-100) |" ;;
    *) say "| $name | FAILED ($code) | $(grep -iE 'fail|error|CUDA|torch' build/gpu_step.txt | head -n 2 | tr '\n|' '  ' | cut -c1-300) |" ;;
  esac
  return $code
}
python=$(for p in python3 /usr/bin/python3; do "$p" -c 'import torch' 2>/dev/null && echo "$p" && break; done)

: >"$report"
say "# NVIDIA GPUs"
say ""
say "Written by \`bench/gpu.sh ${trial}\` on $(date -u +%Y-%m-%d), tiny.h $(sed -n 's/^#define TINY_VERSION "\(.*\)"/\1/p' tiny.h)," \
    "$(git rev-parse --short HEAD 2>/dev/null || echo 'no commit known')."
say ""
say "GPU: $(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo 'not told: no nvidia-smi')  "
say "PyTorch: $([ -n "$python" ] && "$python" -c 'import torch; print(torch.__version__, "CUDA", torch.version.cuda)' || echo 'not there')  "
say "cuBLAS: $(ldconfig -p 2>/dev/null | grep -o 'libcublas\.so\.[0-9]*' | head -n 1 | grep . || echo 'not in the list of the system (LD_LIBRARY_PATH may have it)')"
say ""
say "## Tests"
say ""
say "| what | | |"
say "|---|---|---|"
brief=""
[ "$trial" = trial ] && brief=1
flags=(CFLAGS= -s -k)
if step "build" 200 make "${flags[@]}" -j"$jobs" tiny.h build/gpu build/cuda/test_vectors build/cuda/test_order build/cuda/test_random; then
  export TINY_DEV=INTERP                   # which is CUDA in these tests
  step "order of calls" 60 env ${brief:+TEST_ROUNDS=5} build/cuda/test_order
  step "operator vectors, a part" 170 env TEST_STRIDE=${brief:+80}8 build/cuda/test_vectors
  step "random programs" 60 env TEST_ON=INTERP TEST_SEED=11 build/cuda/test_random
  unset TINY_DEV
  if [ -n "$python" ] && [ -z "$brief" ]; then
    step "PyTorch measured" 100 bash -c "'$python' bench/torch_gpu.py >build/torch_gpu.txt"
  else
    rm -f build/torch_gpu.txt
    why="it is not there"
    [ -n "$brief" ] && why="this is a trial"
    say "| PyTorch measured | left out | $why |"
  fi
  say ""
  say "## Figures"
  say ""
  say '```text'
  if [ "$(left)" -lt 5 ]; then say "no time is left"
  else
    timeout "$(left)" build/gpu ${brief:+-s 4096} 2>&1 | tee -a "$report"
    code=${PIPESTATUS[0]}
    case $code in
      0) ;;
      124) say "stopped: ten minutes are over" ;;
      *) say "ended with $code: what should follow is missing" ;;
    esac
  fi
  say '```'
fi
say ""
say "Took $(($(date +%s) - start)) s."
