"""Sentences and stories in first-order logic, and choices and rankings made of them."""
