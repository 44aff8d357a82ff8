# says.sh: how scripts that run programs count what these say: . tests/says.sh
passed=0 failed=0
report() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }
# says NAME TEXT COMMAND..: the command succeeds, and TEXT is in what it says.
says() {
  local name=$1 text=$2 said
  shift 2
  if said=$("$@" 2>&1) && grep -q "$text" <<<"$said"; then passed=$((passed + 1)); return; fi
  failed=$((failed + 1))
  printf 'failed: %s\n%s\n' "$name" "$(tail -n 20 <<<"$said")" >&2
}
