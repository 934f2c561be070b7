"""Evidence in, figures and pages out: the only room that draws."""
