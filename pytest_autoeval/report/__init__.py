"""The reports on a run: its analysis, the document made of it, and every screen that shows the document."""
