"""Rows for tapefacade/_ops/array."""
