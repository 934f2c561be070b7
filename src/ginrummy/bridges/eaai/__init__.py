"""Java players of the EAAI challenge here, and our players in a Java tournament."""
