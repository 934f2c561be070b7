"""The page of ``ginrummy serve`` and its JSON API: the only room with HTTP and NiceGUI."""
