"""Networks, one module each: layers, the rows to learn from, the recipe.

A new network is one module here and one line in ``training.recipes``. It builds a ``torch.nn.Module`` (parts
in ``layers``), gathers rows from recorded play, calls ``fit.train`` and ``export.to_onnx``, and returns a
``recipes.Trained``. Shared parts: ``watched`` (what each side saw), ``hands`` (learning whole hands),
``quality`` (what a record says about beliefs).
"""
