"""`nox -s test` and its sisters: the verbs of x.py under nox's names."""

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["test"]

for verb in ("demo", "test", "check", "bench", "docs", "parity", "wheel", "stubs"):

    @nox.session(name=verb)
    def run(session: nox.Session, verb: str = verb) -> None:
        session.run("python3", "x.py", verb, "--", *session.posargs)
