"""Rows for tapefacade/_ops/random."""
