"""How strong champion's search is, and which of its parts make it so."""
