"""The experiments of the papers: one registry, one package per paper, imported only when needed.

Each experiment plays, keeps its counters as evidence, and compares them with what was published. Comparisons
are functions of the evidence alone, so they can be made again without playing.
"""

import importlib
from typing import Any

from ginrummy.errors import UnknownName
from ginrummy.experiments.frame.experiment import Experiment

PAPERS = {
    "S0": "a deterministic neural network approach (Nguyen, Doan and Neller, 2021)",
    "S1": "opponent hand estimation (Francis, Just and Neller, 2021)",
    "S2": "a heuristic evaluation function for hand strength (Ahmed and others, 2021)",
    "S3": "learned discard and knocking strategies (Goldstein and others, 2021)",
    "S4": "a highly parameterised ensemble (Nagai, Shrivastava, Ta, Byers and Bogaerts, 2020)",
}
"""Paper -> what it is about."""

_EXPERIMENTS = {
    "S0-table1": "ginrummy.experiments.s0.tables",
    "S0-table2": "ginrummy.experiments.s0.tables",
    "S0-table3": "ginrummy.experiments.s0.tables",
    "S0-table4": "ginrummy.experiments.s0.tables",
    "S0-table5": "ginrummy.experiments.s0.tables",
    "S0-table6": "ginrummy.experiments.s0.tables",
    "S0-table6-text": "ginrummy.experiments.s0.tables",
    "S0-networks": "ginrummy.experiments.s0.networks",
    "S0-readings": "ginrummy.experiments.s0.readings",
    "S0-loop": "ginrummy.experiments.s0.loop",
    "S1-fig2": "ginrummy.experiments.s1.figures",
    "S1-fig3": "ginrummy.experiments.s1.figures",
    "S1-fig4": "ginrummy.experiments.s1.figures",
    "S1-fig5": "ginrummy.experiments.s1.figures",
    "S1-fig6": "ginrummy.experiments.s1.figures",
    "S1-variants": "ginrummy.experiments.s1.figures",
    "S1-small": "ginrummy.experiments.s1.small",
    "S1-schedule": "ginrummy.experiments.s1.schedule",
    "S1-beliefs": "ginrummy.experiments.s1.beliefs",
    "S1-asp": "ginrummy.experiments.s1.asp",
    "S1-application": "ginrummy.experiments.s1.application",
    "S1-safety": "ginrummy.experiments.s1.application",
    "S1-bounds": "ginrummy.experiments.s1.bounds",
    "S2-fig2": "ginrummy.experiments.s2.figures",
    "S2-fig3": "ginrummy.experiments.s2.figures",
    "S2-fig4": "ginrummy.experiments.s2.figures",
    "S2-fig5": "ginrummy.experiments.s2.figures",
    "S2-fig6": "ginrummy.experiments.s2.figures",
    "S2-program": "ginrummy.experiments.s2.figures",
    "S2-vs-simple": "ginrummy.experiments.s2.figures",
    "S2-readings": "ginrummy.experiments.s2.readings",
    "S2-profiles": "ginrummy.experiments.s2.readings",
    "S2-tuned": "ginrummy.experiments.s2.tuned",
    "S3-fig1": "ginrummy.experiments.s3.discards",
    "S3-fig2": "ginrummy.experiments.s3.discards",
    "S3-vs-simple": "ginrummy.experiments.s3.players",
    "S3-pairings": "ginrummy.experiments.s3.players",
    "S3-weight": "ginrummy.experiments.s3.players",
    "S3-fig3": "ginrummy.experiments.s3.knocking",
    "S3-fig4": "ginrummy.experiments.s3.knocking",
    "S3-fig5": "ginrummy.experiments.s3.knocking",
    "S3-knock-us": "ginrummy.experiments.s3.rules",
    "S3-knock-uk": "ginrummy.experiments.s3.rules",
    "S3-outs-us": "ginrummy.experiments.s3.rules",
    "S3-outs-uk": "ginrummy.experiments.s3.rules",
    "S3-guide": "ginrummy.experiments.s3.guide",
    "S4-vs-simple": "ginrummy.experiments.s4.players",
    "S4-vs-hand-strength": "ginrummy.experiments.s4.players",
    "S4-tracker": "ginrummy.experiments.s4.tracker",
    "S4-ga": "ginrummy.experiments.s4.genetic",
    "S4-gin-only": "ginrummy.experiments.s4.knocks",
    "S4-knock1": "ginrummy.experiments.s4.knocks",
    "S4-knock2": "ginrummy.experiments.s4.knocks",
    "S4-heatmap": "ginrummy.experiments.s4.knocks",
    "S4-knock-rules": "ginrummy.experiments.s4.knocks",
    "S4-subsets": "ginrummy.experiments.s4.subset_claims",
    "S4-correlation": "ginrummy.experiments.s4.subset_claims",
}
"""Experiment -> the module whose ``EXPERIMENTS`` holds it."""


def experiment_ids() -> list[str]:
    """Every registered experiment."""
    return list(_EXPERIMENTS)


def experiment(name: str) -> Experiment[Any]:
    """The experiment of this id; an unknown one raises ``UnknownName``."""
    if name not in _EXPERIMENTS:
        raise UnknownName(f"unknown experiment {name!r}: choose one of {', '.join(_EXPERIMENTS)}")
    found: Experiment[Any] = importlib.import_module(_EXPERIMENTS[name]).EXPERIMENTS[name]
    return found
