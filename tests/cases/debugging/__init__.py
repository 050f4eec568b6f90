"""Rows for tapefacade/_ops/debugging."""
