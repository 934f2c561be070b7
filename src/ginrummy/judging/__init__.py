"""How good estimators are: metrics of beliefs, counted over games and compared in pairs."""
