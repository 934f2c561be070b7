"""The knock rules of ``results/S2-knock.json`` as players, under the names that this evidence records.

``py:ginrummy.training.knock_table@eaai_knocker`` plays; the code is in ``regret.knock_table``.
"""

from ginrummy.training.regret.knock_table import eaai_knocker, uk_knocker

__all__ = ["eaai_knocker", "uk_knocker"]
