"""The simulations behind `benchmarks/gate_error_rates.py`: simulated runs, how they are judged, and the tables."""
