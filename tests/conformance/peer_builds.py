"""Peers that Debian does not package, or not in the version a check needs, built with Go."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def find_or_build(name, variable, files, commands):
    """The path of a program: that of the environment's variable, build/peers/NAME, or one that the
    commands make as NAME in a scratch folder with the files. None when none can be had."""
    if os.environ.get(variable):
        return os.environ[variable]
    built = ROOT / "build" / "peers" / name
    if built.exists():
        return str(built)
    if not shutil.which("go"):
        return None
    built.parent.mkdir(parents=True, exist_ok=True)
    print(f"building {name} with Go; this takes some minutes", flush=True)
    with tempfile.TemporaryDirectory(dir=built.parent) as scratch:
        for file, text in files.items():
            (Path(scratch) / file).write_text(text)
        for command in commands:
            done = subprocess.run(command, cwd=scratch, env={**os.environ, "CGO_ENABLED": "0"},
                                  capture_output=True, text=True)
            if done.returncode != 0:
                print(done.stdout[-2000:], done.stderr[-2000:])
                return None
        shutil.move(Path(scratch) / name, built)
    return str(built)
