"""Games that outlive the process, with their reviews. The only room with SQLAlchemy."""

from ginrummy.store.games import Kept, Store
from ginrummy.store.schema import VERSION, open_database

__all__ = ["VERSION", "Kept", "Store", "open_database"]
