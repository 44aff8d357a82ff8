#!/usr/bin/env python3
"""Runs test programs, a line each, and prints the sum of their counts last: `N passed, N failed`.

  tools/run_tests.py [--jobs N] PROGRAM...      PROGRAM: a path, behind any of
    valgrind:  brief:, with TEST_BRIEF=1  outside:, whose kernels clang compiles  sse2: sse4: avx2:, for such a processor

A program ends its output with `N passed, N failed`. One that is missing, crashes, hangs, or fails without having
counted why is one failure more. What a failing program said is shown, and its name again at the end.

Time is measured by what a program does, not by the clock, which would test the neighbours: it ends when it and what it
started have used CPU_LIMIT seconds of processors, or none for IDLE_LIMIT seconds.
"""
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COUNTS = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)
CPU_LIMIT, IDLE_LIMIT = 1500, 300      # the longest takes 300 on a quiet machine of two cores
CLOCK_LIMIT = 3600                     # where there is no /proc
SHOWN_LINES = 40
WRAPPERS = {"valgrind": ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite"]}
WAYS = {"brief": {"TEST_BRIEF": "1"}, "outside": {"TINY_CC": "outside"},
        **{level: {"TINY_DEV": "CPU:" + level, "TINY_CC": "builtin"} for level in ("sse2", "sse4", "avx2")}}
ON_INTERP = "build/ptx-own/"           # where another device stands for INTERP, which is to be the one that is opened
INTERPRETERS = {".py": [sys.executable], ".sh": ["bash"]}


def environment():
    env = dict(os.environ)
    cache = os.path.abspath("build/test-cache")     # fresh each time: a test must not find what the last run left
    shutil.rmtree(cache, ignore_errors=True)
    env["TINY_CACHE"] = cache
    env.pop("TINY_DEBUG", None)
    env.pop("TINY_DEV", None)
    env.pop("TINY_CC", None)
    env["UBSAN_OPTIONS"] = "print_stacktrace=1"
    env["ASAN_OPTIONS"] = "allocator_may_return_null=1"
    env["TSAN_OPTIONS"] = "halt_on_error=1"
    return env


def cpu_seconds(session):
    """What the processes of a session, and the children that they have waited for, have used; None: nobody says."""
    if not os.path.exists("/proc/self/stat"):
        return None
    ticks = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid, encoding="latin-1") as f:
                fields = f.read().rpartition(")")[2].split()      # from state on: session is 3, utime to cstime 11 to 14
        except OSError:
            continue                       # it has ended
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


RUNNING = set()                        # each in a session of its own, which an interrupt does not reach


def end(p):
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except OSError:
        pass                               # it has ended


def watch(p):
    """(exit status, or why it was ended; the processor's seconds that it took)"""
    begun = active = looked = time.monotonic()
    used, why = 0.0, ""
    while True:
        pid, status, usage = os.wait4(p.pid, 0 if why else os.WNOHANG)
        if pid:
            p.returncode = os.waitstatus_to_exitcode(status)
            return why or p.returncode, usage.ru_utime + usage.ru_stime
        time.sleep(0.02)
        now = time.monotonic()
        if now < looked + 2:
            continue
        looked, cpu = now, cpu_seconds(p.pid)
        if cpu is not None and cpu > used + 0.1:
            used, active = cpu, now
        why = ("still running after %d s of processors" % CPU_LIMIT if used > CPU_LIMIT else
               "idle for %d s" % IDLE_LIMIT if cpu is not None and now - active > IDLE_LIMIT else
               "still running after %d s" % CLOCK_LIMIT if now - begun > CLOCK_LIMIT and cpu is None else "")
        if why:
            end(p)


def run(program, env):
    """(passed, failed, the processor's seconds, output, what went wrong)"""
    *words, path = program.split(":")
    if not os.path.exists(path):
        return 0, 1, 0.0, "", "did not build"
    for word in words:
        env = dict(env, **WAYS.get(word, {}))
    if path.startswith(ON_INTERP):
        env = dict(env, TINY_DEV="INTERP")
    command = sum((WRAPPERS.get(word, []) for word in words), []) + INTERPRETERS.get(os.path.splitext(path)[1], []) + [os.path.join(".", path)]
    seconds, output = 0.0, tempfile.TemporaryFile()
    try:
        p = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                             start_new_session=True)
        RUNNING.add(p)
        status, seconds = watch(p)
        RUNNING.discard(p)
    except OSError as e:
        status = "did not start: %s" % e
    output.seek(0)
    output = output.read().decode(errors="replace")
    counts = COUNTS.findall(output)
    passed, failed = map(int, counts[-1]) if counts else (0, 0)
    wrong = ""
    if isinstance(status, str):
        wrong = status
    elif status < 0:
        wrong = "killed by signal %d" % -status
    elif not counts:
        wrong = "printed no counts, exit status %d" % status
    elif status and not failed:
        wrong = "exit status %d" % status
    return passed, failed + bool(wrong), seconds, output, wrong


def main(args):
    jobs = 2
    if args[:1] == ["--jobs"]:
        jobs, args = int(args[1]), args[2:]
    env, passed, failed, lost = environment(), 0, 0, []
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        running = {pool.submit(run, program, env): program for program in args}
        for done in concurrent.futures.as_completed(running):
            p, f, seconds, output, wrong = done.result()
            passed, failed = passed + p, failed + f
            name = running[done].replace("build/", "")
            print("%-36s %8d passed, %3d failed %7.1f s%s" % (name, p, f, seconds, "  " + wrong if wrong else ""), flush=True)
            if f:
                lost.append("failed: %s%s\n" % (name, ", " + wrong if wrong else ""))
                print("".join("    | %s\n" % line for line in output.splitlines()[-SHOWN_LINES:]), end="", flush=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for p in list(RUNNING):
            end(p)
    print("%s%d passed, %d failed" % ("".join(lost), passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
