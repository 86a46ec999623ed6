"""The decision procedure: normal form, short traces, symbolic tableau on binary decision diagrams."""
