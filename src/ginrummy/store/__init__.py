"""Games that outlive the process: whose they are, how far they are, what their reviews say. The only room with SQLAlchemy."""

from ginrummy.store.games import Kept, Store
from ginrummy.store.schema import VERSION, open_database

__all__ = ["VERSION", "Kept", "Store", "open_database"]
