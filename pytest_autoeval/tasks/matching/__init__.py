"""Which of a model's own phrases and symbols stands for which of ours."""
